"""What a served request consists of: DNS lookups, metadata calls, calls further down, and the rest, its own work.

Whatever the address that serves a request asks of others between the request's arrival and the end of its answer
counts as part of it. Where payload cannot be read (TLS), request and response are the data of one side and the data of
the other that acknowledges it: such parts, and such requests, are inferred. What is open at once is counted once:
metadata first, then DNS, then calls, so that the parts and the rest add up to the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.connections import NEVER
from backend.forensics.evidence.clocks.sightings import Ints, Sightings
from backend.forensics.evidence.clocks.sorted_rows import distinct
from backend.forensics.evidence.dns.delayed import Dns as Lookups
from backend.forensics.evidence.requests.exchanges import Exchanges
from backend.forensics.evidence.requests.metadata_calls import MetadataUse
from backend.forensics.evidence.requests.nesting import Intervals, covered_ns, find_containing
from backend.forensics.evidence.requests.opaque_trips import OpaqueTrips, find_opaque_trips

Bools = NDArray[np.bool_]

METADATA, DNS, CALL = 0, 1, 2
PARTS = ("metadata", "dns", "calls")
"""Names of the kinds, in the order in which what is open at once is counted."""


@dataclass(frozen=True)
class Parts:
    """What addresses asked of others, by nothing in particular; the arrays run beside one another."""

    interval: Intervals
    """The key is the asking address on its clock."""
    kind: Ints
    exchange: Ints
    """Row of `Exchanges`, or -1."""
    node: Ints
    """Connection-table row, numbered over all captures, of what is no exchange; else -1."""
    inferred: Bools
    frame: Ints
    """First frame of what is no exchange, else -1."""
    capture: Ints
    """Number of the capture that the frame is of, else -1."""
    exchanges_total: int

    def __len__(self) -> int:
        return len(self.kind)


@dataclass(frozen=True)
class LatencyBreakdown:
    """Served requests whose server's own questions would have been seen, by start."""

    exchange: Ints
    """Row of `Exchanges`, -1 for an inferred one."""
    node: Ints
    """Connection-table row of an inferred one, else -1."""
    frame: Ints
    """First frame of an inferred one, else -1."""
    start_ns: Ints
    end_ns: Ints
    part_ns: Ints
    """[kind, request]: how long the parts of each kind took."""
    part_count: Ints
    """[kind, request]: how many there were."""
    pairs: tuple[Ints, Ints]
    """(request, row of `parts`) of every part."""
    parts: Parts

    def __len__(self) -> int:
        return len(self.exchange)

    @property
    def total_ns(self) -> Ints:
        return self.end_ns - self.start_ns

    @property
    def own_ns(self) -> Ints:
        """What no part takes."""
        own: Ints = self.total_ns - self.part_ns.sum(axis=0)
        return own

    @property
    def inferred(self) -> Bools:
        return self.exchange < 0


