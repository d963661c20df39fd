"""Rows of browsers that are signed in."""

from __future__ import annotations

from sqlalchemy import ColumnElement, delete, or_, select, update
from sqlalchemy.orm import Session

from backend.storage.access_records import SignIn
from backend.storage.members import member_record
from backend.storage.records import now_text
from backend.storage.tables import MemberRow, SignInRow


def add_sign_in(
    session: Session, sign_in_id: str, member_id: str, *, secret_sha256: str, expires: str
) -> None:
    """A browser has shown who uses it; what has expired meanwhile is forgotten."""
    now = now_text()
    session.execute(delete(SignInRow).where(SignInRow.expires <= now))
    session.add(
        SignInRow(
            id=sign_in_id,
            member_id=member_id,
            secret_sha256=secret_sha256,
            previous_sha256="",
            rotated=now,
            created=now,
            expires=expires,
        )
    )


def find_sign_in(session: Session, secret_sha256: str) -> SignIn | None:
    """By its newest secret or the one before."""
    return _found(
        session, or_(SignInRow.secret_sha256 == secret_sha256, SignInRow.previous_sha256 == secret_sha256)
    )


def get_sign_in(session: Session, sign_in_id: str) -> SignIn | None:
    """By its id, which is no secret; None where it has ended."""
    return _found(session, SignInRow.id == sign_in_id)


def _found(session: Session, condition: ColumnElement[bool]) -> SignIn | None:
    query = select(SignInRow, MemberRow).join(MemberRow, MemberRow.id == SignInRow.member_id).where(condition)
    found = session.execute(query).first()
    if found is None:
        return None
    row, member = found
    return SignIn(
        id=row.id,
        member=member_record(member),
        secret_sha256=row.secret_sha256,
        previous_sha256=row.previous_sha256,
        rotated=row.rotated,
        confirmed=row.confirmed,
        created=row.created,
        expires=row.expires,
    )


def confirm(session: Session, sign_in_id: str) -> None:
    """The browser has shown the newest secret."""
    session.execute(
        update(SignInRow)
        .where(SignInRow.id == sign_in_id, SignInRow.confirmed.is_(None))
        .values(confirmed=now_text())
    )


def rotate(session: Session, known: SignIn, *, shown_sha256: str, next_sha256: str) -> bool:
    """Put a new secret in the place of the newest; False when another request was quicker."""
    changed = session.execute(
        update(SignInRow)
        .where(SignInRow.id == known.id, SignInRow.secret_sha256 == known.secret_sha256)
        .values(secret_sha256=next_sha256, previous_sha256=shown_sha256, rotated=now_text(), confirmed=None)
        .returning(SignInRow.id)
    )
    return changed.first() is not None


def delete_sign_in(session: Session, sign_in_id: str) -> None:
    """Sign that browser out."""
    session.execute(delete(SignInRow).where(SignInRow.id == sign_in_id))


def delete_sign_ins_of(session: Session, member_id: str) -> None:
    """Sign a member out everywhere."""
    session.execute(delete(SignInRow).where(SignInRow.member_id == member_id))
