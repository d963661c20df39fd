"""The audit log out of reach, and rows of another age."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from sqlalchemy import text

from backend.storage.database import Database


@contextmanager
def without_audit_log(database: Database) -> Iterator[None]:
    """No row can be written meanwhile."""
    with database.writing() as session:
        session.execute(text("ALTER TABLE audit_log RENAME TO audit_log_away"))
    try:
        yield
    finally:
        with database.writing() as session:
            session.execute(text("ALTER TABLE audit_log_away RENAME TO audit_log"))


def make_older(database: Database, event_id: int, age: timedelta) -> None:
    """As if it had been written so long ago."""
    at = (datetime.now(UTC) - age).isoformat(timespec="microseconds").replace("+00:00", "Z")
    with database.writing() as session:
        session.execute(text("UPDATE audit_log SET at = :at WHERE id = :id"), {"at": at, "id": event_id})
