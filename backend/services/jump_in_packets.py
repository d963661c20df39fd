"""Packets of all captures by their place in the list: any part of ten million is reached without the ones before.

Packets are counted by intervals of time first; only the interval that holds the wanted place is put in order.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Final

from backend.errors import NotFound
from backend.services.list_packets import (
    Found,
    PacketList,
    PacketOptions,
    at_vantage,
    packet_filter,
    packet_lines,
    wanted_captures,
)
from backend.services.open_tables import Tables, epoch_ns, open_tables
from backend.services.scope import NOT_SHARED, WHOLE, Scope
from backend.storage.capture_tables import BUCKET_TABLE_NS, frame_row
from backend.storage.packet_pages import PacketFilter, PathTables, count_by_time, find_packets
from backend.storage.store import Store
from backend.storage.write_tables import COARSE_NS
from backend.text_classes import FixedText

INTERVALS: Final = 1000
RAIL_PLACES: Final = 300
"""Marks beside the list are at least so far apart, as a part of its length."""
ORDERED_AT_MOST: Final = 20_000
"""An interval with more packets than this is divided again."""


@dataclass(frozen=True)
class _Listing:
    """What is listed: the tables, the filter as asked, and in the words of the tables."""

    tables: Tables
    lane: str | None
    wanted: PacketFilter

    @property
    def paths(self) -> PathTables:
        return PathTables(self.tables.paths, self.tables.sightings)

    def counts(self, from_ns: int | None, to_ns: int | None, width_ns: int) -> list[tuple[int, int]]:
        """(begin of the interval, packets in it) by time, within the filter's own ends."""
        ends = _narrowed(self.wanted, from_ns, to_ns)
        sums: dict[int, int] = {}
        for _, capture, vantage in wanted_captures(self.tables, self.lane):
            for interval, packets in count_by_time(
                self.tables.query, capture, self.paths, at_vantage(ends, vantage), width_ns
            ):
                sums[interval] = sums.get(interval, 0) + packets
        return [(interval * width_ns, packets) for interval, packets in sorted(sums.items())]

    def places(self, from_ns: int, limit: int) -> list[Found]:
        """The first packets from that time on."""
        begin = _narrowed(self.wanted, from_ns, None)
        found: list[Found] = []
        for number, capture, vantage in wanted_captures(self.tables, self.lane):
            rows = find_packets(
                self.tables.query, capture, self.paths, at_vantage(begin, vantage), after=None, limit=limit
            )
            found += [(time_ns, number, row) for time_ns, row in rows]
        return sorted(found)[:limit]


def _narrowed(wanted: PacketFilter, from_ns: int | None, to_ns: int | None) -> PacketFilter:
    begins = [each for each in (wanted.from_ns, from_ns) if each is not None]
    ends = [each for each in (wanted.to_ns, to_ns) if each is not None]
    return replace(wanted, from_ns=max(begins, default=None), to_ns=min(ends, default=None))


def packets_from(
    store: Store,
    investigation_id: str,
    options: PacketOptions,
    *,
    offset: int,
    limit: int,
    scope: Scope = WHOLE,
) -> PacketList:
    """`limit` packets from the `offset`-th (0 is the first) on; none behind the end."""
    with open_tables(store, investigation_id, scope) as tables:
        listing = _Listing(tables, options.lane, packet_filter(options, tables))
        width_ns = interval_width_ns(tables.end_ns - tables.t0_ns)
        counts = listing.counts(None, None, width_ns)
        total = sum(packets for _, packets in counts)
        if offset >= total:
            return PacketList((), None, total)
        begin_ns, skipped = _interval_of(listing, counts, offset, width_ns)
        found = listing.places(begin_ns, skipped + limit)[skipped:]
        return PacketList(packet_lines(tables, found), None, total)


