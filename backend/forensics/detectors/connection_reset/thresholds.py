"""Limits of the rule, with unit and reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Thresholds:
    """A server that resets open connections is notable when it does so often enough to be met by users."""

    notable_resets: int = 3
    """One or two may be a restart (connections)."""
    notable_ratio: float = 0.05
    """Share of what was asked of that destination (connections that opened, or HTTP requests where these are more, as
    on kept connections): below it clients try again and nobody notices."""
    notable_untranslated: int = 2
    """Packets that escaped address translation and were reset by the client (connections)."""
    findings_most: int = 50
    """A scan makes one group per host: the smallest are reported together (findings)."""


DEFAULT = Thresholds()
