"""Limits of the rule, with unit and reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Thresholds:
    """`notable_connections`: so many connections that ended with an error to one destination are no accident."""

    notable_connections: int = 3
    """One or two errors come with every restart of a server (connections)."""
    findings_most: int = 50
    """A scan of a network makes one group per host: the smallest are reported together (findings)."""


DEFAULT = Thresholds()
