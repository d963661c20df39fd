"""The report of an investigation, as the worker wrote it."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

from backend.errors import NotFound
from backend.forensics.lost_time import total_lost_s
from backend.forensics.report import FindingPart, Report
from backend.services.render_junit import render_report_junit
from backend.services.render_markdown import render_markdown
from backend.services.render_sarif import render_report_sarif
from backend.services.request_analysis import read_investigation
from backend.services.scope import WHOLE, Scope
from backend.storage.records import Investigation
from backend.storage.store import Store

ReportForm = Literal["junit", "sarif", "markdown"]
NOT_YET = {
    None: "This investigation has no file yet, so there is no report.",
    "queued": "The analysis is queued; the report comes when it is finished.",
    "running": "The analysis is running; the report comes when it is finished.",
    "failed": "The analysis failed, so there is no report.",
    "cancelled": "The analysis was cancelled, so there is no report.",
}


def render_form(report: Report, form: ReportForm, *, page: str = "") -> tuple[str, str]:
    """(this report in that form, its media type); Markdown links its evidence to `page` where one is given."""
    if form == "junit":
        return render_report_junit(report), "application/xml; charset=utf-8"
    if form == "sarif":
        return render_report_sarif(report), "application/sarif+json"
    return render_markdown(report, page=page), "text/markdown; charset=utf-8"


def read_report(store: Store, investigation_id: str, scope: Scope = WHOLE) -> Report:
    """The report of what that scope shows; raises NotFound when there is none yet."""
    path = report_path(store, investigation_id)
    return scope.part_of(parsed_report(path, path.stat().st_mtime_ns))


def read_finding(store: Store, investigation_id: str, finding_id: str, scope: Scope = WHOLE) -> FindingPart:
    """One finding; raises NotFound."""
    for finding in read_report(store, investigation_id, scope).findings:
        if finding.id == finding_id:
            return finding
    raise NotFound("The report has no such finding.")


def report_path(store: Store, investigation_id: str) -> Path:
    """Where the report is; raises NotFound with the reason when it is not there."""
    investigation = read_investigation(store, investigation_id)
    path = store.analysis_folder(investigation_id) / "report.json"
    if not path.is_file():
        raise NotFound(NOT_YET.get(investigation.analysis, "There is no report."))
    return path


def investigation_part(store: Store, investigation_id: str, scope: Scope) -> Investigation:
    """The investigation with what the scope shows of its last analysis, and no count of its links; raises NotFound."""
    investigation = replace(read_investigation(store, investigation_id), share_count=0)
    if scope.is_whole:
        return investigation
    report = read_report(store, investigation_id, scope)
    keys = ("cause", "title", "verdict", "statement", "role")
    summary = {
        "verdict": next(({key: getattr(each, key) for key in keys} for each in report.diagnoses), None),
        "time_lost_s": total_lost_s(report.diagnoses, report.findings),
        "kinds": sorted({each.kind for each in report.findings}),
    }
    packets = sum(part.packets for part in report.inputs)
    return replace(investigation, summary=summary, files_total=len(report.inputs), packets_total=packets)


@lru_cache(maxsize=16)
def parsed_report(path: Path, modified_ns: int) -> Report:
    """The report in a file; kept until the file changes."""
    del modified_ns  # part of the key: a new analysis writes a new file
    return Report.model_validate_json(path.read_bytes())
