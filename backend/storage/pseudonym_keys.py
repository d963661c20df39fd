"""The secret of each investigation by which its anonymised downloads give the same names to the same things."""

from __future__ import annotations

import secrets
from typing import Final

from sqlalchemy.exc import IntegrityError

from backend.storage.database import Database
from backend.storage.tables import PseudonymKeyRow

KEY_BYTES: Final = 32


def pseudonym_key(database: Database, investigation_id: str) -> bytes:
    """Made when it is first asked for; afterwards always the same. It never leaves the server."""
    known = _known(database, investigation_id)
    if known is not None:
        return known
    made = secrets.token_bytes(KEY_BYTES)
    try:
        with database.writing() as session:
            session.add(PseudonymKeyRow(investigation_id=investigation_id, key=made))
    except IntegrityError:  # another worker was quicker
        known = _known(database, investigation_id)
        if known is None:
            raise
        return known
    return made


def _known(database: Database, investigation_id: str) -> bytes | None:
    with database.reading() as session:
        row = session.get(PseudonymKeyRow, investigation_id)
        return None if row is None else row.key
