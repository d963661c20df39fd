"""The time that an investigation's connections, lookups and requests lost, each counted once."""

from __future__ import annotations

from collections.abc import Sequence

from backend.forensics.report import DiagnosisPart, FindingPart


def total_lost_s(diagnoses: Sequence[DiagnosisPart], findings: Sequence[FindingPart]) -> float:
    """Seconds: the sum over the diagnoses, and over the findings on which none of these rests. A diagnosis that is
    undecided about findings that an earlier one explains adds nothing."""
    total = 0.0
    explained: set[str] = set()
    for each in diagnoses:
        if each.verdict != "cannot-tell" or explained.isdisjoint(each.findings):
            total += each.time_lost_s
        explained.update(each.findings)
    return round(total + sum(f.time_lost_s for f in findings if f.id not in explained), 6)
