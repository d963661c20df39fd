"""`--fail-on`: which findings and causes make a run fail, so that CI can gate on them."""

from __future__ import annotations

from dataclasses import dataclass

from backend.forensics.comparison.result import Comparison
from backend.forensics.detection.discovery import list_kinds
from backend.forensics.diagnosis.causes import list_causes
from backend.forensics.report import Report
from backend.services.comparison_words import BAD, all_changes, kind_of, name_of, severity_of
from workers.cli.usage import WrongUsage

SEVERITIES = ("info", "warning", "critical")


@dataclass(frozen=True)
class FailOn:
    """What makes a run fail. The default is nothing."""

    lowest_severity: str | None = None
    kinds: frozenset[str] = frozenset()
    causes: frozenset[str] = frozenset()


def read_fail_on(text: str) -> FailOn:
    """``warning,tuple-collision`` as conditions; any fails the run. WrongUsage names an unknown one."""
    words = [word.strip() for word in text.split(",") if word.strip()]
    kinds, causes = list_kinds(), list_causes()
    for word in words:
        if word not in SEVERITIES and word not in kinds and word not in causes:
            raise WrongUsage(
                f"--fail-on does not know “{word}”. A severity ({', '.join(SEVERITIES)}), "
                f"a finding kind ({', '.join(kinds)}) "
                f"or a cause ({', '.join(causes)}) is expected."
            )
    named_severities = [severity for severity in SEVERITIES if severity in words]
    return FailOn(
        lowest_severity=named_severities[0] if named_severities else None,
        kinds=frozenset(words).intersection(kinds),
        causes=frozenset(words).intersection(causes),
    )


def reasons_to_fail(report: Report, fail_on: FailOn) -> list[str]:
    """One sentence for each finding or cause that was asked about; empty when the run passes.

    A cause counts from “possible” on: “undecided” says that nothing was shown.
    """
    findings = [
        f"{finding.kind} ({finding.severity})"
        for finding in report.findings
        if finding.kind in fail_on.kinds or _severe_enough(finding.severity, fail_on.lowest_severity)
    ]
    causes = [
        f"{diagnosis.cause} ({diagnosis.verdict})"
        for diagnosis in report.diagnoses
        if diagnosis.cause in fail_on.causes and diagnosis.verdict != "cannot-tell"
    ]
    return findings + causes


def reasons_to_fail_compared(comparison: Comparison, fail_on: FailOn) -> list[str]:
    """The same of what is new or worse in the candidate; what both sides have fails nothing. A wait or a share that
    got worse counts as a warning."""
    changes = [
        f"{name_of(change)} ({change.state})"
        for change in all_changes(comparison)
        if change.state in BAD
        and (kind_of(change) in fail_on.kinds or _severe_enough(severity_of(change), fail_on.lowest_severity))
    ]
    causes = [
        f"{change.cause} ({change.state})"
        for change in comparison.causes
        if change.state in BAD and change.cause in fail_on.causes
    ]
    return changes + causes


def _severe_enough(severity: str, lowest: str | None) -> bool:
    return lowest is not None and SEVERITIES.index(severity) >= SEVERITIES.index(lowest)
