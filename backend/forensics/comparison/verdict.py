"""The one word and the one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from backend.forensics.comparison.plain import ms_text
from backend.forensics.comparison.remarks import QUANTITIES
from backend.forensics.comparison.result import (
    FindingChangePart,
    Outcome,
    ShareChangePart,
    WaitChangePart,
)
from backend.forensics.report import Report
from backend.forensics.wording import percent

STATEMENT_LIMIT = 160
SHARES = {"sent_again": "SYN retransmissions", "unopened": "connections that never opened"}
Change = FindingChangePart | WaitChangePart | ShareChangePart


def decide(
    findings: Sequence[FindingChangePart],
    waits: Sequence[WaitChangePart],
    shares: Sequence[ShareChangePart],
    candidate: Report,
) -> tuple[Outcome, str]:
    """Findings of severity info decide nothing."""
    notable = [part for part in findings if part.severity != "info"]
    every: list[Change] = [*notable, *waits, *shares]
    worse = [part for part in every if part.state in ("new", "worse")]
    better = [part for part in every if part.state in ("gone", "better")]
    if worse:
        lead = "Worse" if not better else "Worse in part, better in part"
        return ("mixed" if better else "worse"), _sentence(f"{lead}: ", worse)
    if better:
        return "better", _sentence("Better: ", better)
    if any(part.state == "same" for part in [*findings, *waits, *shares]):
        return "same", "No relevant difference was found."
    unsure = [part for part in notable if part.state == "cannot-tell"]
    if unsure:
        return "cannot-tell", _sentence("Undecided whether it changed: ", unsure)
    if any(checked.status in ("clear", "harmless") for checked in candidate.checked):
        return "same", "Neither has findings, and there were too few samples to compare latencies."
    return "cannot-tell", "The two have nothing in common to compare."


def _sentence(lead: str, parts: Sequence[Change]) -> str:
    """As many of the changes as fit, the others counted."""
    for shown in range(min(len(parts), 3), 0, -1):
        described = "; ".join(_words(part) for part in parts[:shown])
        more = f"; and {len(parts) - shown:,} more" if len(parts) > shown else ""
        sentence = f"{lead}{described}{more}."
        if len(sentence) <= STATEMENT_LIMIT:
            return sentence
    return f"{lead}{len(parts):,} {'differences' if len(parts) > 1 else 'difference'}."


def _words(part: Change) -> str:
    if isinstance(part, FindingChangePart):
        return f"{part.kind} {part.state}" + (f" at {part.destination}" if part.destination else "")
    if isinstance(part, ShareChangePart):
        ratios = f"{percent(part.candidate.ratio)} against {percent(part.base.ratio)}"
        return f"{SHARES[part.quantity]} to {part.destination} {ratios}"
    name = f"{QUANTITIES[part.quantity]} of {part.destination}"
    if abs(part.candidate.median_ms - part.base.median_ms) >= 1:
        return f"{name} {ms_text(part.candidate.median_ms)} against {ms_text(part.base.median_ms)}"
    return (
        f"99th percentile of the {name} {ms_text(part.candidate.p99_ms)} against {ms_text(part.base.p99_ms)}"
    )
