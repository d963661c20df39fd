"""Signals of TCP connections, each connection as one vantage point saw it.

The vantage point that saw most of a connection's segments sent again is taken, of equals the one that saw more of them
twice: nearest to whoever sends again, since behind a loss the first of the two segments is missing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.connections import CONNECTION_DTYPE
from backend.forensics.evidence.attempts.attempts import Attempts, Endpoint
from backend.forensics.evidence.attempts.delays import Frame
from backend.forensics.evidence.clocks.sightings import Ints, Place, boundaries, join_rows
from backend.forensics.evidence.clocks.sorted_rows import distinct, lexsort
from backend.forensics.packets import TCP
from backend.forensics.signals import FILLED, SENT_AGAIN, SIGNAL_DTYPE

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Servers:
    """Addresses and ports side by side; objects only of those that somebody looks at."""

    high: NDArray[np.uint64]
    low: NDArray[np.uint64]
    port: NDArray[np.uint16]

    def __len__(self) -> int:
        return len(self.port)

    def __getitem__(self, number: int) -> Endpoint:
        return Endpoint(int(self.high[number]), int(self.low[number]), int(self.port[number]))


@dataclass(frozen=True)
class TcpAnomalies:
    """`rows` are SIGNAL_DTYPE with times of their own captures, sorted by connection and time; beside them
    `common_ns`, the same times on the reference clock, `node` (row of all connection tables, one
    after the other), `place` and `server`, the number of the server in `servers`. `connections` are those tables."""

    places: tuple[Place, ...]
    rows: NDArray[np.void]
    common_ns: Ints
    node: Ints
    place: Ints
    server: Ints
    servers: Servers
    connections: NDArray[np.void]
    connections_of: Ints
    """By server: TCP connections to it, at the vantage point that saw most of them."""

    def frames(self, at: Iterable[int], *, before: bool = False) -> list[Frame]:
        """(input, frame) of these rows, with the packet before each if wanted."""
        chosen = np.fromiter(at, np.int64)
        columns = (
            column[chosen].tolist()
            for column in (self.place, self.rows["frame"], self.rows["previous_frame"])
        )
        found = []
        for place, frame, previous in zip(*columns, strict=True):
            name = self.places[place].input
            found.append((name, frame))
            if before and previous:
                found.append((name, previous))
        return found

    def endpoints(self, node: int) -> tuple[Endpoint, Endpoint]:
        """Client and server of a connection, as seen there."""
        row = self.connections[node]
        client = Endpoint(int(row["client_high"]), int(row["client_low"]), int(row["client_port"]))
        return client, Endpoint(int(row["server_high"]), int(row["server_low"]), int(row["server_port"]))


def collect_anomalies(captures: Sequence[Capture], attempts: Attempts) -> TcpAnomalies:
    """All signals, each logical connection once."""
    places = attempts.places
    connections = join_rows([c.connections for c in captures], CONNECTION_DTYPE)
    rows = join_rows([c.signals for c in captures], SIGNAL_DTYPE)
    capture = np.repeat(np.arange(len(captures)), [len(c.signals) for c in captures]).astype(np.int64)
    first_node = np.cumsum([0, *(len(c.connections) for c in captures)])
    first_place = np.cumsum([0, *(len(c.vantage_points) for c in captures)])
    node = first_node[capture] + rows["connection"].astype(np.int64)
    place = first_place[capture] + rows["vantage"].astype(np.int64)
    link = _links(connections, attempts.sightings.link_of_node)
    server_of_node, servers = _servers(connections)
    totals = _connections_of(connections, link, server_of_node, len(servers))
    chosen = _one_sighting(rows["kind"], node, link, attempts.order.rank, place)
    chosen = chosen[lexsort((rows["time_ns"][chosen], node[chosen]))]
    node = node[chosen]
    common_ns = attempts.clocks.of_captures(capture[chosen], rows["time_ns"][chosen].astype(np.int64))
    return TcpAnomalies(
        places,
        rows[chosen],
        common_ns,
        node,
        place[chosen],
        server_of_node[node],
        servers,
        connections,
        totals,
    )


def _links(connections: NDArray[np.void], known: Ints) -> Ints:
    """Connections of one SYN are linked over vantage points and NAT, those of a SYN-ACK alone with them; those begun
    before the capture by their ends."""
    link = known.copy() if len(known) == len(connections) else np.arange(len(connections))
    without = connections["syns"] == 0
    joined = np.isin(link, link[~without])
    begun = np.flatnonzero(without & ~joined & (connections["protocol"] == TCP))
    if not len(begun):
        return link
    names = (
        "client_high",
        "client_low",
        "client_port",
        "server_high",
        "server_low",
        "server_port",
        "network",
    )
    order = begun[lexsort(tuple(connections[name][begun] for name in names))]
    new = np.ones(len(order), np.bool_)
    new[1:] = False
    for name in names:
        new[1:] |= connections[name][order][1:] != connections[name][order][:-1]
    link[order] = int(link.max(initial=-1)) + 1 + np.cumsum(new)
    return link


def _servers(connections: NDArray[np.void]) -> tuple[Ints, Servers]:
    number = np.zeros(len(connections), np.int64)
    if not len(connections):
        return number, Servers(*np.zeros((3, 0), np.uint64))
    high, low, port = (
        np.ascontiguousarray(connections[f"server_{part}"]) for part in ("high", "low", "port")
    )
    order = lexsort((port, low, high))
    new = boundaries((low, port, high), order)
    number[order] = np.cumsum(new) - 1
    first = order[new]
    return number, Servers(high[first], low[first], port[first])


def _connections_of(connections: NDArray[np.void], link: Ints, server: Ints, servers_total: int) -> Ints:
    """By server: how many links lead there."""
    tcp = np.flatnonzero(connections["protocol"] == TCP)
    links_total = int(link.max(initial=0)) + 1
    pairs = distinct(server[tcp] * links_total + link[tcp])  # both are less than 2^31
    return np.bincount(pairs // links_total, minlength=servers_total)


def _one_sighting(kind: NDArray[np.uint8], node: Ints, link: Ints, rank: Sequence[int], place: Ints) -> Ints:
    """Positions of the signals of the one node of each link that saw most segments sent again; of equals that saw more
    of them twice, then with most signals, then the nearest to the client."""
    if not len(node):
        return node
    nodes, first, of, counts = np.unique(node, return_index=True, return_inverse=True, return_counts=True)
    again, twice = (
        np.bincount(of, (kind & bits) == SENT_AGAIN).astype(np.int64)
        for bits in (SENT_AGAIN, SENT_AGAIN | FILLED)
    )
    near = np.array(rank, np.int64)[place[first]] if len(rank) else np.zeros(len(nodes), np.int64)
    order = lexsort((nodes, near, -counts, -twice, -again, link[nodes]))
    best = order[np.unique(link[nodes][order], return_index=True)[1]]
    return np.flatnonzero(np.isin(node, nodes[best]))
