"""Words that every rendering of a comparison uses for the same thing."""

from __future__ import annotations

from backend.forensics.comparison.plain import ms_text
from backend.forensics.comparison.result import (
    CauseChangePart,
    Comparison,
    CounterPairPart,
    CounterSidePart,
    FindingChangePart,
    ShareChangePart,
    SidePart,
    WaitChangePart,
    WaitSidePart,
)
from backend.forensics.report_limits import LimitsPart
from backend.forensics.wording import percent

Change = FindingChangePart | WaitChangePart | ShareChangePart

VERDICTS = {
    "worse": "Worse",
    "better": "Better",
    "mixed": "Worse in part",
    "same": "Same",
    "cannot-tell": "Undecided",
}
STATES = {
    "new": "new",
    "worse": "worse",
    "cannot-tell": "undecided",
    "gone": "gone",
    "better": "better",
    "same": "same",
}
"""In the order in which they are shown."""
QUANTITIES = {
    "connect_time": "Time to connect",
    "rtt": "Round-trip time (handshake)",
    "service_time": "Service time (HTTP request to response)",
    "sent_again": "SYN retransmissions",
    "unopened": "Connections that never opened",
}
LIMITS = {
    "application_ratio": "application",
    "receiver_window_ratio": "receiver window",
    "network_ratio": "network",
    "handshake_ratio": "handshake",
}
LIMITS_NOTE = (
    "Share of the time of all connections that transferred data; a longer idle time changes every share."
)
COUNTERS_NOTE = "They cover the whole host and do not affect the verdict."
BAD = ("new", "worse")
GOOD = ("gone", "better")


def all_changes(comparison: Comparison) -> list[Change]:
    """Everything that was judged: what got worse first, then what cannot be determined, better, same."""
    changes: list[Change] = [*comparison.findings, *comparison.waits, *comparison.shares]
    order = list(STATES)
    return sorted(changes, key=lambda part: order.index(part.state))


def name_of(change: Change) -> str:
    """``tuple-collision at 10.0.0.2:80``, ``Time to connect, 10.0.0.2:80``."""
    if isinstance(change, FindingChangePart):
        return f"{change.kind} at {change.destination}" if change.destination else change.kind
    moved = f" (base: {change.base_destination})" if change.base_destination != change.destination else ""
    return f"{QUANTITIES[change.quantity]}, {change.destination}{moved}"


def severity_of(change: Change) -> str:
    """A finding's own; a wait or a share that is named at all is a warning."""
    return change.severity if isinstance(change, FindingChangePart) else "warning"


def kind_of(change: Change | CauseChangePart) -> str:
    """The finding's kind, the quantity, or the cause."""
    if isinstance(change, CauseChangePart):
        return change.cause
    return change.kind if isinstance(change, FindingChangePart) else change.quantity.replace("_", "-")


def is_failure(change: Change) -> bool:
    """Whether the candidate is worse in this; notes (severity info) never are."""
    return change.state in BAD and severity_of(change) != "info"


def counter_name(part: CounterPairPart) -> str:
    """``insert_failed (conntrack-stats)``, ``dropped (softnet-stat on node-7)``."""
    place = " ".join(
        each for each in (part.kind, part.subject, f"on {part.host}" if part.host else "") if each
    )
    return f"{part.name} ({place})"


def counter_text(side: CounterSidePart | None) -> str:
    """``29 in 31.2 s (0.929 a second)``; the rise alone where no time is known."""
    if side is None:
        return "not listed"
    if side.seconds is None or side.per_s is None:
        return f"{side.rise:,}"
    return f"{side.rise:,} in {side.seconds:,.1f} s ({side.per_s:,.3g} a second)"


def limits_text(side: LimitsPart) -> str:
    """``network 83.1 %, receiver window 12 %, application 4.9 %, handshake 0 %``: the greatest first."""
    shares = {words: getattr(side, name) for name, words in LIMITS.items()}
    ordered = sorted(shares.items(), key=lambda share: -share[1])
    return ", ".join(f"{words} {percent(share)}" for words, share in ordered)


def spread_text(side: WaitSidePart) -> str:
    """``0.05 ms, 0.09 ms, 0.1 ms, 0.2 ms, 1,030 ms``: the smallest, both quartiles, the middle, the largest."""
    values = side.quantiles_ms
    last = len(values) - 1
    return ", ".join(ms_text(values[round(last * at)]) for at in (0, 0.25, 0.5, 0.75, 1)) if values else ""


def side_text(side: SidePart) -> str:
    """``run 12: 13,545 packets in 31.2 s, 600 connection attempts (ci/12.json)``."""
    text = (
        f"{side.label}: {side.packets:,} packets in {side.recorded_s:,.1f} s, "
        f"{side.attempts:,} connection attempts"
    )
    return f"{text} ({side.source})" if side.source and side.source != side.label else text
