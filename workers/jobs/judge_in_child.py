"""The child's part of an analysis: join, detect, diagnose, and write the report."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from backend.forensics.cause_groups import Headline, headline_of
from backend.forensics.detection.run import DetectionSoFar
from backend.forensics.isolation import BrokenPart, Isolation
from backend.forensics.lost_time import total_lost_s
from backend.forensics.part_budget import Budget
from backend.forensics.report import FindingPart, Report, Role
from backend.services.outline_report import OUTLINE_PART, write_outline
from backend.storage.records import MOST_SHOWN
from workers.decode.left_out import LeftOut
from workers.ingested import load_ingested
from workers.jobs.name_of_report import name_of
from workers.pipeline import analyse, keep_report, with_failed
from workers.running_part import RunningPart
from workers.sandbox import Notify, child_work

JOIN, DETECT, DIAGNOSE = 4, 5, 6
HOSTS_LISTED = 20


@dataclass(frozen=True)
class DecodedFile:
    """Where the tables of a file are, and the bundle it came in."""

    folder: Path
    bundle: str | None = None


@dataclass(frozen=True)
class FoundInShort:
    """A finding, as `found_so_far` of an investigation holds it."""

    id: str
    kind: str
    severity: str
    title: str
    role: str
    count: int
    time_lost_s: float


@dataclass(frozen=True)
class Verdict:
    """The first diagnosis, as the list of investigations shows it."""

    cause: str
    title: str
    verdict: str
    statement: str
    role: str


@dataclass(frozen=True)
class Summary:
    """What the list of investigations shows."""

    verdict: Verdict | None
    time_lost_s: float
    findings: int
    kinds: tuple[str, ...]
    hosts: tuple[str, ...]
    name: str = ""
    """What to call an investigation that nobody named; empty for want of a destination."""


@dataclass(frozen=True)
class StageReached:
    """What the child reports."""

    stage_number: int
    message: str
    findings: int = 0
    found: tuple[FoundInShort, ...] = ()
    """The first of the findings in short, as `found_so_far` of an investigation holds them."""


@dataclass(frozen=True)
class Terms:
    """What each part of the analysis may take, and which parts are not run and why."""

    part_cpu_s: float
    part_memory_bytes: int
    without: dict[str, str]


@dataclass(frozen=True)
class Judged:
    """What the child answers; the report is in its folder."""

    summary: Summary
    broken: tuple[BrokenPart, ...]


@child_work(news=StageReached)
def judge_in_child(
    files: list[DecodedFile],
    left_out: LeftOut,
    label: str,
    created: str,
    tool_version: str,
    folder: Path,
    terms: Terms,
    notify: Notify,
) -> Judged:
    """The child's part: everything that it writes is in `folder`, which holds nothing before."""
    running = RunningPart(folder)
    budget = Budget(terms.part_cpu_s, terms.part_memory_bytes, ends_process=True)
    isolation = Isolation(budget, terms.without, running.note)
    notify(StageReached(JOIN, f"Joining {len(files)} files."))
    ingested = [load_ingested(file.folder).came_in(file.bundle or "", bundle=file.bundle) for file in files]
    notify(StageReached(DETECT, "Looking for what went wrong."))
    report = analyse(
        ingested,
        left_out=left_out,
        label=label,
        created=created,
        tool_version=tool_version,
        folder=folder,
        on_progress=lambda so_far: notify(stage_of(so_far)),
        isolation=isolation,
    )
    notify(StageReached(DIAGNOSE, "Writing the report.", len(report.findings)))
    # The report stands by then; it is written again where its outline cannot be made, with a line that says so.
    said = len(isolation.failed)
    isolation.run(OUTLINE_PART, lambda: write_outline(report, folder), None)
    running.end()
    if isolation.failed[said:]:
        report = with_failed(report, isolation.failed[said:])
        keep_report(report, folder)
    return Judged(summary_of(report), tuple(isolation.broken))


def stage_of(so_far: DetectionSoFar) -> StageReached:
    """What is reported of the detectors."""
    found = tuple(_in_short(finding) for finding in so_far.findings[:MOST_SHOWN])
    if so_far.running is None:
        return StageReached(DIAGNOSE, "Looking for the cause.", len(so_far.findings), found)
    message = f"Detector {so_far.done + 1} of {so_far.of}: {so_far.running}."
    return StageReached(DETECT, message, len(so_far.findings), found)


def _in_short(finding: FindingPart) -> FoundInShort:
    return FoundInShort(
        finding.id,
        finding.kind,
        finding.severity,
        finding.title,
        _role_of(finding),
        finding.count,
        finding.time_lost_s,
    )


def _role_of(finding: FindingPart) -> Role:
    """The kind of trouble that most of its marks show."""
    roles = Counter(mark.role for mark in finding.marks if mark.role not in ("neutral", "ok"))
    return roles.most_common(1)[0][0] if roles else "neutral"


def _verdict(first: Headline) -> Verdict:
    diagnosis = first.diagnosis
    return Verdict(diagnosis.cause, diagnosis.title, diagnosis.verdict, first.statement, diagnosis.role)


def summary_of(report: Report) -> Summary:
    """What the list of investigations shows."""
    first = headline_of(report.diagnoses, report.destinations_total)
    verdict = _verdict(first) if first else None
    return Summary(
        verdict=verdict,
        time_lost_s=total_lost_s(report.diagnoses, report.findings),
        findings=len(report.findings),
        kinds=tuple(sorted({finding.kind for finding in report.findings})),
        hosts=tuple(sorted({part.host for part in report.inputs if part.host})[:HOSTS_LISTED]),
        name=name_of(report),
    )
