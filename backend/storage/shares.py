"""Rows of share links."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from backend.errors import NotFound
from backend.storage.records import Share, ShareView, now_text
from backend.storage.tables import ShareRow


@dataclass(frozen=True)
class NewShare:
    """What a new link shows, to whom, and until when."""

    secret_sha256: str
    expires: str
    finding_id: str = ""
    addresses: str = "real"
    payload: str = "removed"
    shows: str = "live"
    with_notes: bool = False
    view: ShareView | None = None
    made_by: str = ""
    password_hash: str = ""
    show_title: bool = False


def add_share(session: Session, share_id: str, investigation_id: str, new: NewShare) -> Share:
    """A new link; only the hash of its secret is kept."""
    row = ShareRow(id=share_id, investigation_id=investigation_id, created=now_text(), **asdict(new))
    session.add(row)
    session.flush()
    return _record(row)


def count_opening(session: Session, share_id: str) -> None:
    """Note that somebody opened the link."""
    opened = {ShareRow.opened: ShareRow.opened + 1, ShareRow.last_opened: now_text()}
    session.execute(update(ShareRow).where(ShareRow.id == share_id).values(opened))


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


def forget_share(session: Session, share_id: str) -> None:
    """Remove a link that was never given out."""
    session.execute(delete(ShareRow).where(ShareRow.id == share_id))


def active_frozen(session: Session) -> set[str]:
    """Ids of the frozen links that open something now."""
    query = select(ShareRow.id).where(
        ShareRow.shows == "frozen", ShareRow.revoked.is_(None), ShareRow.expires > now_text()
    )
    return set(session.scalars(query))


def _record(row: ShareRow) -> Share:
    values = {field.name: getattr(row, field.name) for field in fields(Share)}
    if row.view is not None:
        values["view"] = ShareView(**{**row.view, "lanes": tuple(row.view["lanes"])})
    return Share(**values)
