"""Whose RST it was: one that a vantage point nearer to the server never saw was sent on the path, in its name.

Every router lowers the TTL by one (RFC 791): a RST that passed another number of routers than the SYN-ACK of its
connection came from elsewhere. One that passed as many, and at least one, may be the server's or that of a device which
hides well; only where no router lies between is it the server's for sure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.connections import CONNECTION_DTYPE
from backend.forensics.evidence.absence.loss_places import recorded_at
from backend.forensics.evidence.attempts.sent_syns import Bools
from backend.forensics.evidence.clocks.grouped_rows import by_value
from backend.forensics.evidence.clocks.sightings import Ints, join_rows
from backend.forensics.evidence.clocks.sorted_rows import distinct, stable_order
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.nat.untranslated import tuple_key
from backend.forensics.evidence.round_trips.routed_hosts import INITIAL_TTLS
from backend.forensics.packets import ACK, RST, SYN, TCP

USUALLY_OF_LEAST = 3
"""Connections that opened, from which on the vantage point that all of them reached is one that others reach, too."""
BY_SERVER_BIT = 2
"""Of `resets` in CONNECTION_DTYPE."""


def reset_on_path(facts: Facts, nodes: Ints, closed_ns: Ints) -> Bools:
    """Of connections that the server's side reset (rows of all connection tables, with the common time of their end in
    ns): the vantage point nearest to the server recorded then, saw packets of the server, and no RST of it. Nothing is
    claimed of captures that lost packets."""
    found = np.zeros(len(nodes), np.bool_)
    if facts.quality.lossy or not len(nodes):
        return found
    table, place, far = _far_ends(facts, nodes)
    silent = (table["resets"][far] & BY_SERVER_BIT) == 0
    found[:] = silent & (table["server_packets"][far] > 0) & (place[far] != place[nodes])
    for number in distinct(place[far[found]]).tolist():
        mine = np.flatnonzero(found & (place[far] == number))
        found[mine] = recorded_at(facts.attempts, facts.attempts.places[number], closed_ns[mine])
    return found


def refused_on_path(facts: Facts, refused: Ints, opened: Ints, closed_ns: Ints) -> Bools:
    """Of refused connections (rows of all connection tables, with the common time of their end in ns): every opened one
    to that address and port reached one vantage point under the same address, which recorded then and saw no packet of
    the refused one."""
    found = np.zeros(len(refused), np.bool_)
    if facts.quality.lossy or not len(refused) or not len(opened):
        return found
    table, place, far = _far_ends(facts, np.concatenate([refused, opened]))
    near = np.concatenate([refused, opened])
    server = tuple_key(table["server_high"], table["server_low"], table["server_port"].astype(np.int64))
    refused_far, opened_far = far[: len(refused)], far[len(refused) :]
    opened_to = by_value(np.arange(len(opened)), server[opened])
    for each, mine in by_value(np.arange(len(refused)), server[refused]).items():
        passed = opened_to.get(each, np.zeros(0, np.int64))
        ends = distinct(place[opened_far[passed]])
        if len(passed) < USUALLY_OF_LEAST or len(ends) != 1 or (server[opened_far[passed]] != each).any():
            continue
        beyond = (place[refused_far[mine]] != ends[0]) & (place[near[mine]] != ends[0])
        beyond &= recorded_at(facts.attempts, facts.attempts.places[int(ends[0])], closed_ns[mine])
        found[mine] = beyond
    return found


@dataclass(frozen=True, eq=False)
class ResetRoutes:
    """Of connections that the server's side reset: `elsewhere`: the RST passed another number of routers than the
    SYN-ACK; `direct`: both passed none."""

    elsewhere: Bools
    direct: Bools


def reset_routes(facts: Facts, nodes: Ints) -> ResetRoutes:
    """By the TTLs at the vantage point nearest to the server that saw the RST; `nodes` are rows of all connection
    tables. Both false where a TTL is not known."""
    table, _, far = _far_ends(facts, nodes)
    seen = np.where((table["resets"][far] & BY_SERVER_BIT) != 0, far, nodes)
    ttls = [_server_ttls(capture) for capture in facts.captures]
    answer, reset = (np.concatenate([each[n] for each in ttls])[seen].astype(np.int64) for n in range(2))
    known = (answer > 0) & (reset > 0)
    elsewhere = known & (_routers(answer) != _routers(reset))
    return ResetRoutes(elsewhere, known & (answer == reset) & (_routers(answer) == 0))


def _routers(ttl: Ints) -> Ints:
    """How many routers lowered it, from the next value that hosts begin with."""
    begin = np.array(sorted(INITIAL_TTLS), np.int64)
    return begin[np.minimum(np.searchsorted(begin, ttl), len(begin) - 1)] - ttl


def _server_ttls(capture: Capture) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """(TTL of the SYN-ACK, TTL of the server's RST) by connection, 0 where none was captured."""
    rows, table = capture.handshakes, capture.connections
    sent_flags, connection = rows["tcp_flags"], rows["connection"]
    of_tcp = (rows["protocol"] == TCP) & (connection < len(table))
    found = np.zeros((2, len(table)), np.uint8)
    for number, flags in enumerate((SYN | ACK, RST)):
        # Single columns of these rows: whole rows of a scan of a million SYNs are 390 MB.
        at = np.flatnonzero(of_tcp & ((sent_flags & flags) == flags))
        of = connection[at]
        by_server = rows["source_port"][at] == table["server_port"][of]
        by_server &= rows["source_low"][at] == table["server_low"][of]
        found[number, of[by_server]] = rows["ttl"][at[by_server]]
    return found[0], found[1]


def _far_ends(facts: Facts, nodes: Ints) -> tuple[NDArray[np.void], Ints, Ints]:
    """(all connection tables, the vantage point of each row, for each of `nodes` the row nearest to the server)."""
    table = join_rows([c.connections for c in facts.captures], CONNECTION_DTYPE)
    capture = np.repeat(np.arange(len(facts.captures)), [len(c.connections) for c in facts.captures])
    first_place = np.cumsum([0, *(len(c.vantage_points) for c in facts.captures)])
    place = first_place[capture] + table["vantage"].astype(np.int64)
    link = facts.attempts.sightings.link_of_node
    rank = np.array(facts.attempts.order.rank, np.int64)[place]
    order = stable_order(link, (-rank,))
    outermost = order[np.flatnonzero(np.diff(link[order], prepend=-1))]
    return table, place, outermost[np.searchsorted(link[outermost], link[nodes])]
