"""Limits of the rule, with unit and reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Thresholds:
    """What a held write is, `evidence.held_writes` shows (three on one connection and side at least).
    `reported_waits` to one server make a finding; `notable_waits` that cost `notable_s` together are noticed. A
    timer runs out after the same time again and again: the middle half of the waits differs by `spread_ms` at most."""

    reported_waits: int = 5
    notable_waits: int = 10
    notable_s: float = 1.0
    spread_ms: float = 6.0
    confidence: float = 0.85
    findings_most: int = 50
    marked: int = 300


DEFAULT = Thresholds()
