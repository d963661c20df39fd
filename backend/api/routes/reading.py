"""Everything that is only read: served for one's own investigations and, the same, behind a share link."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi.responses import Response

from backend.api.dependencies import FileId, NotesShown, StoreDep, Subject
from backend.api.schemas.files import File, FileList, Lines
from backend.api.schemas.reports import DiagnosisList, FindingList
from backend.forensics.report import FindingPart, Report
from backend.services import read_report as reports
from backend.services.publish_report import render_report, report_bytes
from backend.services.read_lines import read_lines
from backend.services.read_progress import list_files

router = APIRouter(tags=["results"])

LINES_AT_ONCE = 2000
ReportForm = Literal["json", "junit", "sarif", "markdown"]


@router.get("/files")
def get_files(subject: Subject, store: StoreDep) -> FileList:
    """All files."""
    return FileList(items=[File.of(file) for file in list_files(store, subject)])


@router.get("/files/{file_id:path}/lines")
def get_lines(
    subject: Subject,
    file_id: FileId,
    store: StoreDep,
    first: Annotated[int, Query(alias="from", ge=1)] = 1,
    last: Annotated[int | None, Query(alias="to", ge=1)] = None,
) -> Lines:
    """Lines of a dump as text, both ends included."""
    end = min(last if last is not None else first + LINES_AT_ONCE - 1, first + LINES_AT_ONCE - 1)
    return Lines.model_validate(read_lines(store, subject, file_id, (first, end)), from_attributes=True)


@router.get("/report", response_model=Report)
def get_report(
    subject: Subject, notes_shown: NotesShown, store: StoreDep, format: ReportForm = "json"
) -> Response:
    """The report `stallscope.report/1`, byte for byte as the analysis wrote it but for the notes of people, or as a
    text to paste, or for CI."""
    if format == "json":
        body = report_bytes(store, subject, with_notes=notes_shown)
        return Response(body, media_type="application/json")
    text, media_type = render_report(store, subject, format, with_notes=notes_shown)
    return Response(text, media_type=media_type)


@router.get("/findings")
def get_findings(subject: Subject, store: StoreDep) -> FindingList:
    """All findings."""
    return FindingList(items=reports.read_report(store, subject).findings)


@router.get("/findings/{finding_id}")
def get_finding(subject: Subject, finding_id: str, store: StoreDep) -> FindingPart:
    """One finding."""
    return reports.read_finding(store, subject, finding_id)


@router.get("/diagnoses")
def get_diagnoses(subject: Subject, store: StoreDep) -> DiagnosisList:
    """All diagnoses, the likeliest first."""
    return DiagnosisList(items=reports.read_diagnoses(store, subject))
