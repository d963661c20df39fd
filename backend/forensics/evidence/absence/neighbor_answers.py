"""ARP replies and neighbor advertisements as signs of life (RFC 826, RFC 4861): a host that answers is up.

Routers answer in the name of others, too (proxy ARP, RFC 1027; the gateway of a cloud's network): an answer of a MAC
address that several network addresses have proves nothing about one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.evidence.clocks.clocks import Clocks
from backend.forensics.evidence.clocks.matched_packets import mix
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.messages import NEIGHBOR_ANSWER

_COLUMNS = ("frame", "time_ns", "kind", "link_address", "sender_high", "sender_low")
_TO_ALL = np.uint64(0xFFFF_FFFF_FFFF)


@dataclass(frozen=True, eq=False)
class NeighborAnswers:
    """Answers about addresses that one MAC address alone has; columns run beside one another."""

    host: NDArray[np.uint64]
    """Keys of addresses (`matched_packets.mix`)."""
    time_ns: Ints
    """On the reference clock."""
    capture: Ints
    frame: Ints


def find_neighbor_answers(captures: Sequence[Capture], clocks: Clocks) -> NeighborAnswers:
    """Of all captures. Linear in ARP packets and neighbor advertisements, sorted once."""
    parts = [_of_capture(number, capture, clocks) for number, capture in enumerate(captures)]
    host, link, time_ns, capture, frame = (np.concatenate([p[n] for p in parts]) for n in range(5))
    own = ~np.isin(link, links_of_several(host, link))
    return NeighborAnswers(host[own], time_ns[own], capture[own], frame[own])


def links_of_several(host: NDArray[np.uint64], link: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """MAC addresses that claimed more than one network address, or that are none of a host."""
    pairs = np.unique(np.stack([link, host]), axis=1)[0]
    links, counts = np.unique(pairs, return_counts=True)
    shared: NDArray[np.uint64] = links[(counts > 1) | (links == 0) | (links == _TO_ALL)]
    return shared


def _of_capture(
    number: int, capture: Capture, clocks: Clocks
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], Ints, Ints, Ints]:
    table = capture.messages.neighbors
    if not table.rows:
        words, ints = np.zeros(0, np.uint64), np.zeros(0, np.int64)
        return words, words, ints, ints, ints
    columns = {name: column.to_numpy() for name, column in zip(_COLUMNS, table.read(_COLUMNS), strict=True)}
    answers = np.flatnonzero(columns["kind"] == NEIGHBOR_ANSWER)
    host = mix(columns["sender_high"][answers], columns["sender_low"][answers])
    time_ns = clocks.on_reference(number, columns["time_ns"][answers])
    where = np.full(len(answers), number, np.int64)
    return host, columns["link_address"][answers], time_ns, where, columns["frame"][answers]
