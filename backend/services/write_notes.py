"""Notes by people. They stand beside what was measured and never change it."""

from __future__ import annotations

import secrets
import unicodedata
from dataclasses import replace

from backend.errors import InvalidRequest, NotFound
from backend.services.read_report import read_report
from backend.storage import investigations, notes
from backend.storage.notes import NewNote
from backend.storage.records import Note
from backend.storage.store import Store

MOST_NOTES = 1_000
"""Of one investigation: they are listed and drawn all at once."""


def write_note(store: Store, investigation_id: str, new: NewNote) -> Note:
    """Store a note; raises InvalidRequest for what cannot be one, NotFound for a subject that is not there."""
    tidy = replace(new, text=_plain(new.text, "text"), author=_plain(new.author, "author"))
    if not tidy.text:
        raise InvalidRequest("A note needs a text.")
    _check_times(tidy)
    if tidy.kind == "disagreement" and not tidy.cause:
        raise InvalidRequest("A disagreement names the cause it is about.")
    with store.database.reading() as session:
        investigations.get_investigation(session, investigation_id)
    _check_subject(store, investigation_id, tidy)
    with store.database.writing() as session:
        investigations.touch_investigation(session, investigation_id)
        investigations.get_investigation(session, investigation_id)
        if notes.count_notes(session, investigation_id) >= MOST_NOTES:
            raise InvalidRequest(f"An investigation holds {MOST_NOTES:,} notes: delete one first.")
        return notes.add_note(session, secrets.token_hex(8), investigation_id, tidy)


def list_notes(store: Store, investigation_id: str) -> list[Note]:
    """All notes of an investigation, the oldest first; raises NotFound."""
    with store.database.reading() as session:
        investigations.get_investigation(session, investigation_id)
        return notes.list_notes(session, investigation_id)


def delete_note(store: Store, investigation_id: str, note_id: str) -> None:
    """Remove a note; what it was about stays as it is. Raises NotFound."""
    with store.database.writing() as session:
        notes.delete_note(session, investigation_id, note_id)
        investigations.touch_investigation(session, investigation_id)


def _plain(text: str, what: str) -> str:
    """Without white space around it; control characters other than line ends and tabs are refused."""
    tidy = text.replace("\r\n", "\n").strip()
    if any(unicodedata.category(letter) in ("Cc", "Cs") and letter not in "\n\t" for letter in tidy):
        raise InvalidRequest(f"The note's {what} holds a control character; only plain text can be stored.")
    return tidy


def _check_times(note: NewNote) -> None:
    if note.to_ns is None:
        return
    if note.from_ns is None:
        raise InvalidRequest("A note that has an end needs a beginning.")
    if note.to_ns < note.from_ns:
        raise InvalidRequest("A note cannot end before it begins.")


def _check_subject(store: Store, investigation_id: str, note: NewNote) -> None:
    if not note.finding_id and not note.cause:
        return
    report = read_report(store, investigation_id)
    if note.finding_id and note.finding_id not in {finding.id for finding in report.findings}:
        raise NotFound(f"The report has no finding {note.finding_id}.")
    if note.cause and note.cause not in {diagnosis.cause for diagnosis in report.diagnoses}:
        raise NotFound(f"The report names no cause {note.cause}.")
