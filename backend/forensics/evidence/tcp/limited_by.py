"""What limited each connection that transferred data: shares of its time that add up to the whole.

Asked as Dapper does (SOSR 2017), with the words of RFC 4898: the sender's application, the receiver window, or the
network, which holds the congestion window, losses and the round trip itself; and the handshake before. A send buffer
that is too small looks like the network's: the socket alone knows of it (`ss -ti`: sndbuf_limited). Far from the sender
the receiver window and the network are separated less exactly: a queue makes the round trip longer than the
handshake's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.connections import CONNECTION_DTYPE, NEVER
from backend.forensics.evidence.attempts.attempts import Attempts
from backend.forensics.evidence.clocks.grouped_rows import GroupedRows
from backend.forensics.evidence.clocks.sightings import Ints, join_rows
from backend.forensics.packets import TCP

Shares = NDArray[np.float64]
"""One for each connection, 0 to 1; NaN where it is not known."""

LIMITS: Final = ("application", "receiver_window", "network", "handshake")


@dataclass(frozen=True)
class LimitedBy:
    """Of each row of a connection table. They add up to 1, or are all NaN: without data, without the SYN or without
    the SYN-ACK, which say how far away both ends are."""

    application: Shares
    receiver_window: Shares
    network: Shares
    handshake: Shares

    def named(self) -> tuple[tuple[str, Shares], ...]:
        """(limit, shares), the application's first."""
        return tuple((name, getattr(self, name)) for name in LIMITS)


def limited_by(connections: NDArray[np.void]) -> LimitedBy:
    """`connections` is CONNECTION_DTYPE, one row for each connection and vantage point."""
    total_ns = (connections["last_ns"] - connections["first_ns"]).astype(np.float64)
    opened = (connections["syns"] > 0) & (connections["syn_ack_ns"] != NEVER)
    opened &= (connections["established_ns"] != NEVER) & (connections["protocol"] == TCP)
    known = opened & (connections["data_segments"] > 0) & (total_ns > 0)
    handshake_ns = (connections["established_ns"] - connections["syn_ns"]).astype(np.float64)
    network_ns, window_ns = (
        connections[name].astype(np.float64) for name in ("network_ns", "receiver_window_ns")
    )
    # A capture whose clock was set back may have counted more than the whole.
    known &= (handshake_ns >= 0) & (handshake_ns + network_ns + window_ns <= total_ns)
    whole_ns = np.where(known, total_ns, np.nan)
    handshake, network, window = (ns / whole_ns for ns in (handshake_ns, network_ns, window_ns))
    return LimitedBy(np.maximum(1 - handshake - network - window, 0), window, network, handshake)


@dataclass(frozen=True)
class ConnectionLimits:
    """Of connections over all vantage points whose limits are known, by link: one row each."""

    link: Ints
    limits: LimitedBy
    total_ns: Ints
    server: tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64]]
    """Address (high, low) and port of the server, as seen nearest to the client."""

    def rows_to(self, server: tuple[int, int, int]) -> Ints:
        """Rows of the connections to that server."""
        return self._by_server.of(*server)

    @cached_property
    def _by_server(self) -> GroupedRows:
        return GroupedRows(*self.server)


def limit_connections(captures: Sequence[Capture], attempts: Attempts) -> ConnectionLimits:
    """Each connection as seen nearest to the end that sent more: there a sender's waiting is seen undelayed."""
    nodes = join_rows([c.connections for c in captures], CONNECTION_DTYPE)
    limits = limited_by(nodes)
    rows = np.flatnonzero(~np.isnan(limits.network))
    link = attempts.sightings.link_of_node[rows]
    rank = _ranks(captures, attempts, nodes, rows)
    from_server = nodes["server_bytes"][rows] > nodes["client_bytes"][rows]
    nearest_to_sender = rows[np.lexsort((np.where(from_server, -rank, rank), link))]
    by_link = np.lexsort((rank, link))
    starts = np.flatnonzero(np.diff(link[by_link], prepend=-1))
    chosen, outer = nearest_to_sender[starts], rows[by_link][starts]
    return ConnectionLimits(
        link[by_link][starts],
        LimitedBy(*(shares[chosen] for _, shares in limits.named())),
        nodes["last_ns"][chosen] - nodes["first_ns"][chosen],
        (
            nodes["server_high"][outer],
            nodes["server_low"][outer],
            nodes["server_port"][outer].astype(np.uint64),
        ),
    )


def _ranks(captures: Sequence[Capture], attempts: Attempts, nodes: NDArray[np.void], rows: Ints) -> Ints:
    """Of each node: how near to the clients its vantage point is, 0 is nearest."""
    points = np.cumsum([0, *(len(c.vantage_points) for c in captures)])
    capture = np.searchsorted(np.array(attempts.sightings.node_offset), rows, side="right") - 1
    found: Ints = np.array(attempts.order.rank, np.int64)[
        points[capture] + nodes["vantage"][rows].astype(np.int64)
    ]
    return found
