"""Words that every rendering of a report uses for the same thing."""

from __future__ import annotations

from collections.abc import Sequence

from backend.forensics.report import EvidencePart, FindingPart, InputPart, Report

VERDICTS = {
    "confirmed": "Confirmed",
    "likely": "Likely",
    "possible": "Possible",
    "cannot-tell": "Cannot tell",
}
ROLES = {
    "loss": "Loss",
    "stall": "Stall",
    "burst": "Burst",
    "collision": "Collision",
    "ok": "Fine",
    "neutral": "Note",
}
STATUSES = {"ruled-out": "ruled out", "possible": "possible", "cannot-tell": "cannot tell"}
CHECKED = {"found": "found", "clear": "looked for, none found", "not-checkable": "could not be checked"}
NOTHING_FOUND = "Nothing found of what was looked for"


def plain_verdict(report: Report) -> str:
    """The one sentence where there is no diagnosis: nothing found, findings without a cause, or no input."""
    if report.findings:
        number = len(report.findings)
        return f"{number} finding{'s' if number > 1 else ''}, but no cause that the evidence supports"
    looked_for = [checked for checked in report.checked if checked.status == "clear"]
    if not looked_for:
        return "Nothing could be checked with these inputs"
    return NOTHING_FOUND


def references_of(evidence: Sequence[EvidencePart], *, shown_each: int = 4) -> list[str]:
    """``any.pcap#241 #242 and 50 more`` and ``conntrack-S.txt:1 :2``, one text for each input."""
    texts = []
    for part in evidence:
        for sign, numbers in (("#", part.frames), (":", part.lines)):
            if not numbers:
                continue
            shown = " ".join(f"{sign}{number}" for number in numbers[:shown_each])
            more = f" and {len(numbers) - shown_each:,} more" if len(numbers) > shown_each else ""
            texts.append(f"{part.input}{shown}{more}")
        if not part.frames and not part.lines:
            texts.append(part.input)
    return texts


def findings_without_cause(report: Report) -> list[FindingPart]:
    """Findings that no diagnosis explains."""
    explained = {finding for diagnosis in report.diagnoses for finding in diagnosis.findings}
    return [finding for finding in report.findings if finding.id not in explained]


def size_of(part: InputPart) -> str:
    """``13,545 packets`` or ``357 lines, 2 not understood``."""
    if part.kind == "capture":
        return _counted(part.packets, "packet")
    text = _counted(part.lines, "line")
    return f"{text}, {part.lines_not_understood:,} not understood" if part.lines_not_understood else text


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
