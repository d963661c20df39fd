"""What the report says of each check, so that it agrees with the findings and with the diagnoses."""

from __future__ import annotations

from collections.abc import Sequence

from backend.forensics.report import CheckedPart, DiagnosisPart, FindingPart


def agree_with_findings(
    checked: Sequence[CheckedPart], findings: Sequence[FindingPart], diagnoses: Sequence[DiagnosisPart]
) -> list[CheckedPart]:
    """The checks by kind. A kind with a finding is ``found`` when one of them is notable (severity above info) or a
    diagnosis that stands rests on it, else ``harmless``; a check that broke stays ``failed``."""
    resting = {name for each in diagnoses if each.verdict != "cannot-tell" for name in each.findings}
    seen = {finding.kind for finding in findings}
    found = {f.kind for f in findings if f.severity != "info" or f.id in resting}
    return sorted((_agreeing(each, seen, found) for each in checked), key=lambda each: each.kind)


def _agreeing(check: CheckedPart, seen: set[str], found: set[str]) -> CheckedPart:
    if check.status == "failed" or check.kind not in seen:
        return check
    return check.model_copy(update={"status": "found" if check.kind in found else "harmless"})
