"""Limits of the rule, with unit and reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Thresholds:
    """A silence shorter than `signals.SILENCE_NS` (20 s) is none. `recorded_s` after the packet must be recorded before
    a missing answer counts. `loud_connections` that died are no accident, unless others outlived their silence."""

    recorded_s: float = 3.0
    retries_least: int = 2
    loud_connections: int = 2
    confidence: float = 0.85
    findings_most: int = 50
    marked: int = 300


DEFAULT = Thresholds()
