"""Limits of the rule, with unit and reason."""

from __future__ import annotations

from dataclasses import dataclass, field

from backend.forensics.evidence.round_trips.queue_signs import QueueLimits


@dataclass(frozen=True)
class Thresholds:
    """What a group of late answers must be to count as a queue that filled up and drained."""

    samples: int = 5
    """Fewer do not show how a queue drained (samples)."""
    steepest_slope: float = -1.2
    gentlest_slope: float = -0.5
    """Round trip over time of sending (ratio): a queue that drains while half as much comes in as goes out."""
    answered_span_ratio: float = 0.5
    """Answers must come within this share of the time over which their questions were sent (ratio)."""
    by_chance: float = 1e-6
    """How many such groups may be expected by accident in the series (groups), if each answer were late for itself."""
    queue: QueueLimits = field(default_factory=QueueLimits)
    notable_ms: float = 100.0
    """Waits below are felt by nobody but a game or a call (ms)."""
    critical_ms: float = 1_000.0
    """A second of queue breaks what people do (ms)."""
    confidence: float = 0.85
    confidence_gentle: float = 0.6
    """The slope alone shows it."""


DEFAULT = Thresholds()
