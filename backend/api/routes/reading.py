"""Everything that is only read: served for one's own investigations and, the same, behind a share link."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from backend.api.dependencies import FileId, LinkDep, NotesShown, ScopeDep, StoreDep, Subject
from backend.api.description import REPORT_FORMS
from backend.api.schemas.files import File, FileList
from backend.api.schemas.reports import DiagnosisList, FindingList, FindingOutlineList, FindingRows, NameList
from backend.forensics.report import FindingPart, Report
from backend.services import read_report as reports
from backend.services.outline_report import (
    FindingOutline,
    ReportOutline,
    list_findings,
    list_rows,
    outline_finding,
    outline_part,
    outline_report,
)
from backend.services.publish_report import render_report, report_bytes, report_part
from backend.services.read_lines import Lines, read_lines
from backend.services.read_progress import list_files
from backend.services.redaction.declared import Asked, shareable

router = APIRouter(tags=["results"])

LINES_AT_ONCE = 2000
ReportForm = Literal["json", "junit", "sarif", "markdown"]
RowsOf = Annotated[
    str,
    Asked.PLAIN,
    Query(pattern=r"^(affected|events|instances|\d{1,3})$", description="Or the number of a table, from 0"),
]
FirstRow = Annotated[int, Query(ge=0, le=2**53)]


@router.get("/files")
@shareable(finding=True, view="open")
def get_files(subject: Subject, store: StoreDep, scope: ScopeDep) -> FileList:
    """All files."""
    return FileList(items=[File.of(file) for file in list_files(store, subject, scope)])


@router.get("/files/{file_id:path}/lines")
@shareable(finding=True, view="open")
def get_lines(
    subject: Subject,
    file_id: FileId,
    store: StoreDep,
    scope: ScopeDep,
    first: Annotated[int, Query(alias="from", ge=1)] = 1,
    last: Annotated[int | None, Query(alias="to", ge=1)] = None,
) -> Lines:
    """Lines of a dump as text, both ends included."""
    end = min(last if last is not None else first + LINES_AT_ONCE - 1, first + LINES_AT_ONCE - 1)
    return read_lines(store, subject, file_id, (first, end), scope)


@router.get("/report", response_model=Report, responses=REPORT_FORMS)
@shareable(finding=True, view="open")
def get_report(
    subject: Subject,
    notes_shown: NotesShown,
    store: StoreDep,
    link: LinkDep,
    request: Request,
    format: ReportForm = "json",
) -> Response | Report:
    """The report `stallscope.report/1`, byte for byte as the analysis wrote it except for analyst notes, or
    as Markdown, JUnit or SARIF."""
    if link is not None:
        return report_part(store, subject, link.scope, with_notes=notes_shown)
    if format == "json":
        body = report_bytes(store, subject, with_notes=notes_shown)
        return Response(body, media_type="application/json")
    text, media_type = render_report(store, subject, format, with_notes=notes_shown, page=_page(request))
    return Response(text, media_type=media_type)


def _page(request: Request) -> str:
    """Where people look at this investigation; "" behind a share link, which opens nothing without its secret."""
    own = request.path_params.get("investigation_id")
    origin = getattr(request.state, "origin", "")
    return f"{origin}/i/{own}" if own and origin else ""


@router.get("/report/outline", response_model=ReportOutline)
@shareable(finding=True, view="open")
def get_outline(
    subject: Subject,
    store: StoreDep,
    link: LinkDep,
    finding: Annotated[
        str | None, Asked.PLAIN, Query(max_length=64, description="Of this finding alone")
    ] = None,
) -> Response | ReportOutline:
    """The report without marks and rows, at most 250 kB: what pages load first."""
    if link is not None:
        return outline_part(store, subject, finding, link.scope)
    return Response(outline_report(store, subject, finding), media_type="application/json")


@router.get("/report/findings")
@shareable(finding=True, view="open")
def get_finding_outlines(
    subject: Subject,
    store: StoreDep,
    scope: ScopeDep,
    finding: Annotated[str | None, Asked.PLAIN, Query(max_length=64, description="This one alone")] = None,
    offset: FirstRow = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 100,
) -> FindingOutlineList:
    """Findings without marks and rows, page by page."""
    items, total = list_findings(store, subject, offset=offset, limit=limit, finding_id=finding, scope=scope)
    return FindingOutlineList(items=items, total=total)


@router.get("/report/findings/{finding_id}")
@shareable(finding=True, view="open")
def get_finding_outline(
    subject: Subject, finding_id: str, store: StoreDep, scope: ScopeDep
) -> FindingOutline:
    """One finding without marks and rows."""
    return outline_finding(store, subject, finding_id, scope)


@router.get("/report/findings/{finding_id}/rows")
@shareable(finding=True, view="open")
def get_finding_rows(
    subject: Subject,
    finding_id: str,
    store: StoreDep,
    scope: ScopeDep,
    part: RowsOf,
    offset: FirstRow = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 200,
) -> FindingRows:
    """Rows of one of its lists or tables, as many as the report holds."""
    items, total = list_rows(store, subject, finding_id, part, offset=offset, limit=limit, scope=scope)
    return FindingRows(items=items, total=total)


@router.get("/findings")
@shareable(finding=True, view="open")
def get_findings(subject: Subject, store: StoreDep, scope: ScopeDep) -> FindingList:
    """All findings."""
    return FindingList(items=reports.read_report(store, subject, scope).findings)


@router.get("/findings/{finding_id}")
@shareable(finding=True, view="open")
def get_finding(subject: Subject, finding_id: str, store: StoreDep, scope: ScopeDep) -> FindingPart:
    """One finding."""
    return reports.read_finding(store, subject, finding_id, scope)


@router.get("/diagnoses")
@shareable(finding=True, view="open")
def get_diagnoses(subject: Subject, store: StoreDep, scope: ScopeDep) -> DiagnosisList:
    """All diagnoses, the most likely first."""
    return DiagnosisList(items=reports.read_report(store, subject, scope).diagnoses)


@router.get("/names")
def get_names(subject: Subject, store: StoreDep) -> NameList:
    """Which pod, service, node or host had an address, and when. A link that hides addresses has none."""
    report = reports.read_report(store, subject)
    return NameList(items=report.names, total=report.names_total)
