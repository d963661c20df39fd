"""Do other packets get lost as often as SYNs? It distinguishes a lossy path from something that chooses SYNs.

A SYN is repeated when it is lost or its SYN-ACK is, a data segment when it is lost itself. So each SYN is two packets
that must pass, one in each direction, and each of them is compared with data in that direction.

The first data of a client shows no loss on a path: a full accept queue drops it as well (`unaccepted`). Later data and
the server's do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.evidence.absence.destination import Destination
from backend.forensics.evidence.clocks.grouped_rows import is_among
from backend.forensics.evidence.clocks.matched_packets import mix
from backend.forensics.evidence.clocks.sightings import Ints, Place
from backend.forensics.evidence.clocks.sorted_rows import distinct, place_in, taken
from backend.forensics.evidence.tcp.unaccepted import first_data, unaccepted
from backend.forensics.packets import TCP
from backend.forensics.signals import SENT_AGAIN
from backend.forensics.significance import fisher_exact_p
from backend.forensics.wording import plural, were

SEGMENT_BYTES = 1460
"""The largest payload of a segment on Ethernet (RFC 9293: MTU less 40)."""
PACKETS_A_SYN = 2
"""The SYN and its SYN-ACK: the loss of either has the SYN repeated."""

Counts = NDArray[np.float64]


@dataclass(frozen=True)
class DataCount:
    """Data segments in one direction and those of them that were retransmitted."""

    segments: int
    again: int


@dataclass(frozen=True)
class LossRates:
    """SYNs towards one destination against data segments exchanged with its host, at one vantage point.

    `p_syns_more`: probability (Fisher's exact test) that SYNs are repeated so much more often by chance than loss of
    data explains; `p_like` that they are so much more often, or data is lost so much more often than they. Both are 1
    without data."""

    syns_lost: int
    syns: int
    data_again: int
    data_segments: int
    p_syns_more: float
    p_like: float

    @property
    def in_words(self) -> str:
        return (
            f"{self.syns_lost:,} of {plural(self.syns, 'SYN')} got no SYN-ACK in time, and {self.data_again:,} of "
            f"{plural(self.data_segments, 'data segment')} {were(self.data_segments)} retransmitted"
        )

    @property
    def in_short(self) -> str:
        """The same for a statement, which is one line."""
        return (
            f"{self.syns_lost:,} of {plural(self.syns, 'SYN')} unanswered, {self.data_again:,} of "
            f"{plural(self.data_segments, 'data segment')} retransmitted"
        )


def rate_losses(syns_lost: int, syns: int, to_host: DataCount, from_host: DataCount) -> LossRates:
    """The rates of both directions add up to what repeats SYNs, so both count alike, however much data each carried.
    Without data in one direction nothing can be said."""
    packets = (syns_lost, PACKETS_A_SYN * syns - syns_lost)
    least = min(to_host.segments, from_host.segments)
    again = sum(_ceil_share(direction, least) for direction in (to_host, from_host))
    more = fisher_exact_p((packets, (again, 2 * least - again)), "greater")
    both = DataCount(to_host.segments + from_host.segments, to_host.again + from_host.again)
    if not both.segments:
        return LossRates(syns_lost, syns, 0, 0, 1.0, 1.0)
    data = (both.again, both.segments - both.again)
    fewer = fisher_exact_p((data, (syns_lost, syns - syns_lost)), "greater")
    like = min(1.0, 2 * min(more, fewer))
    return LossRates(syns_lost, syns, both.again, both.segments, more, like)


def _ceil_share(data: DataCount, segments: int) -> int:
    """How many of so many segments were retransmitted at the same rate."""
    return -(-data.again * segments // data.segments) if data.segments else 0


class DataOfHosts:
    """TCP data segments, and those retransmitted, of all connections with each host in either role, by direction. Each
    vantage point is counted once, when it is first asked about."""

    def __init__(self, captures: Sequence[Capture]) -> None:
        self._captures = captures
        self._counted: dict[tuple[int, int], tuple[NDArray[np.uint64], Counts, Counts]] = {}

    def count(self, place: Place, hosts: NDArray[np.uint64]) -> tuple[DataCount, DataCount]:
        """(to these hosts together, from them); `hosts` are keys of addresses (`matched_packets.mix`)."""
        known, counts, _ = self._at(place)
        return self._sum(hosts, known, counts)

    def count_later(self, place: Place, hosts: NDArray[np.uint64]) -> tuple[DataCount, DataCount]:
        """The same without the first data of each client."""
        known, counts, first = self._at(place)
        return self._sum(hosts, known, counts, first)

    @staticmethod
    def _sum(
        hosts: NDArray[np.uint64], known: NDArray[np.uint64], counts: Counts, less: Counts | None = None
    ) -> tuple[DataCount, DataCount]:
        hosts = distinct(hosts)
        hosts = hosts[is_among(hosts, known)]
        at = np.searchsorted(known, hosts)
        total = counts[:, :, at].sum(axis=2)
        if less is not None:
            total -= less[:, :, at].sum(axis=2)
        to, back = (np.rint(way).astype(np.int64).tolist() for way in total)
        return DataCount(to[0], min(to)), DataCount(back[0], min(back))

    def _at(self, place: Place) -> tuple[NDArray[np.uint64], Counts, Counts]:
        """(hosts, counts by direction, kind and host, those of clients' first data)."""
        key = place.capture, place.index
        if key not in self._counted:
            capture = self._captures[place.capture]
            table = capture.connections
            chosen = (table["protocol"] == TCP) & (table["vantage"] == place.index)
            # What a full accept queue drops is lost on no path.
            chosen &= ~unaccepted(capture)
            nodes = np.flatnonzero(chosen & (table["data_segments"] > 0))
            by_client, by_server = _by_sender(capture, nodes)
            first = np.minimum(first_data(capture)[:, nodes], by_client)
            ends = _Ends(table, nodes)
            counts = ends.counted(by_client, by_server), ends.counted(first, np.zeros_like(by_server))
            self._counted[key] = ends.known, *counts
        return self._counted[key]


class _Ends:
    """Sums over connections by the hosts at their ends."""

    def __init__(self, table: NDArray[np.void], nodes: Ints) -> None:
        server, client = (
            mix(taken(table[f"{end}_high"], nodes), taken(table[f"{end}_low"], nodes))
            for end in ("server", "client")
        )
        self._other = client != server
        hosts = np.concatenate([server, client[self._other]])
        self.known = distinct(hosts)
        self._of = place_in(self.known, hosts)

    def counted(self, by_client: Counts, by_server: Counts) -> Counts:
        """By direction (to a host, from it), kind and host."""
        counts = np.zeros((2, 2, len(self.known)))
        for way, (ours, theirs) in enumerate(((by_client, by_server), (by_server, by_client))):
            for kind in (0, 1):
                both = np.concatenate([ours[kind], theirs[kind][self._other]])
                counts[way, kind] = np.bincount(self._of, both, minlength=len(self.known))
        return counts


def _by_sender(capture: Capture, nodes: Ints) -> tuple[Counts, Counts]:
    """Rows (segments, sent again) of these connections, of the client and of the server. The table holds segments of
    both together: bytes show how many each side needed at least, and each sent half of the rest."""
    names = ("data_segments", "data_retransmissions", "client_bytes", "server_bytes")
    columns = [taken(capture.connections[name], nodes) for name in names]
    segments, again = (column.astype(np.float64) for column in columns[:2])
    least = [np.ceil(column / SEGMENT_BYTES) for column in columns[2:]]
    needed = least[0] + least[1]
    fits = np.minimum(1.0, segments / np.maximum(needed, 1))
    sent = [part * fits + (segments - needed * fits) / 2 for part in least]
    signals = capture.signals[(capture.signals["kind"] & SENT_AGAIN) != 0]
    seen = [
        np.bincount(
            signals["connection"][(signals["from_client"] != 0) == side],
            minlength=len(capture.connections),
        )[nodes]
        for side in (True, False)
    ]
    known = seen[0] + seen[1]
    of_client = np.where(known > 0, seen[0] / np.maximum(known, 1), sent[0] / np.maximum(segments, 1))
    shares = (of_client, 1 - of_client)
    client, server = (
        np.stack([part, np.minimum(part, again * share)]) for part, share in zip(sent, shares, strict=True)
    )
    return client, server


def compare_losses(data: DataOfHosts, destination: Destination) -> LossRates:
    """Data is counted where the SYNs were seen last; over all connections with that host in either role."""
    return rate_losses(*_syns(destination), *data.count(destination.outermost, destination.hosts))


def compare_later_losses(data: DataOfHosts, destination: Destination) -> LossRates:
    """The same for data that only a path loses."""
    return rate_losses(*_syns(destination), *data.count_later(destination.outermost, destination.hosts))


def _syns(destination: Destination) -> tuple[int, int]:
    lost = len(destination.losses)
    return lost, max(lost, destination.tried + destination.syns - len(destination.attempts))
