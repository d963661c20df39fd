"""Limits of the rule, with unit and reason."""

from __future__ import annotations

from dataclasses import dataclass

from backend.forensics.detection.most_hit import FINDINGS_SHOWN


@dataclass(frozen=True)
class Thresholds:
    """`step_tolerance_*`: a retry belongs to a schedule within the larger of the two, measured from the step
    before."""

    step_tolerance_s: float = 0.030
    step_tolerance_ratio: float = 0.05
    coarse_from_s: float = 4.0
    coarse_ratio: float = 0.125
    """Steps of `coarse_from_s` and more may be late by an eighth: the timer wheel of Linux (kernel/time/timer.c, since
    4.8) rounds a long timeout up to the granularity of its level; 4 s were seen to take 4.256 s at HZ = 250."""
    harmless_attempts: int = 1
    """A single repeated SYN in all the evidence happens on any network (attempts, without those that were refused)."""
    critical_attempts: int = 5
    """So many users that waited a second each are no accident (attempts)."""
    critical_ratio: float = 0.01
    """Share of the attempts to that destination: below it the path is lossy, and few users meet it."""
    confidence: float = 0.99
    """A SYN of the same connection with the same sequence number is a repeat; only a capture that doubles frames
    could be mistaken for one."""
    confidence_lossy: float = 0.6
    """The capture missed packets: an answer, or the first SYN, may be among them."""
    findings_shown: int = FINDINGS_SHOWN
    """Destinations with a finding of their own, those with the most attempts."""
    marked_instances: int = 300
    """Instances drawn on the timeline; the first thousand are in the table and the events."""


DEFAULT = Thresholds()
