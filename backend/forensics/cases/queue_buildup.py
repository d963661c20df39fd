"""Queues that filled up and drained at the rate of a link."""

from __future__ import annotations

from dataclasses import dataclass

from backend.forensics.cases.case import Case


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueBuildup(Case):
    """Of one pair of hosts."""

    kind: str = "queue-buildup"
    queue_max_ms: float
    baseline_ms: float
    samples_held: int
    slope_median: float
    burst_max_bytes: int
    usual_bytes: int
    signs: dict[str, int]
    """Sign of a filling queue -> intervals that show it."""
    direction: str
