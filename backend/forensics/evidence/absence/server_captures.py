"""Whether a capture was taken at a server: the vantage point furthest from its clients, where no router has lowered the
TTL of its SYN-ACKs (RFC 791: every router takes one off)."""

from __future__ import annotations

import numpy as np

from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.retried import Endpoint
from backend.forensics.evidence.routed_hosts import INITIAL_TTLS
from backend.forensics.packets import ACK, SYN


def captured_at_server(facts: Facts, server: Endpoint) -> bool:
    """Whether the machine furthest out that saw SYN-ACKs from this address and port (port 0: from any) saw all of them
    with the TTL that a host begins with, and another machine nearer to the clients saw them lowered."""
    seen, rank = facts.attempts.sightings, facts.attempts.order.rank
    rows = seen.rows
    own = (rows["tcp_flags"] & (SYN | ACK)) == SYN | ACK
    own &= (rows["source_low"] == server.low) & (rows["source_high"] == server.high)
    if server.port:
        own &= rows["source_port"] == server.port
    passed = [seen.places[n] for n in np.unique(seen.place[own]).tolist()]
    if not passed:
        return False
    furthest = max(passed, key=lambda place: rank[place.number])
    at_furthest = np.array([p.machine == furthest.machine for p in seen.places], np.bool_)[seen.place[own]]
    ttl = rows["ttl"][own]
    unrouted = np.isin(ttl, INITIAL_TTLS)
    return bool(unrouted[at_furthest].all() and (~unrouted & (ttl > 0))[~at_furthest].any())
