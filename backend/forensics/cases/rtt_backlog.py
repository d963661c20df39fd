"""Answers that were held and given back together, because a queue stood still."""

from __future__ import annotations

from dataclasses import dataclass, field

from backend.forensics.cases.case import APART, Case, Instance


@dataclass(frozen=True, slots=True, kw_only=True)
class Stall(Instance):
    """From the first held question to the last answer, on the clock of its capture or listing."""

    samples: int
    longest_ms: float
    answers_within_ms: float
    input: str
    sent_numbers: tuple[int, ...]
    """Frames, or lines of a listing, of the held questions, in order."""
    printed: bool
    """It is of a listing."""
    timed: bool
    """Its times are UTC; else they count from the listing's first probe."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RttBacklog(Case):
    """Of one pair of hosts in one direction."""

    kind: str = "rtt-backlog"
    stall_max_ms: float
    stall_median_ms: float
    baseline_ms: float
    samples_held: int
    samples_by_kind: dict[str, int]
    direction: str
    """``request path``, ``reply path`` or ``unknown``."""
    clock_offset_s: float | None
    """The responder's capture minus the prober's."""
    slope_median: float
    echo_stalls: int
    partial_stalls: int
    usual_beyond_far_capture_us: float | None
    held_beyond_far_capture: int
    period_s: float | None
    period_p_value: float | None
    by_chance: float
    both_ways_stalls: int = field(metadata=APART)
    """In which packets of the other direction waited between the same two vantage points, too."""
    routed: bool = field(metadata=APART)
    """Packets of the host that stood still had passed a router before the vantage point that is nearest to it."""
    usual_between_captures_us: float | None = field(metadata=APART)
    """What a request and its response need between them together."""
    stalls: tuple[Stall, ...] = field(metadata=APART)
    prober: str = field(metadata=APART)
    responder: str = field(metadata=APART)