def dissect_requests(
    captures: Sequence[Capture],
    sightings: Sightings,
    exchanges: Exchanges,
    uses: Sequence[MetadataUse],
    dns: Lookups,
) -> LatencyBreakdown:
    """Every served request with its parts. Time and memory are linear in messages and round trips."""
    groups = max(1, len(captures))
    lookups = _lookups(exchanges, dns, sightings, groups)
    trips = find_opaque_trips(captures, sightings, exchanges, lookups.interval.key // groups)
    parts = _parts(exchanges, uses, lookups, trips, sightings, groups)
    is_metadata = np.zeros(len(exchanges), np.bool_)
    is_metadata[[row for use in uses for row in use.calls.exchange.tolist()]] = True
    asks = distinct(parts.interval.key)
    key = exchanges.responder * groups + exchanges.server_clock
    seen = np.flatnonzero(~is_metadata & (exchanges.server_end_ns != NEVER) & np.isin(key, asks))
    # Programs of one host that talk over its loopback have one address: who served and who asked is not stated.
    opaque = np.flatnonzero(np.isin(trips.answering, asks) & (trips.answering != trips.asking))
    outer = Intervals(
        np.concatenate([key[seen], trips.answering[opaque]]),
        np.concatenate([exchanges.server_start_ns[seen], trips.start_ns[opaque]]),
        np.concatenate([exchanges.server_end_ns[seen], trips.end_ns[opaque]]),
    )
    nothing = np.full(len(opaque), -1, np.int64)
    pairs = _without_themselves(
        find_containing(outer, parts.interval), np.concatenate([seen, len(exchanges) + opaque]), parts
    )
    # Data that goes to and fro without asking anybody else is a protocol's own talk, no request that is served.
    serves = np.concatenate([np.ones(len(seen), np.bool_), np.zeros(len(opaque), np.bool_)])
    serves[pairs[0]] = True
    return _measure(
        LatencyBreakdown(
            exchange=np.concatenate([seen, nothing]),
            node=np.concatenate([np.full(len(seen), -1, np.int64), trips.node[opaque]]),
            frame=np.concatenate([np.full(len(seen), -1, np.int64), trips.frame[opaque]]),
            start_ns=outer.start_ns,
            end_ns=outer.end_ns,
            part_ns=np.zeros((len(PARTS), len(outer)), np.int64),
            part_count=np.zeros((len(PARTS), len(outer)), np.int64),
            pairs=pairs,
            parts=parts,
        ),
        outer,
        np.flatnonzero(serves),
    )


def _without_themselves(pairs: tuple[Ints, Ints], identity: Ints, parts: Parts) -> tuple[Ints, Ints]:
    """What an address asks of itself (over loopback) is asked and served by it, and is no part of itself.

    `identity` of a request is its exchange, or, behind these, the number of its turn."""
    outers, inners = pairs
    own = parts.exchange.copy()
    opaque = np.flatnonzero(parts.node >= 0)
    own[opaque] = int(parts.exchanges_total) + np.arange(len(opaque))
    other = identity[outers] != own[inners]
    return outers[other], inners[other]


def _measure(whole: LatencyBreakdown, outer: Intervals, kept: Ints) -> LatencyBreakdown:
    """The parts' times, for the requests that are kept, by start."""
    kept = kept[np.argsort(whole.start_ns[kept], kind="stable")]
    number = np.full(len(whole), -1, np.int64)
    number[kept] = np.arange(len(kept))
    outers, inners = whole.pairs
    part_ns = np.zeros((len(PARTS), len(whole)), np.int64)
    part_count = np.zeros((len(PARTS), len(whole)), np.int64)
    so_far = np.zeros(len(whole), np.int64)
    for kind in range(len(PARTS)):
        up_to = whole.parts.kind[inners] <= kind
        covered = covered_ns(outer, whole.parts.interval, (outers[up_to], inners[up_to]))
        part_ns[kind], so_far = covered - so_far, covered
        part_count[kind] = np.bincount(outers[whole.parts.kind[inners] == kind], minlength=len(whole))
    return LatencyBreakdown(
        exchange=whole.exchange[kept],
        node=whole.node[kept],
        frame=whole.frame[kept],
        start_ns=whole.start_ns[kept],
        end_ns=whole.end_ns[kept],
        part_ns=part_ns[:, kept],
        part_count=part_count[:, kept],
        pairs=(number[outers], inners),
        parts=whole.parts,
    )


@dataclass(frozen=True)
class _Asked:
    """Lookups: when, and where each begins."""

    interval: Intervals
    frame: Ints
    capture: Ints


def capture_of(node: Ints, sightings: Sightings) -> Ints:
    """Number of the capture in whose connection table a node is."""
    found: Ints = np.searchsorted(np.array(sightings.node_offset), node, side="right") - 1
    return found


def _parts(
    exchanges: Exchanges,
    uses: Sequence[MetadataUse],
    lookups: _Asked,
    trips: OpaqueTrips,
    sightings: Sightings,
    groups: int,
) -> Parts:
    """Exchanges that were answered, lookups, and opaque round trips, each by who asked; of the last only those that
    can be part of something."""
    kind = np.full(len(exchanges), CALL, np.int64)  # what is not metadata
    for use in uses:
        kind[use.calls.exchange] = METADATA
    answered, asked = np.flatnonzero(exchanges.end_ns != NEVER), lookups.interval
    key = [(exchanges.requester * groups + exchanges.clock)[answered], asked.key, trips.asking]
    start = [exchanges.start_ns[answered], asked.start_ns, trips.start_ns]
    end = [exchanges.end_ns[answered], asked.end_ns, trips.end_ns]
    sizes = [len(column) for column in key]
    none = [np.full(size, -1, np.int64) for size in sizes]
    return Parts(
        interval=Intervals(np.concatenate(key), np.concatenate(start), np.concatenate(end)),
        kind=np.concatenate([kind[answered], np.full(sizes[1], DNS), np.full(sizes[2], CALL)]),
        exchange=np.concatenate([answered, none[1], none[2]]),
        node=np.concatenate([none[0], none[1], trips.node]),
        inferred=np.repeat(np.array([False, False, True]), sizes),
        frame=np.concatenate([none[0], lookups.frame, trips.frame]),
        capture=np.concatenate([none[0], lookups.capture, capture_of(trips.node, sightings)]),
        exchanges_total=len(exchanges),
    )


def _lookups(exchanges: Exchanges, dns: Lookups, sightings: Sightings, groups: int) -> _Asked:
    """From the first query of each lookup to its last answer, by who asked."""
    lookups = dns.lookups
    rows = lookups.exchanges.rows
    own = np.flatnonzero(~lookups.leg & (rows["answer_ns"] != NEVER))
    node = rows["node"][own].astype(np.int64)
    table, sockets = exchanges.addresses, lookups.messages.sockets
    client = table.client[node]
    as_client = (table.low[client] == sockets.client_low[node]) & (
        table.high[client] == sockets.client_high[node]
    )
    asking = np.where(as_client, client, table.server[node])
    capture = capture_of(node, sightings)
    clock = np.array(sightings.clocks.group or (0,), np.int64)[capture]
    number, first = np.unique(lookups.lookup[own], return_index=True)
    place = np.searchsorted(number, lookups.lookup[own])
    start, end = np.full(len(number), np.iinfo(np.int64).max), np.zeros(len(number), np.int64)
    np.minimum.at(start, place, rows["start_ns"][own])
    np.maximum.at(end, place, rows["answer_ns"][own])
    message = lookups.messages.rows[lookups.exchanges.order[lookups.exchanges.begin[own[first]]]]
    return _Asked(
        Intervals((asking * groups + clock)[first], start, end),
        message["frame"].astype(np.int64),
        capture_of(message["node"].astype(np.int64), sightings),
    )
