"""Limits of the rule, with unit and reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Thresholds:
    """`least_connections`: fewer may have been on their way while the weight changed: `info`. `settled_ns`: the last
    one must come so long after the listing, since a listing's time is read to the second by many tools.
    `critical_suffered`: so many that waited or never opened are an outage of that server's share."""

    least_connections: int = 3
    settled_ns: int = 1_000_000_000
    critical_suffered: int = 5
    confidence: float = 0.95
    confidence_behind_only: float = 0.4
    """Without a vantage point before IPVS the connections may have been opened to the server directly."""
    marked_instances: int = 300
    """Instances drawn on the timeline; all are in the events."""


DEFAULT = Thresholds()
