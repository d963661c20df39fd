"""The timeline of a window: density or single packets a lane, and the marks of the findings."""

from __future__ import annotations

from dataclasses import dataclass, field

from backend.errors import InvalidRequest
from backend.forensics.report import LanePart
from backend.services.cluster_marks import TimelineMark, cluster, marks_between, marks_of
from backend.services.describe_packet import Packet, destination_of, source_of, what_is
from backend.services.open_tables import Tables, epoch_ns, open_tables
from backend.storage import capture_tables, path_tables
from backend.storage.store import Store

PACKETS_LIMIT = 2000
WIDEST_PX = 1440


@dataclass(frozen=True)
class Window:
    """What part of the timeline is wanted; ns after t0, None for the ends of the data."""

    from_t: int | None
    to_t: int | None
    px: int
    finding: str | None = None


@dataclass
class Lane:
    """One row of the chart."""

    id: str
    name: str
    role: str
    captured: bool
    note: str
    first: int | None
    last: int | None
    packets_total: int
    start: list[int] = field(default_factory=list)
    packets: list[int] = field(default_factory=list)
    bytes: list[int] = field(default_factory=list)
    syns: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class LanePacket:
    """One packet on its lane."""

    t: int
    lane: str
    frame: int
    input: str
    what: str
    src: str
    dst: str
    len: int
    cid: int | None


@dataclass(frozen=True)
class Timeline:
    """What the chart draws."""

    t0_ns: int
    span_to: int
    from_t: int
    to_t: int
    bucket_ns: int
    lanes: tuple[Lane, ...]
    packets: tuple[LanePacket, ...] | None
    """None when the window is shown as density."""
    marks: tuple[TimelineMark, ...]
    marks_total: int


def show_timeline(store: Store, investigation_id: str, window: Window) -> Timeline:
    """What is to be drawn of that window."""
    with open_tables(store, investigation_id) as tables:
        span_to = max(0, tables.end_ns - tables.t0_ns)
        from_t = window.from_t if window.from_t is not None else 0
        to_t = window.to_t if window.to_t is not None else span_to + 1
        if to_t <= from_t:
            raise InvalidRequest("The window's end must lie after its beginning.")
        px = min(max(window.px, 1), WIDEST_PX)
        bucket_ns = bucket_width_ns(to_t - from_t, px)
        absolute = (tables.t0_ns + from_t, tables.t0_ns + to_t)
        found = marks_between(marks_of(tables), from_t, to_t, window.finding)
        return Timeline(
            t0_ns=tables.t0_ns,
            span_to=span_to,
            from_t=from_t,
            to_t=to_t,
            bucket_ns=bucket_ns,
            lanes=_lanes(tables, absolute, bucket_ns),
            packets=_packets(tables, absolute),
            marks=tuple(cluster(found, (to_t - from_t) / px)),
            marks_total=len(found),
        )


def bucket_width_ns(span_ns: int, px: int) -> int:
    """The smallest 1, 2 or 5 times a power of ten with at most one bucket a pixel."""
    power = 1
    while True:
        for factor in (1, 2, 5):
            if factor * power * px >= span_ns:
                return factor * power
        power *= 10


def _lanes(tables: Tables, window: tuple[int, int], bucket_ns: int) -> tuple[Lane, ...]:
    lanes = {part.id: _lane(part, tables.t0_ns) for part in tables.report.lanes}
    found: dict[str, dict[int, tuple[int, int, int]]] = {name: {} for name in lanes}
    for capture in tables.captures:
        clock = tables.clock(capture.input)
        own = (clock.own(window[0]), clock.own(window[1]))
        for vantage, start, *counts in capture_tables.density(tables.query, capture, own, bucket_ns):
            buckets = found.get(tables.lane_of(capture.input, vantage))
            if buckets is not None:
                # Where one part of a capture ends and the next begins, both have packets in a bucket.
                at = clock.common(start) - tables.t0_ns
                packets, size, syns = (a + b for a, b in zip(buckets.get(at, (0, 0, 0)), counts, strict=True))
                buckets[at] = (packets, size, syns)
    for name, lane in lanes.items():
        for at, (packets, size, syns) in sorted(found[name].items()):
            lane.start.append(at)
            lane.packets.append(packets)
            lane.bytes.append(size)
            lane.syns.append(syns)
    return tuple(lanes.values())


def _lane(part: LanePart, t0_ns: int) -> Lane:
    return Lane(
        id=part.id,
        name=part.name,
        role=part.role,
        captured=part.captured,
        note=part.note,
        first=None if part.first is None else epoch_ns(part.first) - t0_ns,
        last=None if part.last is None else epoch_ns(part.last) - t0_ns,
        packets_total=part.packets,
    )


def _packets(tables: Tables, window: tuple[int, int]) -> tuple[LanePacket, ...] | None:
    nearly = sum(
        capture_tables.count_packets(tables.query, capture, clock.own(window[0]), clock.own(window[1]))
        for capture in tables.captures
        for clock in [tables.clock(capture.input)]
    )
    # The count is in whole milliseconds: a window inside one may hold far fewer.
    if nearly > PACKETS_LIMIT and window[1] - window[0] > capture_tables.BUCKET_TABLE_NS:
        return None
    found: list[LanePacket] = []
    for capture in tables.captures:
        clock = tables.clock(capture.input)
        own = (clock.own(window[0]), clock.own(window[1]))
        rows = capture_tables.packets_between(tables.query, capture, own, PACKETS_LIMIT + 1)
        cids = _cids(tables, capture.input, rows)
        found += [
            _lane_packet(row, capture.input, tables, clock.common(row["time_ns"]) - tables.t0_ns, cids)
            for row in rows
        ]
        if len(found) > PACKETS_LIMIT:
            return None
    return tuple(sorted(found, key=lambda packet: (packet.t, packet.input, packet.frame)))


def _cids(tables: Tables, input_name: str, rows: list[dict[str, int]]) -> dict[int, int]:
    connections = sorted({row["connection"] for row in rows})
    return dict(path_tables.cids_of_sightings(tables.query, tables.sightings, input_name, connections))


def _lane_packet(row: Packet, input_name: str, tables: Tables, t: int, cids: dict[int, int]) -> LanePacket:
    return LanePacket(
        t=t,
        lane=tables.lane_of(input_name, row["vantage"]),
        frame=row["frame"],
        input=input_name,
        what=what_is(row),
        src=source_of(row),
        dst=destination_of(row),
        len=row["original_bytes"],
        cid=cids.get(row["connection"]),
    )
