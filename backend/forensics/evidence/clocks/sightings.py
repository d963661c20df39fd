"""One packet over several vantage points: which SYNs are one transmission, which connections are one.

NAT rewrites addresses and ports and keeps ISN, IP ID, TSval and the SYN's options: those are the join key
(docs/detection.md). Time only narrows the search, on the common clock of captures that can be compared; what
was recorded on clocks that cannot is never joined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from backend.forensics.captures import Capture, VantagePoint
from backend.forensics.components import connected
from backend.forensics.connections import CONNECTION_DTYPE
from backend.forensics.evidence.clocks.chosen_rows import (
    ChosenRows,
    join_columns,
    numbered_through,
    taken_numbers,
)
from backend.forensics.evidence.clocks.clocks import Clocks, compare_clocks
from backend.forensics.evidence.clocks.copies import merge_copies, merge_near
from backend.forensics.evidence.clocks.matched_packets import mix
from backend.forensics.evidence.clocks.sorted_rows import (
    as_int64,
    renumbered,
    stable_argsort,
    stable_order,
    taken,
)
from backend.forensics.packets import ACK, MARK_COPY, NO_CONNECTION, PACKET_DTYPE, SYN
from backend.forensics.private_words import PrivateWord, of_place

Ints = NDArray[np.int64]

STRONG_WINDOW_NS = 10_000_000_000
"""A stalled queue can hold a SYN for long; ISN, IP ID and TSval together identify it even then."""
WEAK_WINDOW_NS = 250_000_000
"""Without IP ID or TSval only closeness in time distinguishes a sighting from a retransmission."""


@dataclass(frozen=True)
class Place:
    """A vantage point within the investigation."""

    number: int
    id: str
    name: str
    input: str
    capture: int
    point: VantagePoint
    file_ns: tuple[int, int]
    """First and last packet that its machine recorded into the file: an interface that fell silent was still
    recorded."""

    @property
    def word(self) -> PrivateWord:
        """The name, for sentences."""
        return of_place(self.name)

    @property
    def machine(self) -> tuple[int, int]:
        """Equal for vantage points that one machine recorded into one capture."""
        return self.capture, self.point.machine

    @property
    def index(self) -> int:
        """The number of the vantage point inside its capture."""
        return self.point.index


@dataclass(frozen=True)
class Sightings:
    """All handshake packets of all captures, joined.

    `rows` are PACKET_DTYPE in no particular order; the other arrays run beside it. A *node* is a row of one
    capture's connection table, numbered over all captures; a *link* is a logical connection (several nodes,
    one per vantage point). `transmission` is -1 for packets that are no SYN."""

    places: tuple[Place, ...]
    clocks: Clocks
    rows: NDArray[np.void]
    time_ns: Ints
    """Of each row, on the common clock of the captures that can be compared with its own."""
    place: Ints
    node: Ints
    transmission: Ints
    link_of_node: Ints
    node_offset: tuple[int, ...]
    network: Ints
    """Of each row, `Tunnel.network`: a packet inside VXLAN and the same packet bare are joined, equal tuples in
    two networks are not."""
    peer: NDArray[np.bool_]
    """Which rows are SYNs of the end that was called; their `transmission` is -1."""

    @cached_property
    def link(self) -> Ints:
        """The logical connection of each row, -1 for none. Kept: it is as long as all handshakes."""
        return (
            np.where(self.node >= 0, self.link_of_node[np.maximum(self.node, 0)], -1)
            if self.link_of_node.size  # a capture may hold nothing but ICMP errors
            else self.node
        )


@dataclass(frozen=True)
class _Syns:
    """SYNs of all captures: columns of PACKET_DTYPE, and beside them what was looked up. `clock` numbers the clocks."""

    rows: ChosenRows
    time_ns: Ints
    place: Ints
    node: Ints
    network: Ints
    clock: Ints


def join_rows(parts: Sequence[NDArray[np.void]], dtype: np.dtype[np.void]) -> NDArray[np.void]:
    """The tables of all captures one after the other; a single one as it is, without a copy."""
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.zeros(0, dtype)


def list_places(captures: Sequence[Capture]) -> tuple[Place, ...]:
    """Every vantage point of the captures, numbered in the captures' order."""
    places: list[Place] = []
    for number, capture in enumerate(captures):
        ran = _ran(capture)
        for point in capture.vantage_points:
            name = f"{capture.name}#{point.index}"
            places.append(
                Place(len(places), name, point.name, capture.name, number, point, ran[point.machine])
            )
    return tuple(places)


