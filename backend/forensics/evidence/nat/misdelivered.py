"""SYN-ACKs that a host on the path sent on to somebody else than the client of their connection.

They are the same packet (addresses and port of the server, sequence and acknowledgment number) with another
destination than any that the client's SYN had as its source: they were translated by a rule of their own, not lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.connections import CONNECTION_DTYPE
from backend.forensics.evidence.attempts.attempts import Attempts, Endpoint
from backend.forensics.evidence.clocks.matched_packets import mix
from backend.forensics.evidence.clocks.sightings import Ints, Sightings, join_rows
from backend.forensics.packets import ACK, MARK_COPY, SYN

Words = NDArray[np.uint64]


@dataclass(frozen=True)
class Misdelivered:
    """SYN-ACKs by logical connection, one each; the arrays run beside one another, by `link`."""

    link: Ints
    arrived: Ints
    """Row of `Sightings.rows`: the SYN-ACK as it came to the client's address and port."""
    left: Ints
    """Row of `Sightings.rows`: the same SYN-ACK with another destination."""

    def of(self, links: Ints) -> Misdelivered:
        """Those of these connections."""
        mine = np.isin(self.link, links)
        return Misdelivered(self.link[mine], self.arrived[mine], self.left[mine])

    def __len__(self) -> int:
        return len(self.link)


def destination_of(row: np.void) -> Endpoint:
    """To whom a packet goes."""
    return Endpoint(*(int(row[f"destination_{part}"]) for part in ("high", "low", "port")))


def find_misdelivered(captures: Sequence[Capture], attempts: Attempts) -> Misdelivered:
    """Of connections that sent their SYN again: only there an answer did not arrive. Linear in handshakes."""
    seen, none = attempts.sightings, np.zeros(0, np.int64)
    flags, marks = seen.rows["tcp_flags"], seen.rows["marks"]
    answers = np.flatnonzero(
        ((flags & (SYN | ACK)) == SYN | ACK) & ((marks & MARK_COPY) == 0) & (seen.node >= 0)
    )
    again = np.unique(attempts.table["link"][attempts.retried.row])
    to_client = np.isin(_address(seen.rows, answers), _clients(captures, seen, again))
    own, others = answers[to_client & np.isin(seen.link[answers], again)], answers[~to_client]
    if not len(own) or not len(others):
        return Misdelivered(none, none, none)
    known, first_own = np.unique(_packet(seen.rows, own), return_index=True)
    wanted, first_other = np.unique(_packet(seen.rows, others), return_index=True)
    _, at_own, at_other = np.intersect1d(known, wanted, assume_unique=True, return_indices=True)
    arrived, left = own[first_own[at_own]], others[first_other[at_other]]
    link, first = np.unique(seen.link[arrived], return_index=True)
    return Misdelivered(link, arrived[first], left[first])


def _packet(rows: NDArray[np.void], chosen: Ints) -> Words:
    """What the translation of a destination leaves as it is."""
    names = ("source_high", "source_low", "source_port", "sequence", "acknowledgement", "timestamp_value")
    return mix(*(rows[name][chosen] for name in names))


def _address(rows: NDArray[np.void], chosen: Ints) -> Words:
    return mix(*(rows[f"destination_{part}"][chosen] for part in ("high", "low", "port")))


def _clients(captures: Sequence[Capture], seen: Sightings, links: Ints) -> Words:
    """Addresses and ports that SYNs of these connections had as their source, before and behind translation."""
    nodes = join_rows([capture.connections for capture in captures], CONNECTION_DTYPE)
    mine = np.flatnonzero(np.isin(seen.link_of_node, links) & (nodes["syns"] > 0))
    return mix(*(nodes[f"client_{part}"][mine] for part in ("high", "low", "port")))
