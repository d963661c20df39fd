"""Large segments that were sent again in their full size without success."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from backend.forensics.detectors.path_mtu.thresholds import Thresholds
from backend.forensics.evidence.attempts.attempts import Endpoint
from backend.forensics.evidence.clocks.matched_packets import mix
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.clocks.sorted_rows import lexsort
from backend.forensics.evidence.tcp.tcp_anomalies import Mask, TcpAnomalies
from backend.forensics.packets import MARK_SPURIOUS_RETRANSMISSION
from backend.forensics.signals import PASSED, SENT_AGAIN

HEADERS_BYTES = 40
"""IPv4 and TCP without options: where an earlier version decoded the file."""
OPTIONS_BYTES = 40
"""What TCP's options take of a segment at most (RFC 9293 section 3.1)."""
_NEAR_NS = 60_000_000_000


@dataclass(frozen=True)
class Stuck:
    """A large segment that did not pass."""

    node: int
    sender: Endpoint
    receiver: Endpoint
    bytes: int
    header_bytes: int
    passed_bytes: int
    opened: bool
    """Its handshake was captured."""
    at: tuple[int, ...]
    """Its repetitions, as rows of the signals."""
    smaller: int | None
    """The row of the first smaller segment with its first bytes, if the bytes were acknowledged after that."""

    @property
    def last(self) -> int:
        """The row at which its sender stopped sending it in this size, or was last seen to do so."""
        return self.at[-1] if self.smaller is None else self.smaller


@dataclass(frozen=True)
class _Repeated:
    """The repetitions of one segment in its largest size, and the first smaller one after them."""

    at: tuple[int, ...]
    smaller: int | None


def stuck_segments(anomalies: TcpAnomalies, thresholds: Thresholds) -> list[Stuck]:
    """One a connection and side: the segment that was repeated most."""
    best: dict[tuple[int, int], _Repeated] = {}
    for key, one in _repeated(anomalies, thresholds):
        if len(one.at) >= thresholds.repeats_least and (key not in best or len(one.at) > len(best[key].at)):
            best[key] = one
    acknowledged_at, carried = _acknowledged_at(anomalies), _Carried(anomalies)
    found = []
    for (node, side), one in best.items():
        passed_at = acknowledged_at(node, side, one.at[-1])
        shrunk = passed_at is not None and one.smaller is not None and one.smaller < passed_at
        if passed_at is not None and not (shrunk and _by_size_alone(anomalies, node, side, one, carried)):
            continue
        smaller = one.smaller if shrunk else None
        if stuck := _one(anomalies, node, side, one.at, smaller, carried.near):
            found.append(stuck)
    return found


def _repeated(anomalies: TcpAnomalies, thresholds: Thresholds) -> Iterator[tuple[tuple[int, int], _Repeated]]:
    """By connection and side, each large segment that was sent again."""
    rows = anomalies.rows
    again: Mask = (rows["kind"] & SENT_AGAIN) != 0
    again &= (rows["marks"] & MARK_SPURIOUS_RETRANSMISSION) == 0
    large = again & (rows["payload_bytes"] >= thresholds.segment_least_bytes)
    large &= rows["payload_bytes"] > rows["passed_bytes"]
    again &= np.isin(anomalies.node, anomalies.node[large])
    groups: dict[tuple[int, int, int], list[int]] = {}
    for n in np.flatnonzero(again).tolist():
        key = (int(anomalies.node[n]), int(rows["from_client"][n]), int(rows["sequence"][n]))
        groups.setdefault(key, []).append(n)
    for (node, side, _), positions in groups.items():
        sizes = rows["payload_bytes"][positions]
        full = [n for n in positions if large[n] and rows["payload_bytes"][n] == sizes.max()]
        if full:
            least = int(sizes.max()) - OPTIONS_BYTES
            smaller = (n for n in positions if n > full[-1] and rows["payload_bytes"][n] < least)
            yield (node, side), _Repeated(tuple(full), next(smaller, None))


def _acknowledged_at(anomalies: TcpAnomalies) -> Callable[[int, int, int], int | None]:
    """The row that acknowledges all bytes of a repeated segment (node, side, its last repetition), if one does."""
    rows = anomalies.rows
    at = np.flatnonzero((rows["kind"] & PASSED) != 0)
    acknowledged: dict[tuple[int, int], list[int]] = {}
    for n in at.tolist():
        acknowledged.setdefault((int(anomalies.node[n]), 1 - int(rows["from_client"][n])), []).append(n)

    def acknowledged_at(node: int, side: int, last: int) -> int | None:
        end = (int(rows["sequence"][last]) + int(rows["payload_bytes"][last])) & 0xFFFFFFFF
        later = (
            n
            for n in acknowledged.get((node, side), ())
            if n > last and (int(rows["acknowledgement"][n]) - end) & 0xFFFFFFFF < 1 << 31
        )
        return next(later, None)

    return acknowledged_at