def _ran(capture: Capture) -> dict[int, tuple[int, int]]:
    """First and last packet by machine; of one that recorded nothing, those of the capture."""
    found: dict[int, tuple[int, int]] = {}
    for point in capture.vantage_points:
        if point.packets:
            first, last = found.get(point.machine, (point.first_ns, point.last_ns))
            found[point.machine] = min(first, point.first_ns), max(last, point.last_ns)
    whole = (capture.first_ns, capture.last_ns)
    if len({point.machine for point in capture.vantage_points}) == 1:
        return {point.machine: whole for point in capture.vantage_points}
    return {point.machine: found.get(point.machine, whole) for point in capture.vantage_points}


def join_sightings(captures: Sequence[Capture]) -> Sightings:
    """Join the handshake packets of all captures over vantage points and NAT."""
    places = list_places(captures)
    first_place = np.cumsum([0, *(len(c.vantage_points) for c in captures)])
    node_offset = np.cumsum([0, *(len(c.connections) for c in captures)])
    rows = join_rows([c.handshakes for c in captures], PACKET_DTYPE)
    capture = _capture_of(captures)
    place = numbered_through(first_place, capture, rows["vantage"])
    node = numbered_through(node_offset, capture, rows["connection"])
    node = np.where(rows["connection"] == NO_CONNECTION, -1, node)
    network = _networks(captures, node)
    is_syn = ((rows["tcp_flags"] & (SYN | ACK)) == SYN) & ((rows["marks"] & MARK_COPY) == 0) & (node >= 0)
    peer = is_syn.copy()
    peer[is_syn] = _of_called(captures, rows, is_syn, node[is_syn])
    is_syn &= ~peer
    clocks = compare_clocks(captures)
    time_ns = _common_times(captures, clocks)
    # Of a scan all are SYNs.
    syns = None if is_syn.all() else np.flatnonzero(is_syn)
    clock = np.array(clocks.group, np.int64)

    def of_syns(column: Ints) -> Ints:
        return column if syns is None else taken(column, syns)

    seen = _Syns(
        ChosenRows((rows, syns)),
        of_syns(time_ns),
        of_syns(place),
        of_syns(node),
        of_syns(network),
        taken_numbers(clock, of_syns(capture)),
    )
    joined = _group_transmissions(seen)
    lone = _lone_answers(rows, node, seen.node)
    asking = ChosenRows((_asking(rows[lone]), None))
    answers = _Syns(asking, time_ns[lone], place[lone], node[lone], network[lone], clock[capture[lone]])
    link_of_node = _link_nodes(seen, joined, answers, int(node_offset[-1]))
    transmission = np.full(len(rows), -1, np.int64)
    syn_link = link_of_node[seen.node]
    transmission[is_syn] = merge_copies(seen.rows, seen.time_ns, seen.place, syn_link, joined)
    back = ~is_syn & (node >= 0) & ((rows["marks"] & MARK_COPY) == 0)
    transmission[is_syn] = merge_near(
        seen.time_ns, syn_link, transmission[is_syn], time_ns[back], link_of_node[node[back]]
    )
    return Sightings(
        places,
        clocks,
        rows,
        time_ns,
        place,
        node,
        transmission,
        link_of_node,
        tuple(int(n) for n in node_offset),
        network,
        peer,
    )


def _of_called(
    captures: Sequence[Capture], rows: NDArray[np.void], is_syn: NDArray[np.bool_], node: Ints
) -> NDArray[np.bool_]:
    """SYNs of the end that was called: both ends open at once, or a split handshake (RFC 9293 section 3.5). They answer
    the client's SYN, and are neither a repetition of it nor its translation."""
    found = np.zeros(len(node), np.bool_)
    connections = join_rows([c.connections for c in captures], CONNECTION_DTYPE)
    syns = np.flatnonzero(is_syn)
    for part in ("high", "low", "port"):
        found |= taken(rows[f"source_{part}"], syns) != taken(connections[f"client_{part}"], node)
    return found


