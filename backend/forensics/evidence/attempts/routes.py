"""Which vantage points the SYNs of one client to one server pass, and whether they change on the way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.forensics.evidence.attempts.retried import Retried
from backend.forensics.evidence.attempts.sent_syns import Bools
from backend.forensics.evidence.clocks.matched_packets import mix
from backend.forensics.evidence.clocks.sightings import Ints, Sightings
from backend.forensics.evidence.clocks.sorted_rows import place_in

_ROUTE = ("client_high", "client_low", "server_high", "server_low", "server_port")


@dataclass(frozen=True, eq=False)
class Routes:
    """A route is (client address, server address, server port), numbered. Only those of attempts that were sent again:
    nobody asks for others, and captures hold many."""

    of_attempt: Ints
    """Beside `Retried`."""
    seen: Bools
    """[route, place]: the place sees its SYNs."""
    translated: Bools
    """By route: some SYN changed its address or port on the way."""


def list_routes(table: NDArray[np.void], sightings: Sightings, retried: Retried) -> Routes:
    """`table` is that of all attempts (ATTEMPT_DTYPE)."""
    places_total = len(sightings.places)
    if not len(retried):
        nothing = np.zeros(0, np.bool_)
        return Routes(np.zeros(0, np.int64), nothing.reshape(0, places_total), nothing)
    key = mix(*(table[name] for name in _ROUTE))
    keys, of_attempt = np.unique(key[retried.row], return_inverse=True)
    at = np.minimum(place_in(keys, key), len(keys) - 1)
    route = np.where(keys[at] == key, at, -1)
    translated = np.zeros(len(keys), np.bool_)
    translated[route[(route >= 0) & (table["rewritten_source"] | table["rewritten_destination"])]] = True
    route_of_link = np.full(int(sightings.link_of_node.max()) + 1, -1, np.int64)
    route_of_link[table["link"]] = route
    syns = np.flatnonzero(sightings.transmission >= 0)
    passed = route_of_link[sightings.link[syns]]
    seen = np.zeros((len(keys), places_total), np.bool_)
    seen[passed[passed >= 0], sightings.place[syns[passed >= 0]]] = True
    return Routes(of_attempt.reshape(-1).astype(np.int64), seen, translated)
