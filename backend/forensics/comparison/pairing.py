"""Which destination of the candidate stands for which of the base."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from backend.forensics.report import DestinationPart, Report


@dataclass(frozen=True)
class DestinationPair:
    """One service on both sides."""

    base: DestinationPart
    candidate: DestinationPart


@dataclass(frozen=True)
class Pairing:
    """All pairs in the candidate's order, and what has no counterpart."""

    pairs: tuple[DestinationPair, ...]
    only_base: tuple[DestinationPart, ...]
    only_candidate: tuple[DestinationPart, ...]

    def base_of(self, destination: str) -> DestinationPart | None:
        """The base's destination for one of the candidate's."""
        return next((p.base for p in self.pairs if p.candidate.destination == destination), None)

    def candidate_of(self, destination: str) -> DestinationPart | None:
        """The candidate's destination for one of the base's."""
        return next((p.candidate for p in self.pairs if p.base.destination == destination), None)


def pair_destinations(base: Report, candidate: Report) -> Pairing:
    """By address and port; then, as a cluster gives new addresses to old services, by a port that on either side
    only one of the destinations left has."""
    by_address = {part.destination: part for part in base.destinations}
    counterpart = {
        part.destination: by_address[part.destination]
        for part in candidate.destinations
        if part.destination in by_address
    }
    left_base = _by_port([part for part in base.destinations if part.destination not in counterpart])
    left = _by_port([part for part in candidate.destinations if part.destination not in counterpart])
    for port, parts in left.items():
        others = left_base.get(port, [])
        if len(parts) == 1 and len(others) == 1:
            counterpart[parts[0].destination] = others[0]
    taken = {part.destination for part in counterpart.values()}
    return Pairing(
        tuple(
            DestinationPair(counterpart[part.destination], part)
            for part in candidate.destinations
            if part.destination in counterpart
        ),
        tuple(part for part in base.destinations if part.destination not in taken),
        tuple(part for part in candidate.destinations if part.destination not in counterpart),
    )


def _by_port(parts: Sequence[DestinationPart]) -> dict[str, list[DestinationPart]]:
    ports: dict[str, list[DestinationPart]] = defaultdict(list)
    for part in parts:
        ports[part.destination.rpartition(":")[2]].append(part)
    return ports
