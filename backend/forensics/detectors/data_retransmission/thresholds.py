"""Limits of the rule, with unit and reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Thresholds:
    """`wait_least_ms`: silence before a segment from which on it was the timer that sent it again; Linux' shortest is
    200 ms (TCP_RTO_MIN), the margin is for other systems. `notable_waits` over `notable_connections` at least, together
    `notable_s`, of `notable_ratio` of the connections: a single peer that went away backs off for a minute by
    itself."""

    wait_least_ms: float = 150.0
    notable_waits: int = 5
    notable_connections: int = 3
    notable_ratio: float = 0.01
    notable_s: float = 1.0
    confidence: float = 0.9
    findings_most: int = 50
    marked_waits: int = 300


DEFAULT = Thresholds()