def _lone_answers(rows: NDArray[np.void], node: Ints, asking: Ints) -> Ints:
    """SYN-ACKs of nodes without a SYN: the answer came by another way than the SYN left."""
    is_answer = ((rows["tcp_flags"] & (SYN | ACK)) == SYN | ACK) & (node >= 0)
    return np.flatnonzero(is_answer & ~np.isin(node, asking))


def _asking(answers: NDArray[np.void]) -> NDArray[np.void]:
    """The SYNs that they answer, as far as the answers show: tuple and ISN."""
    syns = answers.copy()
    for part in ("high", "low", "port"):
        syns[f"source_{part}"], syns[f"destination_{part}"] = (
            answers[f"destination_{part}"],
            answers[f"source_{part}"],
        )
    syns["sequence"] = answers["acknowledgement"] - np.uint32(1)
    return syns


def _joined(one: _Syns, other: _Syns) -> _Syns:
    if not len(other.rows):
        return one
    columns = ("time_ns", "place", "node", "network", "clock")
    pairs = ((getattr(one, name), getattr(other, name)) for name in columns)
    return _Syns(one.rows.followed_by(other.rows), *(np.concatenate(pair) for pair in pairs))


def _common_times(captures: Sequence[Capture], clocks: Clocks) -> Ints:
    """Of each handshake packet of all captures, on the clock of its group."""
    parts = [
        clocks.on_reference(number, as_int64(capture.handshakes["time_ns"]))
        for number, capture in enumerate(captures)
    ]
    return join_columns(parts)


def _capture_of(captures: Sequence[Capture]) -> Ints:
    """Of each handshake packet the number of its capture; of a single one 0, shown in every row."""
    rows = [len(capture.handshakes) for capture in captures]
    if len(rows) == 1:
        return np.broadcast_to(np.int64(0), rows[0])
    return np.repeat(np.arange(len(captures)), rows).astype(np.int64)


def _networks(captures: Sequence[Capture], node: Ints) -> Ints:
    """`Tunnel.network` of each row: 0 for bare packets and those of no connection."""
    if not any(capture.tunnels for capture in captures):
        return np.broadcast_to(np.int64(0), len(node))
    found = np.zeros(len(node), np.int64)
    if len(node):
        of_node = np.concatenate([capture.connections["network"] for capture in captures]).astype(np.int64)
        found[node >= 0] = of_node[node[node >= 0]]
    return found


def _of_several_networks(group: Ints, network: Ints) -> NDArray[np.bool_]:
    """Rows of groups that were seen in more than one network; bare sightings belong to any."""
    inside = np.flatnonzero(network)
    if not len(inside):
        return np.zeros(len(group), np.bool_)
    pairs = np.unique(np.stack([group[inside], network[inside]], axis=1), axis=0)
    groups, networks = np.unique(pairs[:, 0], return_counts=True)
    return np.isin(group, groups[networks > 1])


def boundaries(columns: Sequence[NDArray[np.generic]], order: Ints) -> NDArray[np.bool_]:
    """True where a row of the sorted order differs from the one before it in any column."""
    new = np.zeros(len(order), np.bool_)
    if not len(order):
        return new
    new[0] = True
    # Where one column differs the others need not be looked at.
    identical = np.arange(1, len(order))
    for column in columns:
        if 2 * len(identical) > len(order):
            ordered = taken(column, order)
            new[1:] |= ordered[1:] != ordered[:-1]
            identical = np.flatnonzero(~new)
        else:
            differs = taken(column, order[identical]) != taken(column, order[identical - 1])
            new[identical[differs]] = True
            identical = identical[~differs]
    return new


