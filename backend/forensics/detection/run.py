"""Runs all detectors over the facts."""

from __future__ import annotations

from backend.forensics.detection.discovery import discover_detectors
from backend.forensics.evidence.facts import Facts
from backend.forensics.report import CheckedPart, FindingPart


def run_detectors(facts: Facts) -> tuple[list[FindingPart], list[CheckedPart]]:
    """(findings by time lost, what was checked by kind)."""
    findings: list[FindingPart] = []
    checked: list[CheckedPart] = []
    for detector in discover_detectors():
        detection = detector.detect(facts)
        findings.extend(detection.findings)
        checked.append(CheckedPart(kind=detector.kind, status=detection.status, why=detection.why))
    findings.sort(key=lambda f: (-f.time_lost_s, f.kind, f.first or "", f.id))
    return findings, sorted(checked, key=lambda c: c.kind)
