"""Rows of access tokens."""

from __future__ import annotations

from sqlalchemy import Select, func, select, update
from sqlalchemy.orm import Session

from backend.errors import NotFound
from backend.storage.access_records import AccessToken
from backend.storage.members import member_record
from backend.storage.records import now_text
from backend.storage.tables import AccessTokenRow, MemberRow


def add_token(
    session: Session,
    token_id: str,
    name: str,
    scope: str,
    *,
    secret_sha256: str,
    member_id: str | None,
    expires: str,
) -> AccessToken:
    """A new token; only the hash of its secret is kept."""
    session.add(
        AccessTokenRow(
            id=token_id,
            name=name,
            scope=scope,
            secret_sha256=secret_sha256,
            member_id=member_id,
            created=now_text(),
            expires=expires,
        )
    )
    session.flush()
    found = find_token(session, token_id)
    assert found is not None
    return found


def find_token(session: Session, token_id: str) -> AccessToken | None:
    """By the part of it that is no secret."""
    found = session.execute(_query().where(AccessTokenRow.id == token_id)).first()
    return _record(found[0], found[1]) if found else None


def list_tokens(session: Session) -> list[AccessToken]:
    """The newest first."""
    rows = session.execute(_query().order_by(AccessTokenRow.created.desc(), AccessTokenRow.id))
    return [_record(row, member) for row, member in rows]


def count_tokens(session: Session) -> int:
    """How many there are."""
    return session.scalar(select(func.count()).select_from(AccessTokenRow)) or 0


def note_use(session: Session, token_id: str) -> None:
    """It was used now."""
    session.execute(update(AccessTokenRow).where(AccessTokenRow.id == token_id).values(last_used=now_text()))


def delete_token(session: Session, token_id: str) -> None:
    """Close it for good; raises NotFound."""
    row = session.get(AccessTokenRow, token_id)
    if row is None:
        raise NotFound("There is no such token.")
    session.delete(row)


def _query() -> Select[AccessTokenRow, MemberRow | None]:
    return select(AccessTokenRow, MemberRow).join(
        MemberRow, MemberRow.id == AccessTokenRow.member_id, isouter=True
    )


def _record(row: AccessTokenRow, member: MemberRow | None) -> AccessToken:
    return AccessToken(
        id=row.id,
        name=row.name,
        scope=row.scope,
        secret_sha256=row.secret_sha256,
        member=member_record(member) if member else None,
        created=row.created,
        expires=row.expires,
        last_used=row.last_used,
    )
