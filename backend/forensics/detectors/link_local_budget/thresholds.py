"""Limits of the rule, with unit and reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Thresholds:
    """AWS lets each network interface send `budget_packets` a second to link-local services together (DNS, metadata,
    time); what is more is dropped. From `noted_ratio` on it is reported. Seconds are counted with a rounding of one
    packet in a thousand."""

    budget_packets: int = 1_024
    noted_ratio: float = 0.8
    confidence: float = 0.85
    confidence_near: float = 0.6
    confidence_counted: float = 0.99
    frames_shown: int = 300


DEFAULT = Thresholds()
