"""The report as pages load it: everything that is said at once, in at most 250 kB, and how much more there is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from backend.errors import NotFound, PartFailed
from backend.forensics.cause_groups import CauseGroupPart, group_causes
from backend.forensics.isolation import REPORT
from backend.forensics.report import (
    DiagnosisPart,
    EvidencePart,
    FindingPart,
    MarkPart,
    Report,
    Role,
)
from backend.services.read_report import parsed_report, read_finding, read_report, report_path
from backend.services.scope import WHOLE, Scope
from backend.storage.store import Store

MOST_BYTES: Final = 250_000
OUTLINE: Final = "outline.json"
OUTLINE_PART: Final = f"{REPORT}outline"


class FindingOutline(FindingPart):
    """A finding without its marks and the rows of its tables; of its evidence perhaps the first part only."""

    role: Role
    """The kind of trouble that most of its marks show."""
    instances: int
    """Highest number of an instance that marks belong to, 0 without marks."""
    marks_total: int
    frames_total: int
    """Different frames that its evidence names, those left out here among them."""


class ReportOutline(Report):
    """A report in which every list is as long as the whole may be."""

    findings: list[FindingOutline]  # type: ignore[assignment]  # read only, and each of them is one of the report
    findings_total: int
    diagnoses_total: int
    inputs_total: int
    groups: list[CauseGroupPart]
    """Causes at several destinations; the first diagnosis of each is among `diagnoses`."""


@dataclass(frozen=True)
class _Cut:
    """How much is kept: of each list at most so many; of every piece of evidence so many frames and lines."""

    findings: int
    diagnoses: int
    frames: int
    claims: int
    records: int
    inputs: int


# A filter of Wireshark is offered for up to 100 frames: with one more it is known that there are too many.
_CUTS: Final = (
    _Cut(findings=2_000, diagnoses=500, frames=101, claims=2_000, records=100, inputs=1_000),
    _Cut(findings=500, diagnoses=100, frames=24, claims=300, records=0, inputs=500),
    _Cut(findings=200, diagnoses=50, frames=12, claims=60, records=0, inputs=200),
    _Cut(findings=100, diagnoses=30, frames=6, claims=20, records=0, inputs=100),
    _Cut(findings=50, diagnoses=15, frames=4, claims=8, records=0, inputs=50),
)
_LISTED: Final = _CUTS[2]
_ALONE: Final = _Cut(findings=1, diagnoses=0, frames=1_000, claims=0, records=100, inputs=0)
_NOT_USED_SHOWN: Final = 100
_ROWS_OF_GROUP: Final = 200


def outline_report(store: Store, investigation_id: str, finding_id: str | None = None) -> bytes:
    """The JSON text of the outline, of one finding alone if it is named; raises NotFound without a report, and
    PartFailed where the worker could not make it."""
    path = report_path(store, investigation_id)
    modified_ns = path.stat().st_mtime_ns
    written = path.with_name(OUTLINE) if finding_id is None else None
    if written is not None and written.is_file() and written.stat().st_mtime_ns >= modified_ns:
        return written.read_bytes()
    if written is not None:
        _refuse_failed(parsed_report(path, modified_ns))
    return _outlined(path, modified_ns, finding_id)


def outline_part(store: Store, investigation_id: str, finding_id: str | None, scope: Scope) -> ReportOutline:
    """The outline of what that scope shows, of one finding alone if it is named; raises as `outline_report` does."""
    if scope.is_whole:
        return ReportOutline.model_validate_json(outline_report(store, investigation_id, finding_id))
    _refuse_failed(read_report(store, investigation_id))
    report = read_report(store, investigation_id, scope)
    return _fitting_outline(report, finding_id or scope.finding_id)[0]


def _refuse_failed(report: Report) -> None:
    """What raised, ran for ever or took all memory in a child with limits is not tried again in the server."""
    failed = next((c for c in report.checked if c.kind == OUTLINE_PART and c.status == "failed"), None)
    if failed is not None:
        raise PartFailed(
            f"The short form of the report that pages show could not be made: {failed.why} "
            "The API still answers with the whole report."
        )


def write_outline(report: Report, folder: Path) -> None:
    """Beside the report, after it: who looks first does not wait until megabytes are parsed."""
    (folder / OUTLINE).write_bytes(_outline_text(report, None))


def outline_finding(
    store: Store, investigation_id: str, finding_id: str, scope: Scope = WHOLE
) -> FindingOutline:
    """One finding with all its evidence; raises NotFound."""
    return _finding(read_finding(store, investigation_id, finding_id, scope), _ALONE, heads=True)


def list_findings(
    store: Store,
    investigation_id: str,
    *,
    offset: int,
    limit: int,
    finding_id: str | None = None,
    scope: Scope = WHOLE,
) -> tuple[list[FindingOutline], int]:
    """(the findings from that place on, how many there are in all); raises NotFound without a report."""
    found = _named(read_report(store, investigation_id, scope).findings, finding_id)
    return [_finding(each, _LISTED) for each in found[offset : offset + limit]], len(found)


def list_rows(
    store: Store,
    investigation_id: str,
    finding_id: str,
    part: str,
    *,
    offset: int,
    limit: int,
    scope: Scope = WHOLE,
) -> tuple[list[Any], int]:
    """(rows of a part of a finding, how many the report holds): who was affected, events, instances, or the table
    of that number; raises NotFound."""
    finding = read_finding(store, investigation_id, finding_id, scope)
    rows: Sequence[Any]
    if part == "affected":
        rows = finding.affected
    elif part == "events":
        rows = finding.events
    elif part == "instances":
        rows = _instances(finding.marks)
    elif int(part) < len(finding.tables):
        rows = finding.tables[int(part)].rows
    else:
        raise NotFound("The finding has no such table.")
    return list(rows[offset : offset + limit]), len(rows)


@lru_cache(maxsize=32)
def _outlined(path: Path, modified_ns: int, finding_id: str | None) -> bytes:
    return _outline_text(parsed_report(path, modified_ns), finding_id)


def _outline_text(report: Report, finding_id: str | None) -> bytes:
    return _fitting_outline(report, finding_id)[1]


def _fitting_outline(report: Report, finding_id: str | None) -> tuple[ReportOutline, bytes]:
    """(the outline with the longest lists that fit, its JSON text)."""
    for cut in _CUTS:
        outline = _outline(report, cut, finding_id)
        body = outline.model_dump_json(by_alias=True).encode()
        if len(body) <= MOST_BYTES:
            break
    return outline, body


def _outline(report: Report, cut: _Cut, finding_id: str | None) -> ReportOutline:
    findings = _named(report.findings, finding_id)
    diagnoses = [each for each in report.diagnoses if finding_id is None or finding_id in each.findings]
    groups = group_causes(diagnoses, report.destinations_total)
    requests, account = report.requests, report.account
    kept = {
        "findings": [_finding(each, cut, heads=cut.records > 0) for each in findings[: cut.findings]],
        "findings_total": len(findings),
        "diagnoses": [_diagnosis(each, cut) for each in _kept(diagnoses, groups, cut.diagnoses)],
        "diagnoses_total": len(diagnoses),
        "groups": [each.model_copy(update={"rows": each.rows[:_ROWS_OF_GROUP]}) for each in groups],
        "inputs": report.inputs[: cut.inputs],
        "inputs_total": len(report.inputs),
        "not_used": report.not_used[:_NOT_USED_SHOWN],
        "requests": requests and requests.model_copy(update={"shapes": requests.shapes[:1]}),
        "account": account
        and account.model_copy(update={"unexplained_evidence": _evidence(account.unexplained_evidence, cut)}),
        "quality": [
            each.model_copy(update={"evidence": _evidence(each.evidence, cut)}) for each in report.quality
        ],
        "destinations": [],
        "names": [],
    }
    return ReportOutline.model_construct(**{**_fields(report), **kept})


def _kept(
    diagnoses: Sequence[DiagnosisPart], groups: Sequence[CauseGroupPart], most: int
) -> list[DiagnosisPart]:
    """In their order: those that stand for themselves or for a group before the others of a group."""
    others = {name for group in groups for name in group.diagnoses[1:]}
    alone = [each.id for each in diagnoses if each.id not in others]
    wanted = set([*alone, *(each.id for each in diagnoses if each.id in others)][:most])
    return [each for each in diagnoses if each.id in wanted]


def _named(findings: list[FindingPart], finding_id: str | None) -> list[FindingPart]:
    return [each for each in findings if finding_id is None or each.id == finding_id]


def _finding(finding: FindingPart, cut: _Cut, *, heads: bool = False) -> FindingOutline:
    # A part of the events would give a filter for a part of the connections.
    whole = max(len(finding.events), len(finding.affected)) <= cut.records
    kept = {
        "evidence": _evidence(finding.evidence, cut),
        "affected": finding.affected if whole else [],
        "events": finding.events if whole else [],
        "marks": [],
        "tables": [each.model_copy(update={"rows": []}) for each in finding.tables] if heads else [],
        "role": _role(finding.marks),
        "instances": max((mark.instance or 0 for mark in finding.marks), default=0),
        "marks_total": len(finding.marks),
        "frames_total": len({(part.input, frame) for part in finding.evidence for frame in part.frames}),
    }
    return FindingOutline.model_construct(**{**_fields(finding), **kept})


def _fields(part: Report | FindingPart) -> dict[str, Any]:
    return {name: getattr(part, name) for name in type(part).model_fields}


def _diagnosis(diagnosis: DiagnosisPart, cut: _Cut) -> DiagnosisPart:
    claims = [
        claim.model_copy(update={"evidence": _evidence(claim.evidence, cut)})
        for claim in diagnosis.claims[: cut.claims]
    ]
    return diagnosis.model_copy(update={"claims": claims, "findings": diagnosis.findings[: cut.findings]})


def _evidence(evidence: list[EvidencePart], cut: _Cut) -> list[EvidencePart]:
    return [
        part
        if max(len(part.frames), len(part.lines)) <= cut.frames
        else part.model_copy(update={"frames": part.frames[: cut.frames], "lines": part.lines[: cut.frames]})
        for part in evidence[: cut.frames]
    ]


def _role(marks: Sequence[MarkPart]) -> Role:
    counts = Counter(mark.role for mark in marks if mark.role not in ("neutral", "ok"))
    return counts.most_common(1)[0][0] if counts else "neutral"


def _instances(marks: Sequence[MarkPart]) -> list[dict[str, Any]]:
    """From and to of each, by number from 1 on, and how many different frames prove it; without marks no times."""
    last = max((mark.instance or 0 for mark in marks), default=0)
    found: list[list[MarkPart]] = [[] for _ in range(last + 1)]
    for mark in marks:
        found[mark.instance or 0].append(mark)
    rows = []
    for number, own in enumerate(found[1:], start=1):
        times = [time for mark in own if mark.glyph != "guide" for time in (mark.start, mark.end) if time]
        frames = {(part.input, n) for mark in own for part in mark.evidence for n in part.frames}
        begin, end = (min(times), max(times)) if times else (None, None)
        rows.append({"instance": number, "start": begin, "end": end, "frames": len(frames)})
    return rows
