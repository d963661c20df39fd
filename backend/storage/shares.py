"""Rows of share links."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from backend.errors import NotFound
from backend.storage.records import Share, now_text
from backend.storage.tables import ShareRow


def add_share(
    session: Session, share_id: str, investigation_id: str, *, secret_sha256: str, expires: str
) -> Share:
    """A new link; only the hash of its secret is kept."""
    row = ShareRow(
        id=share_id,
        investigation_id=investigation_id,
        secret_sha256=secret_sha256,
        created=now_text(),
        expires=expires,
    )
    session.add(row)
    session.flush()
    return _record(row)


def get_share(session: Session, share_id: str) -> Share:
    """One link, whatever its state; raises NotFound."""
    row = session.get(ShareRow, share_id)
    if row is None:
        raise NotFound("There is no such link.")
    return _record(row)


def list_shares(session: Session, investigation_id: str) -> list[Share]:
    """All links of an investigation, the newest first."""
    query = select(ShareRow).where(ShareRow.investigation_id == investigation_id)
    return [_record(row) for row in session.scalars(query.order_by(ShareRow.created.desc(), ShareRow.id))]


def revoke_share(session: Session, investigation_id: str, share_id: str) -> None:
    """Close a link for good; closing it twice changes nothing."""
    row = session.get(ShareRow, share_id)
    if row is None or row.investigation_id != investigation_id:
        raise NotFound("There is no such link.")
    row.revoked = row.revoked or now_text()


def _record(row: ShareRow) -> Share:
    return Share(
        id=row.id,
        investigation_id=row.investigation_id,
        secret_sha256=row.secret_sha256,
        created=row.created,
        expires=row.expires,
        revoked=row.revoked,
    )
