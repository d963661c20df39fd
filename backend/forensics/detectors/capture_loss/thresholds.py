"""Limits of the rule, with unit and reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Thresholds:
    """`notable_segments` and `notable_ratio`: as in `CaptureQuality.lossy`, from which claims of absence are
    lowered."""

    notable_segments: int = 3
    """So many holes a capture has at its edges and by reordering (segments)."""
    notable_ratio: float = 0.001
    """Share of data segments that are missing; one in a thousand can hide a SYN of a busy service."""
    notable_dropped: int = 0
    """Packets that the kernel says it dropped: each is one too many for a claim of absence."""


DEFAULT = Thresholds()
