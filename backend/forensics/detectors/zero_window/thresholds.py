"""Limits of the rule, with unit and reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Thresholds:
    """`reported_ms`: shorter closures are how a busy receiver slows a sender down; `notable_s`: from here on users
    notice."""

    reported_ms: float = 200.0
    notable_s: float = 1.0
    confidence: float = 0.95
    findings_most: int = 50
    marked: int = 300


DEFAULT = Thresholds()