def interval_width_ns(span_ns: int) -> int:
    """At most INTERVALS of them; from 1 ms on a power of ten, so that stored buckets fit into them."""
    width_ns = BUCKET_TABLE_NS
    if span_ns < INTERVALS * width_ns:
        return max(1, span_ns // INTERVALS)
    while width_ns * INTERVALS < span_ns:
        width_ns *= 10
    return width_ns


def _interval_of(
    listing: _Listing, counts: list[tuple[int, int]], offset: int, width_ns: int
) -> tuple[int, int]:
    """(where the interval of the `offset`-th packet begins, how many packets of it come before that one)."""
    before, at = 0, 0
    while before + counts[at][1] <= offset:
        before += counts[at][1]
        at += 1
    begin_ns, packets = counts[at]
    if packets <= ORDERED_AT_MOST or width_ns == 1:
        return begin_ns, offset - before
    narrower_ns = max(1, width_ns // INTERVALS)
    within = listing.counts(begin_ns, begin_ns + width_ns, narrower_ns)
    return _interval_of(listing, within, offset - before, narrower_ns)


def place_of_frame(
    store: Store,
    investigation_id: str,
    options: PacketOptions,
    frame: tuple[str, int],
    scope: Scope = WHOLE,
) -> int:
    """Offset of a frame (input, number) in the list, or of the packet that comes next where the filter leaves
    it out; raises NotFound for a frame that no capture has."""
    if scope.view is not None and not scope.view.holds_packet(scope.view, frame):
        raise NotFound(NOT_SHARED)  # its offset would show whether there is such a frame
    name, number = frame
    with open_tables(store, investigation_id, scope) as tables:
        capture = tables.capture(name)
        row = None if capture is None else frame_row(tables.query, capture, number)
        if row is None:
            raise NotFound(f"No capture {name} with a frame {number}.")
        time_ns = tables.clock(name).common(int(row["time_ns"]))
        listing = _Listing(tables, options.lane, packet_filter(options, tables))
        # One interval holds all that comes before.
        everything_ns = -(-max(1, time_ns) // COARSE_NS[-1]) * COARSE_NS[-1]
        before = sum(packets for _, packets in listing.counts(None, time_ns, everything_ns))
        # Packets of the same time come in the order of their captures and rows.
        same = packet_lines(
            tables, [each for each in listing.places(time_ns, INTERVALS) if each[0] == time_ns]
        )
        earlier = [(line.input, line.frame) for line in same]
        return before + (earlier.index(frame) if frame in earlier else 0)


def place_of_time(
    store: Store, investigation_id: str, options: PacketOptions, t: int, scope: Scope = WHOLE
) -> int:
    """Offset of the first packet at `t` (ns after t0) or later."""
    with open_tables(store, investigation_id, scope) as tables:
        listing = _Listing(tables, options.lane, packet_filter(options, tables))
        time_ns = max(0, t + tables.t0_ns)
        return sum(packets for _, packets in listing.counts(None, time_ns, max(1, time_ns)))


@dataclass(frozen=True)
class RailMark:
    """A position beside the list: of a time (ns after t0), or of a mark of a finding."""

    offset: int
    t: int
    finding: FixedText | None = None


@dataclass(frozen=True)
class PacketRail:
    """Round times and marks of findings by their offset in the list."""

    items: tuple[RailMark, ...]


@dataclass(frozen=True)
class PacketPlace:
    """The offset of a packet in the list."""

    offset: int
    """0 is the first."""


def rail_of_packets(
    store: Store, investigation_id: str, options: PacketOptions, scope: Scope = WHOLE
) -> PacketRail:
    """Where in the list round times and the marks of findings are, to the nearest of a thousand intervals."""
    with open_tables(store, investigation_id, scope) as tables:
        listing = _Listing(tables, options.lane, packet_filter(options, tables))
        width_ns = interval_width_ns(tables.end_ns - tables.t0_ns)
        counts = listing.counts(None, None, width_ns)
        begins = [begin for begin, _ in counts]
        before = [0, *accumulate(packets for _, packets in counts)]
        if not counts:
            return PacketRail(())

        def offset(time_ns: int) -> int:
            return before[bisect_left(begins, time_ns - width_ns + 1)]

        step_ns = _round_step(begins[-1] + width_ns - tables.t0_ns)
        first = -(-(begins[0] - tables.t0_ns) // step_ns) * step_ns
        times = range(first, begins[-1] + width_ns - tables.t0_ns, step_ns)
        ticks = [RailMark(offset(t + tables.t0_ns), t) for t in times]
        return PacketRail((*ticks, *_finding_marks(tables, offset, before[-1])))


def _round_step(span_ns: int) -> int:
    """1, 2 or 5 times a power of ten, so that there are at most ten."""
    step = 1
    while span_ns // step > 10:
        step = step * 5 // 2 if str(step).startswith("2") else step * 2
    return step


def _finding_marks(tables: Tables, offset: Callable[[int], int], total: int) -> list[RailMark]:
    """Of marks that would lie on one another only the first."""
    found: dict[tuple[str, int], RailMark] = {}
    for finding in tables.report.findings:
        for mark in finding.marks:
            time_ns = epoch_ns(mark.start)
            at = offset(time_ns)
            shown = RailMark(at, time_ns - tables.t0_ns, finding.id)
            found.setdefault((finding.id, at * RAIL_PLACES // max(1, total)), shown)
    return list(found.values())
