"""Who made an investigation, and who made a part of it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.orm import Session

from backend.errors import NotFound
from backend.storage import evidence_files, notes
from backend.storage.acting import Maker
from backend.storage.tables import InvestigationRow


@dataclass(frozen=True)
class Made:
    """An investigation's maker, and the maker of the part that is meant; None where the whole is meant."""

    investigation: Maker
    part: Maker | None = None


def investigation_maker(session: Session, investigation_id: str) -> Maker:
    """Raises NotFound."""
    row = session.get(InvestigationRow, investigation_id)
    if row is None:
        raise NotFound("There is no such investigation; it may have been deleted.")
    return Maker(row.owner_id, row.token_id)


def file_maker(session: Session, investigation_id: str, file_id: str) -> Made:
    """Of a file by its id or name, or of an upload that is not complete; raises NotFound."""
    investigation = investigation_maker(session, investigation_id)
    return Made(investigation, evidence_files.get_file(session, investigation_id, file_id).maker)


def note_maker(session: Session, investigation_id: str, note_id: str) -> Made:
    """Raises NotFound."""
    investigation = investigation_maker(session, investigation_id)
    return Made(investigation, notes.get_note(session, investigation_id, note_id).maker)
