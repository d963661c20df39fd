"""Limits of the rule, with unit and reason.

What makes a lookup delayed is `evidence.dns.delayed.LATE_NS`, how questions become lookups is in
`evidence.dns.lookups`: the diagnosis uses both, too.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Thresholds:
    """`notable_lookups` delayed lookups that are at least `notable_ratio` of all are no accident; one lost datagram
    in a thousand is how UDP works. From `critical_lookups` and `critical_ratio` on most users meet it."""

    notable_lookups: int = 2
    notable_ratio: float = 0.005
    critical_lookups: int = 5
    critical_ratio: float = 0.05
    confidence: float = 0.95
    findings_most: int = 50
    """Resolvers with a finding each; a scan asks thousands of addresses."""
    marked_lookups: int = 300
    """Lookups drawn on the timeline; all are in the events."""


DEFAULT = Thresholds()
