"""Rows of notes."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from backend.errors import NotFound
from backend.storage.acting import current_actor
from backend.storage.records import Note, now_text
from backend.storage.tables import NoteRow


@dataclass(frozen=True)
class NewNote:
    """What is written down, and what it is about; times in ns after t0."""

    kind: str
    text: str
    author: str = ""
    from_ns: int | None = None
    to_ns: int | None = None
    lane: str = ""
    finding_id: str = ""
    cause: str = ""
    diagnosis_id: str = ""


def add_note(session: Session, note_id: str, investigation_id: str, new: NewNote) -> Note:
    """A new note of who acts now, in an investigation that exists."""
    row = NoteRow(
        id=note_id,
        investigation_id=investigation_id,
        created=now_text(),
        **asdict(new),
        **asdict(current_actor().maker),
    )
    session.add(row)
    session.flush()
    return _record(row)


def list_notes(session: Session, investigation_id: str) -> list[Note]:
    """All notes of an investigation, in the order in which they were written."""
    query = select(NoteRow).where(NoteRow.investigation_id == investigation_id)
    return [_record(row) for row in session.scalars(query.order_by(NoteRow.created, NoteRow.id))]


def count_notes(session: Session, investigation_id: str) -> int:
    """How many notes an investigation has."""
    query = select(func.count()).where(NoteRow.investigation_id == investigation_id)
    return session.scalar(query) or 0


def get_note(session: Session, investigation_id: str, note_id: str) -> Note:
    """One note; raises NotFound, also for a note of another investigation."""
    return _record(_row(session, investigation_id, note_id))


def delete_note(session: Session, investigation_id: str, note_id: str) -> None:
    """Remove one note; raises NotFound, also for a note of another investigation."""
    session.delete(_row(session, investigation_id, note_id))


def _row(session: Session, investigation_id: str, note_id: str) -> NoteRow:
    row = session.get(NoteRow, note_id)
    if row is None or row.investigation_id != investigation_id:
        raise NotFound("There is no such note.")
    return row


def _record(row: NoteRow) -> Note:
    return Note(**{field.name: getattr(row, field.name) for field in fields(Note)})
