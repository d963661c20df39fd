"""The report as it is handed out: with what people noted beside it, where the reader may see that."""

from __future__ import annotations

from backend.forensics.findings import rfc3339
from backend.forensics.report import Report
from backend.forensics.report_notes import NotePart
from backend.services.open_tables import span_of
from backend.services.read_report import ReportForm, read_report, render_form, report_path
from backend.services.scope import Scope
from backend.services.write_notes import list_notes
from backend.storage.records import Note
from backend.storage.store import Store


def report_bytes(store: Store, investigation_id: str, *, with_notes: bool) -> bytes:
    """The JSON text of the report: byte for byte what the analysis wrote, unless notes are added; raises NotFound."""
    path = report_path(store, investigation_id)
    written = list_notes(store, investigation_id) if with_notes else []
    if not written:
        return path.read_bytes()
    report = noted(read_report(store, investigation_id), written)
    return report.model_dump_json(by_alias=True).encode()


def report_part(store: Store, investigation_id: str, scope: Scope, *, with_notes: bool) -> Report:
    """The report of what that scope shows; raises NotFound."""
    written = list_notes(store, investigation_id) if with_notes else []
    return scope.part_of(noted(read_report(store, investigation_id), written))


def render_report(
    store: Store, investigation_id: str, form: ReportForm, *, with_notes: bool, page: str = ""
) -> tuple[str, str]:
    """(the report in that form, its media type); raises NotFound."""
    report = read_report(store, investigation_id)
    written = list_notes(store, investigation_id) if with_notes else []
    return render_form(noted(report, written) if written else report, form, page=page)


def noted(report: Report, written: list[Note]) -> Report:
    """With these notes; their times, which count from the first packet, as times of the day."""
    begin_ns, _ = span_of(report)
    return report.model_copy(update={"notes": [_part(note, begin_ns) for note in written]})


def _part(note: Note, begin_ns: int) -> NotePart:
    return NotePart(
        kind="disagreement" if note.kind == "disagreement" else "note",
        text=note.text,
        author=note.author,
        created=note.created,
        start=None if note.from_ns is None else rfc3339(begin_ns + note.from_ns),
        end=None if note.to_ns is None else rfc3339(begin_ns + note.to_ns),
        lane=note.lane,
        finding=note.finding_id,
        cause=note.cause,
        diagnosis=note.diagnosis_id,
    )
