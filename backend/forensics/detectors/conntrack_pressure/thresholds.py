"""Limits of the rule, with unit and reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Thresholds:
    """`near_ratio`: where node-problem-detector warns, too."""

    near_ratio: float = 0.9
    """Share of nf_conntrack_max: a burst of a tenth is ordinary."""
    full_ratio: float = 0.98
    """At the limit, as far as two values read one after the other can show."""
    forecast_points: int = 3
    """Dumps with a time and a count: two always lie on a line."""
    forecast_fit: float = 0.8
    """r² of the line through them: below it the count goes up and down."""
    forecast_horizon_s: float = 3600.0
    """A forecast over more than an hour of a few dumps is guesswork."""
    forecast_reach: float = 10.0
    """A forecast reaches at most so many times as far as the dumps lie apart: the first minute of any load looks like
    steady growth (46 s of a run on Linux 6.1 that filled 2 % of the table said 90 % in 56 minutes)."""


DEFAULT = Thresholds()
