"""The endpoint that each attempt really asked, as seen furthest out, and what came back from there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from backend.forensics.connections import NEVER
from backend.forensics.evidence.attempts.attempts import Attempts
from backend.forensics.evidence.attempts.sent_syns import Bools
from backend.forensics.evidence.clocks.matched_packets import mix
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.clocks.sorted_rows import distinct, stable_order, taken
from backend.forensics.packets import ACK, RST

Words = NDArray[np.uint64]


@dataclass(frozen=True)
class Ends:
    """Beside the table of attempts: an endpoint, and whether it answered with SYN-ACK or RST."""

    high: Words
    low: Words
    port: Ints
    opened: Bools
    refused: Bools


def outer_ends(attempts: Attempts) -> Ends:
    """The last place of each link's path shows the address that was really asked."""
    sightings, table = attempts.sightings, attempts.table
    rows, syns = sightings.rows, np.flatnonzero(sightings.transmission >= 0)
    link = sightings.link[syns]
    rank = np.array(attempts.order.rank, np.int64)[sightings.place[syns]]
    order = stable_order(link, (rank,))
    last = order[np.flatnonzero(np.append(np.diff(link[order]) != 0, True))]
    row_of_link = np.full(int(sightings.link_of_node.max()) + 1, -1, np.int64)
    row_of_link[table["link"]] = np.arange(len(table))
    place = row_of_link[link[last]]
    high, low = np.zeros(len(table), np.uint64), np.zeros(len(table), np.uint64)
    port = np.zeros(len(table), np.int64)
    high[place] = taken(rows["destination_high"], syns[last])
    low[place] = taken(rows["destination_low"], syns[last])
    port[place] = taken(rows["destination_port"], syns[last])
    opened = (table["connect_delay_ns"] != NEVER) | table["established"]
    return Ends(
        high, low, port, opened, _refused(attempts, row_of_link) & (table["connect_delay_ns"] == NEVER)
    )


def _refused(attempts: Attempts, row_of_link: Ints) -> Bools:
    """RST with ACK answers a SYN (RFC 9293 section 3.10.7.1)."""
    rows, link = attempts.sightings.rows, attempts.sightings.link
    is_reset = ((rows["tcp_flags"] & (RST | ACK)) == RST | ACK) & (link >= 0)
    refused = np.zeros(len(attempts.table), np.bool_)
    found = row_of_link[link[is_reset]]
    refused[found[found >= 0]] = True
    return refused


def asked_ends(table: NDArray[np.void], ends: Ends) -> Ends:
    """The same, by the address that the client asked for."""
    return replace(
        ends,
        high=table["server_high"].astype(np.uint64),
        low=table["server_low"].astype(np.uint64),
        port=table["server_port"].astype(np.int64),
    )


def on_any_port(ends: Ends) -> Ends:
    """The same as if each host had one port: for what holds of whole hosts."""
    return replace(ends, port=np.zeros_like(ends.port))


def answered_pairs(attempts: Attempts, ends: Ends, views: Iterable[Ends]) -> Bools:
    """By attempt that was sent again: some attempt of its client to its endpoint (`ends`) was answered, in any of the
    views."""
    table, row = attempts.table, attempts.retried.row
    clients = distinct(table["client_low"][row])
    asked = mix(
        table["client_high"][row], table["client_low"][row], ends.high[row], ends.low[row], ends.port[row]
    )
    answered = np.zeros(len(row), np.bool_)
    for view in views:
        chosen = np.flatnonzero((view.opened | view.refused) & np.isin(table["client_low"], clients))
        client = table["client_high"][chosen], table["client_low"][chosen]
        answered |= np.isin(asked, mix(*client, view.high[chosen], view.low[chosen], view.port[chosen]))
    return answered
