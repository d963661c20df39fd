"""Limits of the rule, with unit and reason.

The rival window is `facts.RIVAL_WINDOW_NS`: the diagnosis uses it, too. (On Linux 6.18 all 29 SYNs that were lost to
a collision in one run had their rival within 11 µs.)
"""

from __future__ import annotations

from dataclasses import dataclass

from backend.forensics.detection.most_hit import FINDINGS_SHOWN


@dataclass(frozen=True)
class Thresholds:
    """From when a collision is notable, and how far it is believed."""

    critical_collisions: int = 5
    """So many lost SYNs, all seen before NAT and absent behind it, are no accident (SYNs)."""
    confidence_located: float = 0.95
    """Seen before NAT, absent behind it, with a rival."""
    confidence_unlocated: float = 0.5
    """One vantage point: the rival may be chance."""
    least_insert_failed: int = 1
    """Without packets: so far insert_failed must have risen between the dumps, else the kernel found every one of
    these entries a port of its own (insertions)."""
    confidence_failed: float = 0.5
    """Groups in a listing and failed insertions: which entries failed is not known."""
    confidence_listed: float = 0.3
    """Groups in a listing alone: that ports are scarce, not that a SYN was lost."""
    listed_lines: int = 1_000
    """Lines of a listing that are named as evidence."""
    findings_shown: int = FINDINGS_SHOWN
    """Destinations with a finding of their own, those with the most collisions."""
    marked_instances: int = 300
    """Instances drawn on the timeline; all are in the events."""


DEFAULT = Thresholds()
