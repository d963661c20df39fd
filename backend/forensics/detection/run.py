"""Runs all detectors over the facts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from backend.forensics.cases.case import Case
from backend.forensics.detection.discovery import discover_detectors
from backend.forensics.evidence.facts import Facts
from backend.forensics.isolation import Isolation
from backend.forensics.report import CheckedPart, FindingPart


@dataclass(frozen=True)
class DetectionSoFar:
    """Where the detectors are, for people who wait."""

    done: int
    of: int
    running: str | None
    """The kind that is looked for now; None once all have looked."""
    findings: tuple[FindingPart, ...]
    """Of the detectors that are done, in the order in which they came."""


@dataclass(frozen=True)
class Detected:
    """What all detectors say: findings and their cases by time lost, what was checked by kind."""

    findings: list[FindingPart]
    cases: list[Case]
    checked: list[CheckedPart]


OnProgress = Callable[[DetectionSoFar], None]


def run_detectors(
    facts: Facts, on_progress: OnProgress | None = None, isolation: Isolation | None = None
) -> Detected:
    """`on_progress` is called before each detector, and at the end. Of one that breaks, `isolation` keeps the
    line."""
    isolation = isolation or Isolation()
    findings: list[FindingPart] = []
    cases: dict[str, Case] = {}
    checked: list[CheckedPart] = []
    detectors = discover_detectors()
    for done, detector in enumerate(detectors):
        if on_progress is not None:
            on_progress(DetectionSoFar(done, len(detectors), detector.kind, tuple(findings)))
        detection = isolation.run(detector.kind, partial(detector.detect, facts), None)
        if detection is not None:
            findings.extend(detection.findings)
            cases |= {case.id: case for case in detection.cases}
            checked.append(CheckedPart(kind=detector.kind, status=detection.status, why=detection.why))
    if on_progress is not None:
        on_progress(DetectionSoFar(len(detectors), len(detectors), None, tuple(findings)))
    findings.sort(key=lambda f: (-f.time_lost_s, f.kind, f.first or "", f.id))
    return Detected(findings, [cases[f.id] for f in findings], sorted(checked, key=lambda c: c.kind))
