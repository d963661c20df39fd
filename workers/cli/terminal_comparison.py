"""A comparison as a person reads it on a terminal: the verdict first, what changed, the figures, the rules."""

from __future__ import annotations

from collections.abc import Sequence

from backend.forensics.comparison.plain import ms_text, p_text
from backend.forensics.comparison.result import Comparison, ShareChangePart, WaitChangePart
from backend.services.comparison_words import (
    BAD,
    GOOD,
    QUANTITIES,
    STATES,
    VERDICTS,
    Change,
    all_changes,
    counter_name,
    counter_text,
    limits_text,
    name_of,
    severity_of,
    side_text,
    spread_text,
)
from workers.cli.terminal_page import Page
from workers.cli.terminal_text import Paint

COUNTERS_SHOWN = 20
_STYLES = {
    "worse": ("bold", "red"),
    "mixed": ("bold", "red"),
    "better": ("bold", "green"),
    "same": ("bold", "green"),
    "cannot-tell": ("bold", "yellow"),
}


def render_terminal_comparison(comparison: Comparison, *, width: int, colour: bool) -> str:
    """The whole comparison as text, with a final line end."""
    page = Page(width, Paint(colour=colour))
    # The word stands before the sentence already.
    statement = comparison.statement.removeprefix("Worse: ").removeprefix("Better: ")
    page.headline(VERDICTS[comparison.verdict].upper(), statement, *_STYLES[comparison.verdict])
    page.labelled("candidate", side_text(comparison.candidate))
    page.labelled("base", side_text(comparison.base))
    changes = all_changes(comparison)
    _listed(page, "Worse in the candidate", [c for c in changes if c.state in BAD])
    _listed(page, "Better in the candidate", [c for c in changes if c.state in GOOD])
    _listed(page, "Undecided", [c for c in changes if c.state == "cannot-tell"])
    _causes(page, comparison)
    _figures(page, comparison)
    _limits(page, comparison)
    _counters(page, comparison)
    for heading, sentences in (
        ("Mind", comparison.cautions),
        ("Not compared", comparison.not_compared),
        ("Method of the comparison", comparison.rules),
    ):
        if sentences:
            page.heading(heading)
        for sentence in sentences:
            page.text(sentence, first="  - ")
    return "\n".join(page.lines) + "\n"


def _listed(page: Page, heading: str, changes: Sequence[Change]) -> None:
    if changes:
        page.heading(heading)
    for change in changes:
        page.text(f"{STATES[change.state]}, {severity_of(change)}: {name_of(change)}", first="  * ")
        page.text(change.because, first="    ")


def _causes(page: Page, comparison: Comparison) -> None:
    if comparison.causes:
        page.heading("Causes")
    for cause in comparison.causes:
        page.text(f"{STATES[cause.state]}: {cause.title} ({cause.because})", first="  * ")


def _figures(page: Page, comparison: Comparison) -> None:
    """Everything that was measured, also what stayed the same."""
    if comparison.waits or comparison.shares:
        page.heading("What was measured", note="candidate against base; p after correction for all tests")
    for wait in comparison.waits:
        page.text(f"{QUANTITIES[wait.quantity]}, {wait.destination}: {STATES[wait.state]}", first="  * ")
        page.text(_wait_figures(wait), first="    ")
    for share in comparison.shares:
        page.text(f"{QUANTITIES[share.quantity]}, {share.destination}: {STATES[share.state]}", first="  * ")
        page.text(_share_figures(share), first="    ")


def _limits(page: Page, comparison: Comparison) -> None:
    """What limited the connections to each destination."""
    if comparison.limits:
        page.heading("Limited by", note="share of the connections' time, candidate against base; not judged")
    for pair in comparison.limits:
        page.text(pair.destination, first="  * ")
        page.text(f"{limits_text(pair.candidate)} against {limits_text(pair.base)}", first="    ")


def _counters(page: Page, comparison: Comparison) -> None:
    """What differs most; the page and the other forms have all."""
    if comparison.counters:
        page.heading("Kernel counters", note="candidate against base; not judged")
    for part in comparison.counters[:COUNTERS_SHOWN]:
        sides = f"{counter_text(part.candidate)} against {counter_text(part.base)}"
        page.text(f"{counter_name(part)}: {sides}", first="  * ")
    if len(comparison.counters) > COUNTERS_SHOWN:
        page.text(f"… and {len(comparison.counters) - COUNTERS_SHOWN:,} more (--json)", first="    ")


def _wait_figures(wait: WaitChangePart) -> str:
    sides = (wait.candidate, wait.base)
    medians, slowest = (
        " against ".join(ms_text(getattr(side, name)) for side in sides) for name in ("median_ms", "p99_ms")
    )
    spreads = [text for text in map(spread_text, sides) if text]
    distribution = f"; smallest, quartiles, largest {' against '.join(spreads)}" if spreads else ""
    interval = f"{ms_text(wait.shift_low_ms)} to {ms_text(wait.shift_high_ms)}"
    return (
        f"median {medians}, 99th percentile {slowest}, {wait.candidate.samples:,} and {wait.base.samples:,} samples; "
        f"shift {ms_text(wait.shift_ms)} (95 %: {interval}), Cliff's delta {wait.cliffs_delta:+.2f}, "
        f"{p_text(wait.p_adjusted)}{distribution}"
    )


def _share_figures(share: ShareChangePart) -> str:
    return (
        f"{share.because}; difference {100 * share.difference_ratio:+.2f} % "
        f"(95 %: {100 * share.difference_low_ratio:+.2f} % to {100 * share.difference_high_ratio:+.2f} %)"
    )
