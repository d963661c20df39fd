"""Limits of the rule, with unit and reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Thresholds:
    """`short_silence_s` counts where what came after it was never answered; where a RST answered only a silence of
    `signals.SILENCE_NS` (20 s), since servers close what was idle for 5 to 15 s themselves. `recorded_s` after the
    packet must be recorded before a missing answer counts. `notable_connections` that died are no accident, unless
    others outlived nearly that silence (`survived_ratio`), or a share of them got no answer without one
    (`stuck_ratio`)."""

    short_silence_s: float = 5.0
    recorded_s: float = 3.0
    survived_ratio: float = 1.1
    stuck_ratio: float = 0.25
    retries_least: int = 2
    notable_connections: int = 2
    confidence: float = 0.85
    findings_most: int = 50
    marked: int = 300


DEFAULT = Thresholds()
