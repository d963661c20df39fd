"""What a share link was made for, found in the report: one finding, one view, or both."""

from __future__ import annotations

from typing import Final

from backend.errors import NotFound
from backend.forensics.report import EvidencePart, FindingPart, MarkPart, Report
from backend.services.open_tables import epoch_ns, span_of
from backend.services.read_report import read_report
from backend.services.redaction.view_limits import view_of
from backend.services.scope import WHOLE, Scope, View
from backend.storage.records import Share
from backend.storage.store import Store

AROUND: Final = 0.1
"""Share of the finding's own length that is shown before and after it."""
_LEAST_AROUND_NS: Final = 1_000_000


def link_scope(store: Store, share: Share) -> Scope:
    """The part of the investigation that the link shows; raises NotFound when the last analysis does not make its
    finding any more."""
    if not share.finding_id and share.view is None:
        return WHOLE
    report = read_report(store, share.investigation_id)
    finding = _finding(report, share.finding_id) if share.finding_id else None
    about_finding = Scope() if finding is None else _of_finding(report, finding)
    if share.view is None:
        return about_finding
    begin_ns, end_ns = span_of(report)
    view = view_of(store, share.investigation_id, share.view, max(0, end_ns - begin_ns))
    return _of_view(report, view, begin_ns, about_finding)


def _finding(report: Report, finding_id: str) -> FindingPart:
    found = next((each for each in report.findings if each.id == finding_id), None)
    if found is None:
        raise NotFound("The finding that was shared is not in the last analysis.")
    return found


def _of_finding(report: Report, finding: FindingPart) -> Scope:
    diagnoses = tuple(each for each in report.diagnoses if finding.id in each.findings)
    claims = [part for each in diagnoses for claim in each.claims for part in claim.evidence]
    marks = [part for mark in finding.marks for part in mark.evidence]
    proof: tuple[EvidencePart, ...] = (*finding.evidence, *claims, *marks)
    return Scope(
        findings=frozenset({finding.id}),
        finding_id=finding.id,
        diagnoses=diagnoses,
        inputs=frozenset(part.input for part in proof),
        proof=proof,
        chart=_around(finding, span_of(report)[0]),
    )


def _around(finding: FindingPart, t0_ns: int) -> tuple[int, int]:
    times = [epoch_ns(text) - t0_ns for text in (finding.first, finding.last) if text]
    first, last = min(times, default=0), max(times, default=0)
    margin_ns = max(int((last - first) * AROUND), _LEAST_AROUND_NS)
    return max(0, first - margin_ns), last + margin_ns


def _of_view(report: Report, view: View, t0_ns: int, about: Scope) -> Scope:
    in_view = Scope(about.findings, about.finding_id, about.diagnoses, about.inputs, about.proof, view=view)
    lanes = [lane for lane in report.lanes if in_view.shows_lane(lane.id)]
    names = {each.rpartition("#")[0] for lane in lanes for each in (lane.id, *lane.parts)}
    captures = {part.name for part in report.inputs if part.packets} & names

    def is_in_view(mark: MarkPart) -> bool:
        begin = epoch_ns(mark.start) - t0_ns
        is_shown = not view.lanes or any(map(in_view.shows_lane, mark.lanes))
        return is_shown and view.touches(begin, epoch_ns(mark.end) - t0_ns if mark.end else begin)

    findings = about.findings
    if findings is None:
        findings = frozenset(each.id for each in report.findings if any(map(is_in_view, each.marks)))
    return Scope(findings, about.finding_id, about.diagnoses, about.inputs | captures, about.proof, view=view)
