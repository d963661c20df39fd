"""Attempts to one address and port that share their time and differ in their outcome: answered at once, or never.

What spreads connections (kube-proxy, a load balancer, ECMP) chooses by 5-tuple: every SYN of one connection goes the
same way. Where one of n ways is dead, a connection gets an answer to its first SYN or to none; a loss by chance or a
full queue lets retransmissions pass as often as first SYNs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from backend.forensics.connections import NEVER
from backend.forensics.evidence.attempts.retried import Endpoint
from backend.forensics.evidence.attempts.sent_syns import Bools
from backend.forensics.evidence.clocks.matched_packets import mix
from backend.forensics.evidence.clocks.sightings import Ints, Place
from backend.forensics.significance import fisher_exact_p

if TYPE_CHECKING:
    from backend.forensics.evidence.facts import Facts
    from backend.forensics.evidence.losses.destinations import Destination

Words = NDArray[np.uint64]

SYNS_LEAST = 3
"""A connection that failed sent so many at least (SYNs): two in a row are lost by chance as well."""
FAILED_LEAST = 3
OPENED_LEAST = 5
"""Fewer connections on either side show no share (connections)."""
LATE_SHARE = 0.25
"""Opened by a retransmission, of those that failed: with more the outcome is not all or nothing (ratio)."""
MEANWHILE_SHARE = 0.8
"""Failed connections while which another of the same client opened at once (ratio): else it was a matter of time."""
SIGNIFICANT_P = 0.001


@dataclass(frozen=True)
class SplitOutcomes:
    """Of one address and port as clients named it. Rows of `Attempts.table`."""

    server: Endpoint
    failed: Ints
    opened: Ints
    """Answered at the first SYN."""
    late: Ints
    retransmissions: int
    """SYNs of connections that failed, behind the first."""
    p_value: float
    clients: int
    """Client addresses with connections that failed; each had others that opened."""


def find_split_outcomes(facts: Facts, server: Endpoint) -> SplitOutcomes | None:
    """None where its connections do not part into answered at once and never. Attempts whose translation was captured
    are left out: there each backend has an address of its own."""
    attempts = facts.attempts
    rows = attempts.rows_to(server)
    table = attempts.table[rows]
    if table["rewritten_destination"].any():
        return None
    silent = (table["connect_delay_ns"] == NEVER) & ~table["established"]
    failed = silent & (table["transmissions"] >= SYNS_LEAST)
    opened = ~silent & (table["transmissions"] == 1)
    late = ~silent & (table["transmissions"] > 1)
    if failed.sum() < FAILED_LEAST or opened.sum() < OPENED_LEAST or late.sum() > LATE_SHARE * failed.sum():
        return None
    client = mix(table["client_high"], table["client_low"])
    if not _meanwhile(facts, rows, (failed, opened), client):
        return None
    again = int(
        (table["transmissions"][failed] - 1).sum() + np.maximum(table["transmissions"][late] - 2, 0).sum()
    )
    first, unanswered = int(opened.sum()), int(failed.sum() + late.sum())
    p_value = fisher_exact_p(((first, unanswered), (int(late.sum()), again)), "greater")
    if p_value >= SIGNIFICANT_P:
        return None
    return SplitOutcomes(
        server, rows[failed], rows[opened], rows[late], again, p_value, len(np.unique(client[failed]))
    )


def _meanwhile(facts: Facts, rows: Ints, outcome: tuple[Bools, Bools], client: Words) -> bool:
    """Nearly every failed connection has one of its own client that opened between its first and its last SYN."""
    failed, opened = outcome
    retried, table = facts.attempts.retried, facts.attempts.table[rows]
    start = table["start_ns"]
    position = retried.position_of_link[table["link"][failed]]
    last = np.where(position >= 0, retried.last_ns[np.maximum(position, 0)], start[failed])
    beside = 0
    for each in np.unique(client[failed]).tolist():
        times, own = np.sort(start[opened & (client == each)]), client[failed] == each
        after = np.searchsorted(times, start[failed][own], side="right")
        beside += int((np.searchsorted(times, last[own], side="left") > after).sum())
    return beside >= MEANWHILE_SHARE * int(failed.sum())


@dataclass(frozen=True)
class SplitWays:
    """SYNs to one endpoint that left by two ways: one answered nothing, the other everything or nearly so."""

    dead: Place
    living: Place
    lost: int
    """SYNs last seen at `dead`, none of them answered."""
    answered: int
    """SYNs answered at once that left by `living`."""
    lost_living: int
    """SYNs last seen at `living` and not answered."""
    p_value: float
    losses: tuple[int, ...]
    """Numbers in `Destination.losses`."""


def find_split_ways(facts: Facts, d: Destination) -> SplitWays | None:
    """None unless one vantage point has lost SYNs alone, and another of the same capture answered ones of the same
    clients: the interface of a client whose SYNs a rule drops is no way."""
    unanswered = np.flatnonzero(d.losses.is_kind("beyond", "inside"))
    if len(unanswered) < OPENED_LEAST:
        return None
    places, opened = facts.attempts.places, _opened(facts, d)
    answered = dict(_answered_places(facts, d, opened["link"]))
    lost = np.bincount(d.losses.inner[unanswered], minlength=len(places))
    dead = int(np.argmax(np.where([n in answered for n in range(len(places))], -1, lost)))
    numbers = unanswered[d.losses.inner[unanswered] == dead]
    same = [n for n in answered if places[n].machine == places[dead].machine]
    if dead in answered or len(numbers) < OPENED_LEAST or not same:
        return None
    living = max(_outermost(facts, same), key=lambda n: answered[n])
    if answered[living] < OPENED_LEAST or not _same_clients(facts, d.losses.attempt[numbers], opened):
        return None
    table = ((answered[living], int(lost[living])), (0, len(numbers)))
    p_value = fisher_exact_p(table, "greater")
    if p_value >= SIGNIFICANT_P:
        return None
    ends = places[dead], places[living]
    return SplitWays(
        *ends, len(numbers), answered[living], int(lost[living]), p_value, tuple(numbers.tolist())
    )


def _same_clients(facts: Facts, position: Ints, opened: NDArray[np.void]) -> bool:
    """Nearly all of these attempts are of clients that opened connections there."""
    table = facts.attempts.table[facts.attempts.retried.row[position]]
    own, other = (mix(each["client_high"], each["client_low"]) for each in (table, opened))
    return bool(np.isin(own, other).mean() >= MEANWHILE_SHARE)


def _opened(facts: Facts, d: Destination) -> NDArray[np.void]:
    """Attempts to that endpoint, by the names that clients gave it, that were answered at once."""
    attempts = facts.attempts
    named = [attempts.table[attempts.rows_to(Endpoint.of(server))] for server in sorted(d.servers)]
    table = np.concatenate(named)
    found: NDArray[np.void] = table[(table["connect_delay_ns"] != NEVER) & (table["transmissions"] == 1)]
    return found


def _outermost(facts: Facts, numbers: list[int]) -> list[int]:
    """Those that are furthest out on the path."""
    rank = facts.attempts.order.rank
    furthest = max(rank[n] for n in numbers)
    return [n for n in numbers if rank[n] == furthest]


def _answered_places(facts: Facts, d: Destination, opened: Ints) -> Iterator[tuple[int, int]]:
    """(number of a place, SYNs of these links to that endpoint that it saw)."""
    attempts = facts.attempts
    for place in attempts.places:
        link = attempts.sightings.link[attempts.syns_at(place, d.endpoint)]
        count = int(np.isin(link, opened).sum())
        if count:
            yield place.number, count
