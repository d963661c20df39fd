"""Limits of the rule, with unit and reason.

How long a tuple counts as used is `evidence.port_reuse.REUSE_WINDOW_NS`: the diagnosis uses it, too.
"""

from __future__ import annotations

from dataclasses import dataclass

from backend.forensics.detection.most_hit import FINDINGS_SHOWN


@dataclass(frozen=True)
class Thresholds:
    """`significant_p`: above it the difference between reused and fresh tuples may be chance: `info`.
    `least_attempts`: fewer that suffered are `info`, too; among thousands of destinations one or two lost SYNs on a
    reused tuple come up by chance. `critical_attempts`: so many are no accident."""

    significant_p: float = 0.01
    least_attempts: int = 3
    critical_attempts: int = 5
    confidence_significant: float = 0.95
    confidence_chance: float = 0.5
    findings_shown: int = FINDINGS_SHOWN
    """Destinations with a finding of their own, those with the most attempts that suffered."""
    marked_instances: int = 300
    """Instances drawn on the timeline; all are in the events."""


DEFAULT = Thresholds()
