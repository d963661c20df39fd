"""One endpoint that SYNs were sent to again, or many that are alike, with who else was answered there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from backend.forensics.evidence.absence.life import Frame
from backend.forensics.evidence.absence.losses import Loss, Losses
from backend.forensics.evidence.attempts.retried import AttemptGroup, Endpoint
from backend.forensics.evidence.clocks.sightings import Place


@dataclass(frozen=True)
class Destination:
    """Attempts sent again towards one endpoint, from sources that were all alike: never answered there (`silent`), or
    answered at other times. Counts are attempts (ISNs), whatever number of vantage points saw them.

    Where very many endpoints are alike one stands for all of them (`others`)."""

    endpoint: Endpoint
    silent: bool
    attempts: AttemptGroup
    losses: Losses
    tried: int
    """All attempts to the endpoint, from every source."""
    opened: int
    """Of these, answered by a SYN-ACK."""
    refused: int
    """Of these, answered by a RST."""
    neighbours_answered: int
    """Attempts to *other* ports of the same host that got a SYN-ACK or a RST."""
    neighbours_delayed: int
    """Of these, sent again."""
    life: tuple[Frame, ...]
    """Frames in which the host itself was heard (other ports, other sources, other protocols)."""
    heard_after: bool
    """The host was heard near the time of the lost SYNs."""
    heard_by_neighbors_only: bool
    """What was heard are ARP replies or neighbor advertisements: nothing above its link is known."""
    source_answered: bool
    """The host answered one of these sources, on this port or another."""
    heard_others: int
    """Attempts to other hosts, answered, that the furthest vantage point saw: it does see answers."""
    hosts: NDArray[np.uint64]
    """Keys (`matched_packets.mix`) of the addresses: one, or those of `others`, too."""
    others: int = 0
    """Further endpoints that it stands for: counts are sums over all of them, neighbours those of one."""
    attempts_each: int = 0
    """Attempts sent again to one endpoint at least."""
    syns_each: int = 0
    """SYNs of these attempts to one endpoint at least."""

    @cached_property
    def links(self) -> tuple[int, ...]:
        return self.attempts.links

    @property
    def kinds(self) -> dict[str, int]:
        """Number of losses by kind."""
        return dict(self.losses.count_kinds())

    @property
    def syns(self) -> int:
        return self.attempts.syns

    @cached_property
    def servers(self) -> frozenset[str]:
        """Addresses and ports as the clients named them."""
        return self.attempts.servers

    @property
    def outermost(self) -> Place:
        return (
            self.losses[0].transmission.last.place
            if self.losses
            else self.attempts[0].transmissions[0].last.place
        )

    @property
    def one_sided(self) -> bool:
        """No loss could be placed: one vantage point saw everything."""
        return bool(self.losses.is_kind("one-sided").all())

    def frames(self, losses: Iterable[Loss] | None = None) -> list[Frame]:
        """(input, frame) of the lost SYNs, at every vantage point; of very many the first of each input."""
        chosen = self.losses if losses is None else losses
        if isinstance(chosen, Losses):
            return list(chosen.frames)
        return [(s.place.input, s.frame) for loss in chosen for s in loss.transmission.sightings]
