"""Notes by people. They stand beside what was measured and never change it."""

from __future__ import annotations

import secrets
import unicodedata
from dataclasses import replace

from backend.errors import InvalidRequest, NotFound
from backend.forensics.report import DiagnosisPart, Report
from backend.services.read_report import read_report
from backend.services.scope import WHOLE, Scope
from backend.storage import investigations, notes
from backend.storage.audit_log import Act, write_event
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
    if tidy.kind == "disagreement" and not (tidy.cause or tidy.diagnosis_id):
        raise InvalidRequest("A rejection names its cause or its diagnosis.")
    with store.database.reading() as session:
        investigations.get_investigation(session, investigation_id)
    tidy = _about_something(store, investigation_id, tidy)
    with store.database.writing() as session:
        investigations.touch_investigation(session, investigation_id)
        investigations.get_investigation(session, investigation_id)
        if notes.count_notes(session, investigation_id) >= MOST_NOTES:
            raise InvalidRequest(f"An investigation holds {MOST_NOTES:,} notes: delete one first.")
        return notes.add_note(session, secrets.token_hex(8), investigation_id, tidy)


def list_notes(store: Store, investigation_id: str, scope: Scope = WHOLE) -> list[Note]:
    """All notes of an investigation that the scope shows, the oldest first; raises NotFound."""
    if store.frozen is not None:
        return list(filter(scope.shows_note, store.frozen.notes))
    with store.database.reading() as session:
        investigations.get_investigation(session, investigation_id)
        return list(filter(scope.shows_note, notes.list_notes(session, investigation_id)))


def delete_note(store: Store, investigation_id: str, note_id: str) -> None:
    """Remove a note; what it was about stays as it is. Raises NotFound."""
    with store.database.writing() as session:
        notes.delete_note(session, investigation_id, note_id)
        write_event(session, Act.DELETE_NOTE, investigation_id=investigation_id, subject=note_id)
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


def _about_something(store: Store, investigation_id: str, note: NewNote) -> NewNote:
    """With the diagnosis it is about; raises NotFound where the report has no such thing."""
    if not (note.finding_id or note.cause or note.diagnosis_id):
        return note
    report = read_report(store, investigation_id)
    if note.finding_id and note.finding_id not in {finding.id for finding in report.findings}:
        raise NotFound(f"The report has no finding {note.finding_id}.")
    if not (note.cause or note.diagnosis_id):
        return note
    about = _diagnosis(report, note)
    return replace(note, cause=about.cause, diagnosis_id=about.id)


def _diagnosis(report: Report, note: NewNote) -> DiagnosisPart:
    found = [
        diagnosis
        for diagnosis in report.diagnoses
        if note.cause in ("", diagnosis.cause) and note.diagnosis_id in ("", diagnosis.id)
    ]
    if not found:
        name = f"diagnosis {note.diagnosis_id}" if note.diagnosis_id else f"cause {note.cause}"
        raise NotFound(f"The report names no {name}.")
    if len(found) > 1 and note.finding_id:
        found = [diagnosis for diagnosis in found if note.finding_id in diagnosis.findings] or found
    if len(found) > 1:
        raise InvalidRequest(f"{len(found)} diagnoses name the cause {note.cause}: say which one by its id.")
    return found[0]
