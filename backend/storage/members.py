"""Rows of members."""

from __future__ import annotations

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from backend.errors import NotFound
from backend.storage.access_records import Member
from backend.storage.records import now_text
from backend.storage.tables import MemberRow


def add_member(
    session: Session,
    member_id: str,
    name: str,
    role: str,
    *,
    issuer: str = "",
    subject: str = "",
    password_hash: str = "",
) -> Member:
    """A new member; without an issuer the subject is the name."""
    row = MemberRow(
        id=member_id,
        name=name,
        issuer=issuer,
        subject=subject or name,
        role=role,
        password_hash=password_hash,
        created=now_text(),
        blocked=False,
    )
    session.add(row)
    session.flush()
    return member_record(row)


def find_member(session: Session, issuer: str, subject: str) -> Member | None:
    """By what identifies them at their provider; the issuer is empty for members with a password."""
    row = _find(session, issuer, subject)
    return member_record(row) if row else None


def password_hash_of(session: Session, name: str) -> str:
    """Empty when there is no such member, or none with a password."""
    row = _find(session, "", name)
    return row.password_hash if row else ""


def get_member(session: Session, member_id: str) -> Member:
    """One member; raises NotFound."""
    return member_record(_row(session, member_id))


def list_members(session: Session) -> list[Member]:
    """All of them, by name."""
    return [member_record(row) for row in session.scalars(select(MemberRow).order_by(MemberRow.name))]


def change_member(
    session: Session,
    member_id: str,
    *,
    name: str | None = None,
    role: str | None = None,
    blocked: bool | None = None,
    password_hash: str | None = None,
    signed_in: bool = False,
) -> Member:
    """Write what is given; raises NotFound."""
    row = _row(session, member_id)
    given = {"name": name, "role": role, "blocked": blocked, "password_hash": password_hash}
    for column, value in given.items():
        if value is not None:
            setattr(row, column, value)
    if signed_in:
        row.last_sign_in = now_text()
    return member_record(row)


def delete_member(session: Session, member_id: str) -> None:
    """Remove them with their sign-ins and tokens; raises NotFound."""
    _row(session, member_id)
    session.execute(delete(MemberRow).where(MemberRow.id == member_id))


def count_admins(session: Session) -> int:
    """How many admins are not blocked."""
    query = select(func.count()).select_from(MemberRow)
    return session.scalar(query.where(MemberRow.role == "admin", MemberRow.blocked.is_(False))) or 0


def member_record(row: MemberRow) -> Member:
    """The row without its secrets."""
    return Member(
        id=row.id,
        name=row.name,
        issuer=row.issuer,
        role=row.role,
        created=row.created,
        last_sign_in=row.last_sign_in,
        blocked=row.blocked,
    )


def _find(session: Session, issuer: str, subject: str) -> MemberRow | None:
    query = select(MemberRow).where(MemberRow.issuer == issuer, MemberRow.subject == subject)
    return session.scalars(query).one_or_none()


def _row(session: Session, member_id: str) -> MemberRow:
    row = session.get(MemberRow, member_id)
    if row is None:
        raise NotFound("There is no such member.")
    return row
