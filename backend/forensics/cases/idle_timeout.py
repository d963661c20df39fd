"""Connections that were dead when they were used again after a silence."""

from __future__ import annotations

from dataclasses import dataclass

from backend.forensics.cases.case import Case, Instance


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadConnection(Instance):
    """Its silence: from the last packet before it to the data after it."""

    silence_s: float
    outcome: str
    """``reset`` or ``nothing``."""
    source: str
    destination: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleTimeout(Case):
    """Of one server."""

    kind: str = "idle-timeout"
    instances: tuple[DeadConnection, ...]
    silence_min_s: float
    silence_max_s: float
    survived_max_s: float
    used_again: int
    reset: int
    unanswered: int
    unanswered_segments: int
    stuck_without_silence: int
    fitting_timeout_s: float | None
    fitting_timeout_of: str
