"""A comparison as CommonMark, for tickets and merge requests."""

from __future__ import annotations

from collections.abc import Sequence

from backend.forensics.comparison.plain import ms_text, p_text
from backend.forensics.comparison.result import (
    Comparison,
    CounterPairPart,
    LimitsPairPart,
    ShareChangePart,
    WaitChangePart,
)
from backend.services.comparison_words import (
    COUNTERS_NOTE,
    LIMITS_NOTE,
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
from backend.services.markdown_text import table_of, text_of


def render_comparison(comparison: Comparison) -> str:
    """The whole comparison; texts from files are escaped."""
    blocks = [
        f"# {VERDICTS[comparison.verdict]}: {text_of(comparison.candidate.label)} against "
        f"{text_of(comparison.base.label)}",
        f"**{text_of(comparison.statement)}**",
        f"Candidate: {text_of(side_text(comparison.candidate))}\n\nBase: {text_of(side_text(comparison.base))}",
    ]
    blocks += _changes(all_changes(comparison))
    blocks += _causes(comparison)
    blocks += _waits(comparison.waits)
    blocks += _distributions(comparison.waits)
    blocks += _shares(comparison.shares)
    blocks += _limits(comparison.limits)
    blocks += _counters(comparison.counters)
    for heading, sentences in (
        ("Mind", comparison.cautions),
        ("Not compared", comparison.not_compared),
        ("Method of the comparison", comparison.rules),
    ):
        if sentences:
            blocks += [f"## {heading}", "\n".join(f"- {text_of(sentence)}" for sentence in sentences)]
    blocks.append(f"Stallscope {text_of(comparison.tool.version)}, {text_of(comparison.created)}.")
    return "\n\n".join(blocks) + "\n"


def _changes(changes: Sequence[Change]) -> list[str]:
    changed = [change for change in changes if change.state != "same"]
    if not changed:
        return []
    rows = [[STATES[c.state], severity_of(c), text_of(name_of(c)), text_of(c.because)] for c in changed]
    return ["## What changed", table_of(["State", "Severity", "What", "Why"], rows)]


def _causes(comparison: Comparison) -> list[str]:
    if not comparison.causes:
        return []
    rows = [[STATES[c.state], text_of(c.title), text_of(c.because)] for c in comparison.causes]
    return ["## Causes", table_of(["State", "Cause", "Verdicts"], rows)]


def _waits(waits: Sequence[WaitChangePart]) -> list[str]:
    if not waits:
        return []
    rows = [
        [
            STATES[w.state],
            text_of(name_of(w)),
            f"{ms_text(w.base.median_ms)} / {ms_text(w.base.p99_ms)} ({w.base.samples:,})",
            f"{ms_text(w.candidate.median_ms)} / {ms_text(w.candidate.p99_ms)} ({w.candidate.samples:,})",
            f"{ms_text(w.shift_ms)} ({ms_text(w.shift_low_ms)} to {ms_text(w.shift_high_ms)})",
            f"{w.cliffs_delta:+.2f}",
            p_text(w.p_adjusted),
        ]
        for w in waits
    ]
    header = [
        "State",
        "What",
        "Base: median / p99 (samples)",
        "Candidate",
        "Shift (95 %)",
        "Cliff's delta",
        "",
    ]
    return ["## Waits", table_of(header, rows)]


def _distributions(waits: Sequence[WaitChangePart]) -> list[str]:
    drawn = [wait for wait in waits if wait.base.quantiles_ms and wait.candidate.quantiles_ms]
    if not drawn:
        return []
    rows = [
        [text_of(name_of(wait)), name, *spread_text(side).split(", ")]
        for wait in drawn
        for name, side in (("base", wait.base), ("candidate", wait.candidate))
    ]
    header = ["What", "Side", "Smallest", "25 %", "Median", "75 %", "Largest"]
    return ["## Distributions", table_of(header, rows)]


def _limits(pairs: Sequence[LimitsPairPart]) -> list[str]:
    if not pairs:
        return []
    rows = [[text_of(p.destination), limits_text(p.base), limits_text(p.candidate)] for p in pairs]
    return ["## Limited by", LIMITS_NOTE, table_of(["Destination", "Base", "Candidate"], rows)]


def _counters(counters: Sequence[CounterPairPart]) -> list[str]:
    if not counters:
        return []
    rows = [[text_of(counter_name(c)), counter_text(c.base), counter_text(c.candidate)] for c in counters]
    return [
        "## Kernel counters",
        f"{COUNTERS_NOTE} ({len(counters):,} that rose.)",
        table_of(["Counter", "Base", "Candidate"], rows),
    ]


def _difference(share: ShareChangePart) -> str:
    """In percentage points, with its interval."""
    low, high = 100 * share.difference_low_ratio, 100 * share.difference_high_ratio
    return f"{100 * share.difference_ratio:+.2f} % ({low:+.2f} % to {high:+.2f} %)"


def _shares(shares: Sequence[ShareChangePart]) -> list[str]:
    if not shares:
        return []
    rows = [
        [
            STATES[s.state],
            text_of(name_of(s)),
            f"{s.base.count:,} of {s.base.out_of:,}",
            f"{s.candidate.count:,} of {s.candidate.out_of:,}",
            _difference(s),
            p_text(s.p_adjusted),
        ]
        for s in shares
    ]
    header = ["State", "What", "Base", "Candidate", "Difference (95 %)", ""]
    return ["## Shares of attempts", table_of(header, rows)]