class _Carried:
    """Connections without a retransmission that carried data both ways, by their two hosts and the time of their end:
    what passed between these."""

    def __init__(self, anomalies: TcpAnomalies) -> None:
        self._all = anomalies.connections

    @cached_property
    def _sorted(self) -> tuple[NDArray[np.uint64], Ints, Ints]:
        """Of each such connection its pair of hosts, its end and its row, by pair and end. Made when one is asked for:
        most captures have no segment that was repeated so often."""
        table = self._all
        sound = np.flatnonzero(
            (table["data_retransmissions"] == 0) & (table["client_bytes"] > 0) & (table["server_bytes"] > 0)
        )
        key = mix(
            *(table[f"{end}_{part}"][sound] for end in ("client", "server") for part in ("high", "low"))
        )
        last_ns = table["last_ns"][sound]
        order = lexsort((last_ns, key))
        return key[order], last_ns[order], sound[order]

    def near(self, node: int) -> bool:
        """Whether one of the same two hosts ended near in time: a sender that has sent nothing small yet hears no more
        than the SYN-ACK."""
        one = self._all[node]
        return bool(len(self.between(node, int(one["first_ns"]) - _NEAR_NS, int(one["last_ns"]) + _NEAR_NS)))

    def between(self, node: int, first_ns: int, last_ns: int) -> NDArray[np.void]:
        """Those of the same two hosts that ended in that time."""
        keys, ends_ns, rows = self._sorted
        pair = _pair(self._all[node : node + 1])[0]
        begin, end = (int(np.searchsorted(keys, pair, side=side)) for side in ("left", "right"))
        ended = ends_ns[begin:end]
        first = begin + int(np.searchsorted(ended, first_ns))
        last = begin + int(np.searchsorted(ended, last_ns, side="right"))
        found: NDArray[np.void] = self._all[rows[first:last]]
        return found


def _pair(rows: NDArray[np.void]) -> NDArray[np.uint64]:
    return mix(rows["client_high"], rows["client_low"], rows["server_high"], rows["server_low"])


def _by_size_alone(anomalies: TcpAnomalies, node: int, side: int, one: _Repeated, carried: _Carried) -> bool:
    """Whether the size is what made the smaller copy pass. A path that was down for all packets passes the next one
    of any size, and a capture before segmentation offload shows segments that no path gets: so the segment is within
    the MSS, other connections of the two hosts were carried while it was repeated, and none of them carried larger
    segments than the smaller one."""
    rows, connection = anomalies.rows, anomalies.connections[node]
    mss = [int(connection[name]) for name in ("client_mss", "server_mss")]
    if one.smaller is None or not all(mss) or int(rows["payload_bytes"][one.at[0]]) > min(mss):
        return False
    around = carried.between(
        node, int(connection["first_ns"]) - _NEAR_NS, int(connection["last_ns"]) + _NEAR_NS
    )
    sender = "client" if side else "server"
    mean_bytes = around[f"{sender}_bytes"] / np.maximum(around[f"{sender}_packets"], 1)
    if (mean_bytes > int(rows["payload_bytes"][one.smaller])).any():
        return False
    first_ns, last_ns = int(rows["time_ns"][one.at[0]]), int(rows["time_ns"][one.at[-1]])
    during = carried.between(node, first_ns, last_ns)
    return bool((during["first_ns"] >= first_ns).any())


def _one(
    anomalies: TcpAnomalies,
    node: int,
    from_client: int,
    at: tuple[int, ...],
    smaller: int | None,
    answers_others: Callable[[int], bool],
) -> Stuck | None:
    """None where nothing shows that the other side was alive: no small segment passed, and the handshake was not
    seen."""
    rows, connection = anomalies.rows, anomalies.connections[node]
    passed = int(rows["passed_bytes"][at[-1]])
    opened = connection["established_ns"] >= 0
    if not opened and not passed:
        return None
    # Whoever falls silent altogether is dead; of a black hole's other side later packets are seen, or its small data.
    heard = int(connection["server_packets" if from_client else "client_packets"])
    if heard < 2 and not (opened and connection["syn_acks"] == 1 and answers_others(node)):
        return None
    client, server = anomalies.endpoints(node)
    ends = (client, server) if from_client else (server, client)
    size, headers = int(rows["payload_bytes"][at[0]]), int(rows["header_bytes"][at[0]]) or HEADERS_BYTES
    return Stuck(node, *ends, size, headers, passed, bool(opened), at, smaller)
