"""Counter deltas against what the capture shows, in numbers."""

from __future__ import annotations

from backend.forensics.evidence.kernel.counters import CounterDelta, KernelFacts
from backend.forensics.findings import line_evidence
from backend.forensics.report import EvidencePart

MARGIN_NS = 2_000_000_000
"""A dump is stamped to the second, or by a clock beside the capture's."""
_SHOWN = ("insert_failed", "drop", "early_drop")


def delta_lines(delta: CounterDelta) -> list[EvidencePart]:
    """The lines of both dumps."""
    lines = [(delta.before, n) for n in delta.before_lines] + [(delta.after, n) for n in delta.after_lines]
    return line_evidence(lines)


def brackets(kernel: KernelFacts, delta: CounterDelta, first_ns: int, last_ns: int) -> bool:
    """Whether the losses lie between the two dumps. Dumps without a time are taken at their word: they were given as
    before and after."""
    if delta.basis == "counters":
        return True
    # One text may hold a series of dumps: the lines show which.
    times = {
        (each.input, tuple(row.line for row in each.dump.counters)): each.dump.captured_at_ns
        for each in kernel.dumps
        if each.dump.kind == "conntrack-stats"
    }
    before_ns = times.get((delta.before, delta.before_lines))
    after_ns = times.get((delta.after, delta.after_lines))
    if before_ns is None or after_ns is None:
        return True
    return before_ns <= first_ns + MARGIN_NS and last_ns <= after_ns + MARGIN_NS


def account_in_numbers(delta: CounterDelta, lost: int, what: str) -> str:
    """``52 SYNs lost …, insert_failed +52, drop +52: the account closes.``"""
    rises = {name: delta.deltas[name] for name in _SHOWN if delta.deltas.get(name)}
    rises.setdefault("insert_failed", delta.deltas.get("insert_failed", 0))
    shown = ", ".join(
        f"{name} +{by:,}" for name, by in sorted(rises.items(), key=lambda r: _SHOWN.index(r[0]))
    )
    rest = rises["insert_failed"] - lost
    if rest == 0:
        closes = "all are accounted for by the counters"
    elif rest > 0:
        closes = f"{rest} more were counted than captured"
    else:
        closes = f"{-rest} of them were not counted"
    return f"{lost:,} {what}, {shown} {delta.between_dumps}: {closes}."
