"""Limits of the rule, with unit and reason.

The rival window is `facts.RIVAL_WINDOW_NS`: the diagnosis uses it, too.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Thresholds:
    """`critical_collisions`: so many lost SYNs, all seen before NAT, are no accident."""

    critical_collisions: int = 5
    confidence_located: float = 0.95
    """Seen before NAT, absent behind it, with a rival."""
    confidence_unlocated: float = 0.5
    """One vantage point: the rival may be chance."""
    marked_instances: int = 300
    """Instances drawn on the timeline; all are in the events."""


DEFAULT = Thresholds()