def _group_transmissions(seen: _Syns) -> Ints:
    """Number the transmissions: rows with one number are sightings of one packet."""
    syns = seen.rows
    strong = (syns["ip_id"] != 0) & (syns["timestamp_value"] != 0)
    zero = np.uint64(0)
    # SNAT keeps the destination; a weak key leans on it: a scan with one ISN for all targets is not joined. A
    # strong one does not lean on the options: gateways lower the MSS on the way.
    keys: list[NDArray[np.generic]] = [
        syns["sequence"],
        syns["ip_id"],
        syns["timestamp_value"],
        np.where(strong, zero, syns["options_hash"].astype(np.uint64)),
        np.where(strong, zero, syns["destination_low"]),
        np.where(strong, zero, syns["destination_high"]),
        np.where(strong, zero, syns["destination_port"].astype(np.uint64)),
        seen.clock,
    ]
    order = stable_order(_leading(*keys[:3]), (*keys, seen.time_ns))
    new = boundaries(keys, order)
    gap = np.diff(seen.time_ns[order], prepend=seen.time_ns[order[:1]])
    # IPv6 has no IP ID to miss: every later SYN has another TSval.
    sure = strong | ((syns["ip_version"] == 6) & (syns["timestamp_value"] != 0))
    new |= gap > np.where(sure[order], STRONG_WINDOW_NS, WEAK_WINDOW_NS)
    group = np.empty(len(syns), np.int64)
    group[order] = np.cumsum(new) - 1
    return _split_ambiguous(group, seen, strong)


def _leading(*keys: NDArray[np.generic]) -> NDArray[np.uint64]:
    """The sequence number, the IP ID and half of the TSval in one number, that sorts as they do."""
    sequence, ip_id, stamp = (key.astype(np.uint64) for key in keys)
    leading: NDArray[np.uint64] = sequence << np.uint64(32) | ip_id << np.uint64(16) | stamp >> np.uint64(16)
    return leading


def _split_ambiguous(group: Ints, seen: _Syns, strong: NDArray[np.bool_]) -> Ints:
    """Weak groups that hold two connections of one vantage point and network, or two networks, are several
    packets: one per connection."""
    weak = np.flatnonzero(~strong)
    if not len(weak) or len(group) == int(group.max()) + 1:
        return group
    columns = [group[weak], seen.place[weak], seen.network[weak], seen.node[weak]]
    pairs = np.unique(np.stack(columns, axis=1), axis=0)
    found, per_place = np.unique(pairs[:, :3], axis=0, return_counts=True)
    ambiguous = np.isin(group[weak], found[per_place > 1, 0])
    ambiguous |= _of_several_networks(group[weak], seen.network[weak])
    if not ambiguous.any():
        return group
    split = weak[ambiguous]
    separated = group.copy()
    labels = np.stack([group[split], seen.node[split]], axis=1)
    separated[split] = group.max() + 1 + np.unique(labels, axis=0, return_inverse=True)[1].reshape(-1)
    return renumbered(separated)


def _same_tuple(seen: _Syns) -> Ints:
    """Numbers SYNs with one tuple and ISN; those of several networks or clocks are kept apart."""
    tuple_keys = [seen.rows[name] for name in ("sequence", "source_low", "source_high", "source_port")]
    tuple_keys += [seen.rows[name] for name in ("destination_low", "destination_high", "destination_port")]
    tuple_keys.append(seen.clock)
    # Groups need no order among each other: one key sorts, and the columns show what it took for one.
    order = stable_argsort(mix(*tuple_keys))
    number = np.empty(len(seen.rows), np.int64)
    number[order] = np.cumsum(boundaries(tuple_keys, order)) - 1
    apart = _of_several_networks(number, seen.network)
    if not apart.any():
        return number
    labels = np.stack([number, np.where(apart, seen.network, 0)], axis=1)
    return np.unique(labels, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _link_nodes(seen: _Syns, transmission: Ints, answers: _Syns, nodes_total: int) -> Ints:
    """Connected components: nodes that share a transmission, or a tuple with its ISN, are one connection. `answers`
    are SYN-ACKs whose SYN was not seen by their node, as the SYNs that they answer."""
    if not nodes_total:
        return np.zeros(0, np.int64)
    every = _joined(seen, answers)
    same_tuple = _same_tuple(every)
    transmissions_total = int(transmission.max()) + 1 if len(transmission) else 0
    tuples_total = int(same_tuple.max()) + 1 if len(same_tuple) else 0
    node = np.concatenate([seen.node, every.node])
    shared = np.concatenate([transmission, transmissions_total + same_tuple])
    one_of = np.empty(transmissions_total + tuples_total, np.int64)
    one_of[shared] = node
    # Nearly all are of one node alone; the others join theirs to one of them.
    other = one_of[shared]
    joins = node != other
    return connected(node[joins], other[joins], nodes_total)
