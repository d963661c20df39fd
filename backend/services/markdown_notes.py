"""What people noted, for the Markdown report: beside what was measured, never instead of it."""

from __future__ import annotations

from collections.abc import Sequence

from backend.forensics.report import DiagnosisPart, Report
from backend.forensics.report_notes import NotePart
from backend.services.markdown_text import table_of, text_of


def disagreements_with(diagnosis: DiagnosisPart, notes: Sequence[NotePart]) -> list[NotePart]:
    """Those about this diagnosis, and no other of the same cause."""
    return [
        note
        for note in notes
        if note.kind == "disagreement"
        and note.cause == diagnosis.cause
        and (note.diagnosis == diagnosis.id if diagnosis.id else note.finding in ("", *diagnosis.findings))
    ]


def disagreement_blocks(disagreements: Sequence[NotePart]) -> list[str]:
    """Who rejects the diagnosis, when and why: a quotation each."""
    return [
        f"> {_author(note)}, {text_of(note.created[:16])}, rejects the diagnosis: {text_of(note.text)}"
        for note in disagreements
    ]


def note_blocks(report: Report) -> list[str]:
    """All notes as a table; nothing where there are none."""
    if not report.notes:
        return []
    lanes = {lane.id: lane.name for lane in report.lanes}
    rows = [
        [
            text_of(note.start or ""),
            text_of(note.end or ""),
            text_of(_about(note, lanes)),
            text_of(note.text),
            _author(note),
            text_of(note.created),
        ]
        for note in report.notes
    ]
    return ["## Notes by people", table_of(["From", "To", "About", "Note", "Author", "Written"], rows)]


def _about(note: NotePart, lanes: dict[str, str]) -> str:
    if note.kind == "disagreement":
        return f"rejects {note.diagnosis or note.cause}"
    parts = (lanes.get(note.lane, note.lane), note.finding, note.diagnosis or note.cause)
    return ", ".join(part for part in parts if part)


def _author(note: NotePart) -> str:
    return text_of(note.author) or "somebody"
