"""Whether a capture was taken at a server: the vantage point furthest from its clients, where no router has lowered the
TTL of its SYN-ACKs (RFC 791: every router takes one off)."""

from __future__ import annotations

import numpy as np

from backend.forensics.evidence.attempts.attempts import Attempts
from backend.forensics.evidence.attempts.retried import Endpoint
from backend.forensics.evidence.clocks.grouped_rows import GroupedRows
from backend.forensics.evidence.clocks.sorted_rows import taken
from backend.forensics.evidence.round_trips.routed_hosts import INITIAL_TTLS
from backend.forensics.packets import ACK, SYN


class ServerCaptures:
    """Asked for one server after the other: SYN-ACKs are sorted by their sender once."""

    def __init__(self, attempts: Attempts) -> None:
        self._attempts = attempts
        rows = attempts.sightings.rows
        self._row = np.flatnonzero((rows["tcp_flags"] & (SYN | ACK)) == SYN | ACK)
        self._by_host = GroupedRows(*(taken(rows[f"source_{part}"], self._row) for part in ("high", "low")))

    def captured_at(self, server: Endpoint) -> bool:
        """Whether the machine furthest out that saw SYN-ACKs from this address and port (port 0: from any) saw all of
        them with the TTL that a host begins with, and another machine nearer to the clients saw them lowered."""
        seen, rank = self._attempts.sightings, self._attempts.order.rank
        own = self._row[self._by_host.of(server.high, server.low)]
        if server.port:
            own = own[seen.rows["source_port"][own] == server.port]
        passed = [seen.places[n] for n in np.unique(seen.place[own]).tolist()]
        if not passed:
            return False
        furthest = max(passed, key=lambda place: rank[place.number])
        at_furthest = np.array([p.machine == furthest.machine for p in seen.places], np.bool_)[
            seen.place[own]
        ]
        ttl = seen.rows["ttl"][own]
        unrouted = np.isin(ttl, INITIAL_TTLS)
        return bool(unrouted[at_furthest].all() and (~unrouted & (ttl > 0))[~at_furthest].any())
