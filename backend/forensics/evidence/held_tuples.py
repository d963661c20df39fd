"""SYNs to one public address and port that are lost only while a known number of tuples is in use toward it.

A cloud's NAT gives an instance so many source ports for each destination, and keeps one for some time after the close.
At the node the ports show as tuples: from the SYN that was answered to the close and that time more. A server's full
queue counts open connections alone, and a rule or a lossy path counts nothing."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from backend.forensics.connections import NEVER
from backend.forensics.evidence.attempts.sent_syns import Bools
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.nat.cloud_limits import CLOUD_LIMITS, CloudLimit
from backend.forensics.significance import fisher_exact_p

if TYPE_CHECKING:
    from backend.forensics.evidence.facts import Facts
    from backend.forensics.evidence.losses.destinations import Destination

FULL_RATIO = 0.85
"""Of a limit: a NAT frees ports some time after their end, and connections older than the capture hold tuples unseen
(measured: 56 of 64)."""
OVER_RATIO = 1.02
"""An answered SYN beyond so much of a limit shows that it is none."""
LOST_LEAST = 8
"""SYNs: fewer may be lost at any time."""
LOST_WHILE_FULL_SHARE = 0.98
"""Of the lost SYNs (ratio)."""
RUNS_LEAST = 3
"""Times that losses began anew after an answer: a rule that is made at some moment begins once."""
FREE_LEAST_SHARE = 0.5
"""Of a limit, answered while it was not full: that many connections show that others pass (ratio)."""
OPEN_SHARE = 0.5
"""Of a limit, open in the median of the lost SYNs: with fewer, closed connections count (ratio)."""
SIGNIFICANT_P = 0.000_1
_OPEN_NS = 2**62


@dataclass(frozen=True)
class HeldTuples:
    """Of one destination: what was in use when its SYNs were lost."""

    limit: CloudLimit
    lost: int
    held_least: int
    held_most: int
    """Tuples in use at lost SYNs."""
    open_median: int
    """Of these, connections that were open."""
    answered: int
    """SYNs answered while fewer were in use."""
    p_value: float
    on_path: bool
    """A capture nearer to the server lacks the lost SYNs."""

    @property
    def not_the_server(self) -> bool:
        """The SYNs did not arrive there, or closed connections counted as well, which hold no place in its queue."""
        return self.on_path or self.open_median <= OPEN_SHARE * self.limit.ports


@dataclass(frozen=True, eq=False)
class _Syns:
    """In order of time; `opened_ns` and `closed_ns` are of the connections that were answered, each sorted."""

    time_ns: Ints
    lost: Bools
    opened_ns: Ints
    closed_ns: Ints

    def held(self, kept_s: float) -> Ints:
        """Tuples in use just before each SYN."""
        kept_ns = int(kept_s * 1e9)
        begun = np.searchsorted(self.opened_ns, self.time_ns, side="left")
        ended = np.searchsorted(self.closed_ns, self.time_ns - kept_ns, side="right")
        held: Ints = begun - ended
        return held


def is_public(d: Destination) -> bool:
    """Only connections to such addresses pass a cloud's NAT."""
    return ipaddress.ip_address(d.endpoint.address).is_global


def find_held_tuples(facts: Facts, d: Destination) -> HeldTuples | None:
    """None unless SYNs are lost exactly while a known limit is reached, again and again."""
    if d.silent or d.others or len(d.losses) < LOST_LEAST or not is_public(d):
        return None
    outside = d.losses.is_kind("beyond", "one-sided") | d.losses.between_captures()
    if not outside.all():
        return None
    syns, on_path = _syns(facts, d), bool(d.losses.between_captures().all())
    found = [each for limit in CLOUD_LIMITS if (each := _fits(limit, syns, on_path)) is not None]
    return min(found, key=lambda each: (each.p_value, each.limit.kept_s), default=None)


def _fits(limit: CloudLimit, syns: _Syns, on_path: bool) -> HeldTuples | None:
    held, lost = syns.held(limit.kept_s), syns.lost
    full = held >= FULL_RATIO * limit.ports
    count, count_free = int(lost.sum()), int((~lost & ~full).sum())
    if count < LOST_LEAST or count_free < FREE_LEAST_SHARE * limit.ports:
        return None
    if held[~lost].max() > OVER_RATIO * limit.ports or (lost & full).sum() < LOST_WHILE_FULL_SHARE * count:
        return None
    if int((lost[1:] & ~lost[:-1]).sum()) < RUNS_LEAST:
        return None
    table = (int((lost & full).sum()), int((~lost & full).sum())), (int((lost & ~full).sum()), count_free)
    p_value = fisher_exact_p(table, "greater")
    if p_value >= SIGNIFICANT_P:
        return None
    span, still_open = (int(held[lost].min()), int(held[lost].max())), int(np.median(syns.held(0)[lost]))
    return HeldTuples(limit, count, *span, still_open, count_free, p_value, on_path)


def _syns(facts: Facts, d: Destination) -> _Syns:
    """As the vantage point furthest out saw them."""
    seen = facts.attempts.sightings
    rows = facts.attempts.syns_at(d.outermost, d.endpoint)
    rows = rows[np.unique(seen.transmission[rows], return_index=True)[1]]
    rows = rows[np.argsort(seen.time_ns[rows], kind="stable")]
    time_ns, link = seen.time_ns[rows], seen.link[rows]
    table = facts.attempts.table
    answered = np.sort(table["link"][(table["connect_delay_ns"] != NEVER) | table["established"]])
    # The last SYN of an answered connection is the one that passed.
    last = np.zeros(len(rows), np.bool_)
    last[len(rows) - 1 - np.unique(link[::-1], return_index=True)[1]] = True
    passed = last & np.isin(link, answered)
    closed = _closed_ns(facts, np.sort(link[passed]))
    return _Syns(time_ns, ~passed, time_ns[passed], np.sort(closed))


def _closed_ns(facts: Facts, links: Ints) -> Ints:
    """Of each of these connections, on the common clock."""
    seen, closed = facts.attempts.sightings, np.full(len(links), _OPEN_NS)
    if not len(links):
        return closed
    for number, capture in enumerate(facts.captures):
        of_node = seen.link_of_node[seen.node_offset[number] :][: len(capture.connections)]
        at = np.minimum(np.searchsorted(links, of_node), len(links) - 1)
        ended_ns = capture.connections["closed_ns"]
        known = np.flatnonzero((links[at] == of_node) & (ended_ns != NEVER))
        closed[at[known]] = facts.attempts.clocks.on_reference(number, ended_ns[known])
    return closed
