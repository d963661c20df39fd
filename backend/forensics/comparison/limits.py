"""What limited the connections to each destination, both sides beside each other."""

from __future__ import annotations

from backend.forensics.comparison.pairing import Pairing
from backend.forensics.comparison.result import LimitsPairPart


def compare_limits(pairing: Pairing) -> list[LimitsPairPart]:
    """Destinations in the order of the candidate's report."""
    return [
        LimitsPairPart(
            destination=pair.candidate.destination,
            base_destination=pair.base.destination,
            base=pair.base.limits,
            candidate=pair.candidate.limits,
        )
        for pair in pairing.pairs
        if pair.base.limits is not None and pair.candidate.limits is not None
    ]
