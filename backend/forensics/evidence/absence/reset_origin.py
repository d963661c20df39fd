"""Whose RST it was: one that a vantage point nearer to the server never saw was sent on the path, in its name."""

from __future__ import annotations

import numpy as np

from backend.forensics.connections import CONNECTION_DTYPE
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.loss_places import recorded_at
from backend.forensics.evidence.sent_syns import Bools
from backend.forensics.evidence.sightings import Ints, join_rows
from backend.forensics.evidence.sorted_rows import distinct, stable_order

BY_SERVER_BIT = 2
"""Of `resets` in CONNECTION_DTYPE."""


def reset_on_path(facts: Facts, nodes: Ints, closed_ns: Ints) -> Bools:
    """Of connections that the server's side reset (rows of all connection tables, with the common time of their end in
    ns): the vantage point nearest to the server recorded then, saw packets of the server, and no RST of it. Nothing is
    claimed of captures that lost packets."""
    found = np.zeros(len(nodes), np.bool_)
    if facts.quality.lossy or not len(nodes):
        return found
    table = join_rows([c.connections for c in facts.captures], CONNECTION_DTYPE)
    capture = np.repeat(np.arange(len(facts.captures)), [len(c.connections) for c in facts.captures])
    first_place = np.cumsum([0, *(len(c.vantage_points) for c in facts.captures)])
    place = first_place[capture] + table["vantage"].astype(np.int64)
    link = facts.attempts.sightings.link_of_node
    rank = np.array(facts.attempts.order.rank, np.int64)[place]
    order = stable_order(link, (-rank,))
    outermost = order[np.flatnonzero(np.diff(link[order], prepend=-1))]
    far = outermost[np.searchsorted(link[outermost], link[nodes])]
    silent = (table["resets"][far] & BY_SERVER_BIT) == 0
    found[:] = silent & (table["server_packets"][far] > 0) & (place[far] != place[nodes])
    for number in distinct(place[far[found]]).tolist():
        mine = np.flatnonzero(found & (place[far] == number))
        found[mine] = recorded_at(facts.attempts, facts.attempts.places[number], closed_ns[mine])
    return found
