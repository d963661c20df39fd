"""Limits of the rule, with unit and reason.

What makes an answer late, and answers come together, is in `evidence.late_answers`: the fact is shared."""

from __future__ import annotations

from dataclasses import dataclass, field

from backend.forensics.evidence.round_trips.queue_signs import QueueLimits


@dataclass(frozen=True)
class Thresholds:
    """What a group of late answers must be to count as a stall, and from when it is notable."""

    samples: int = 3
    """Two answers come together by accident; three lie on a line or do not (samples)."""
    kernel_answers: int = 3
    """So many must be answered by the responder's kernel (samples): requests that one application answers together
    waited for a lock of its own."""
    steepest_slope: float = -1.2
    """Round trip over time of sending (ratio): below, something else than waiting for one moment."""
    gentlest_slope: float = -0.8
    """Above it, answers are late for other reasons than one common end (ratio)."""
    answered_span_ratio: float = 0.2
    """Answers must come within this share of the time over which their questions were sent (ratio)."""
    held_share: float = 0.5
    """Of late answers to questions of the same time so many must come together (ratio): on a path that jitters each
    comes for itself."""
    by_chance: float = 1e-6
    """How many such groups may be expected by accident in the series (groups), if each answer were late for itself."""
    queue: QueueLimits = field(default_factory=QueueLimits)
    """Groups in a queue that filled up belong to another rule."""
    notable_samples: int = 5
    """Or this many samples held ... (samples)"""
    notable_ms: float = 100.0
    """... or so long a stall (ms), else the finding is true and harmless."""
    noticed_ms: float = 50.0
    """And a stall that long at least (ms): a busy machine keeps its queues for 10 to 40 ms all the time."""
    critical_stalls: int = 5
    """So many notable stalls are no accident (stalls)."""
    confidence_both_ends: float = 0.95
    confidence_one_end: float = 0.85
    confidence_quiet: float = 0.6


DEFAULT = Thresholds()
