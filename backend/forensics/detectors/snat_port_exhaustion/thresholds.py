"""Limits of the rule, with unit and reason.

From which share a range counts as used up is `evidence.port_pools.FULL_RATIO`: the diagnosis uses it, too.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Thresholds:
    """`warning_ratio`, `info_ratio`: ports in use of those there are, without a lost SYN. Above nine tenths the next
    burst fills the range; above half it is worth knowing. A range that is only inferred from the ports in use stays
    `info`. `critical_losses`: so many lost SYNs are no accident."""

    warning_ratio: float = 0.9
    info_ratio: float = 0.5
    critical_losses: int = 5
    confidence_dump: float = 0.95
    """A dump lists the entries that hold the ports."""
    confidence_rule: float = 0.85
    """Packets show the ports, a rule the range."""
    confidence_inferred: float = 0.6
    """The range follows from the ports that packets show."""
    marked_instances: int = 300
    """Instances drawn on the timeline; all are in the table."""


DEFAULT = Thresholds()
