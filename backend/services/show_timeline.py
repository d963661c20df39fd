"""The timeline of a window: density or single packets a lane, and the marks of the findings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field

from backend.errors import InvalidRequest
from backend.services.cluster_marks import MOST_BYTES, TimelineMark, cluster, marks_between
from backend.services.describe_packet import Packet, destination_of, source_of, what_is
from backend.services.open_tables import Tables, open_tables
from backend.services.result_types import EpochNs
from backend.services.scope import WHOLE, Scope
from backend.services.timeline_gaps import Span, Stretch, TimelineGap, gaps_between, open_stretches
from backend.services.timeline_lanes import (
    LANES_MOST,
    OTHER,
    CaptureLanes,
    GroupLanes,
    LanesLeft,
    TimelineLane,
    lanes_of,
    widen_buckets,
)
from backend.services.timeline_within import LanesWithin, rows_within
from backend.storage import capture_tables, path_tables
from backend.storage.capture_tables import CaptureTables
from backend.storage.group_tables import Grouping
from backend.storage.store import Store
from backend.text_classes import AddressText, FileText, ProseText, VantageText

PACKETS_LIMIT = 1000
WIDEST_PX = 1440
BUCKETS_LIMIT = 3000
"""Of all lanes together; with few lanes as many as pixels each."""
_BYTES_OF_A_PACKET = 170
_LEAST_BYTES_OF_MARKS = 40_000


@dataclass(frozen=True)
class Window:
    """What part of the timeline is wanted; ns after t0, None for the ends of the data."""

    from_t: int | None
    to_t: int | None
    px: int
    finding: str | None = None
    grouping: Grouping | None = None
    """None is by capture point."""
    lanes_most: int = LANES_MOST
    gaps_over: int | None = None
    """Stretches without marks that are longer are listed."""
    folds: tuple[Stretch, ...] = ()
    """Stretches of which no traffic is wanted: the rest is drawn the finer."""


@dataclass(frozen=True)
class TimelinePacket:
    """One packet on its lane."""

    t: int
    lane: VantageText
    frame: int
    input: FileText
    what: ProseText
    src: AddressText
    dst: AddressText
    len: int
    cid: int | None
    group: VantageText | None = None
    """Its lane where lanes are no capture points."""


@dataclass(frozen=True)
class Timeline:
    """What the chart draws of a window. All times but t0 are ns after t0."""

    t0: EpochNs
    span: Span
    from_t: Annotated[int, Field(serialization_alias="from")]
    to_t: Annotated[int, Field(serialization_alias="to")]
    bucket_ns: int
    mode: Literal["density", "packets"]
    lanes: tuple[TimelineLane, ...]
    packets: tuple[TimelinePacket, ...]
    """Empty where the window is shown as density."""
    marks: tuple[TimelineMark, ...]
    marks_total: int
    complete_until_ns: int | None
    gaps: tuple[TimelineGap, ...]
    """Those asked for."""
    lanes_left: LanesLeft


def show_timeline(store: Store, investigation_id: str, window: Window, scope: Scope = WHOLE) -> Timeline:
    """What is to be drawn of that window, as far as the scope shows it."""
    window = _shown(window, scope)
    with open_tables(store, investigation_id, scope) as tables:
        span_to = max(0, tables.end_ns - tables.t0_ns)
        from_t = window.from_t if window.from_t is not None else 0
        to_t = window.to_t if window.to_t is not None else span_to + 1
        if to_t <= from_t:
            raise InvalidRequest("The window's end must lie after its beginning.")
        px = min(max(window.px, 1), WIDEST_PX)
        stretches = open_stretches((from_t, to_t), window.folds)
        open_ns = sum(end - start for start, end in stretches)
        lanes = _lanes(tables, window)
        bucket_ns = bucket_width_ns(open_ns, px)
        absolute = [(tables.t0_ns + start, tables.t0_ns + end) for start, end in stretches]
        for stretch in absolute:
            lanes.add_traffic(stretch, bucket_ns)
        bucket_ns = _widened(lanes.lanes, bucket_ns, open_ns, px)
        found = marks_between(lanes.marks, from_t, to_t, window.finding)
        packets = _packets(tables, absolute, lanes)
        left = max(MOST_BYTES - _BYTES_OF_A_PACKET * len(packets or ()), _LEAST_BYTES_OF_MARKS)
        return Timeline(
            t0=tables.t0_ns,
            span=Span(0, span_to),
            from_t=from_t,
            to_t=to_t,
            bucket_ns=bucket_ns,
            mode="density" if packets is None else "packets",
            lanes=tuple(lanes.lanes),
            packets=packets or (),
            marks=tuple(cluster(found, open_ns / px, left)),
            marks_total=len(found),
            complete_until_ns=span_to,
            gaps=_gaps(lanes.marks, (0, span_to), (from_t, to_t), window),
            lanes_left=lanes.left,
        )


def _shown(window: Window, scope: Scope) -> Window:
    from_t, to_t = scope.chart_window(window.from_t, window.to_t)
    if scope.view is not None:
        # Groups, stretches without marks and folds are found in the whole time.
        return Window(from_t, to_t, window.px, window.finding)
    return replace(window, from_t=from_t, to_t=to_t, finding=scope.finding_id or window.finding)


def _widened(lanes: Sequence[TimelineLane], bucket_ns: int, open_ns: int, px: int) -> int:
    """The width of the buckets, wider where there are too many. Most groups hold few packets: only those that there
    are count."""
    busy = [lane for lane in lanes if lane.start]
    if sum(len(lane.start) for lane in busy) <= BUCKETS_LIMIT:
        return bucket_ns
    wider_ns = bucket_width_ns(open_ns, max(1, min(px, BUCKETS_LIMIT // len(busy))))
    widen_buckets(busy, wider_ns)
    return wider_ns


def _lanes(tables: Tables, window: Window) -> CaptureLanes | GroupLanes:
    if tables.scope.view is not None:
        return LanesWithin(tables, window.finding)
    return lanes_of(tables, window.grouping, window.finding, window.lanes_most)


def _gaps(
    marks: Sequence[TimelineMark], span: Stretch, shown: Stretch, window: Window
) -> tuple[TimelineGap, ...]:
    if window.gaps_over is None:
        return ()
    return gaps_between(marks_between(marks, *span, window.finding), span, shown, window.gaps_over)


def bucket_width_ns(span_ns: int, px: int) -> int:
    """The smallest 1, 2 or 5 times a power of ten with at most one bucket a pixel."""
    power = 1
    while True:
        for factor in (1, 2, 5):
            if factor * power * px >= span_ns:
                return factor * power
        power *= 10


def _packets(
    tables: Tables,
    stretches: Sequence[Stretch],
    lanes: CaptureLanes | GroupLanes,
) -> tuple[TimelinePacket, ...] | None:
    if tables.scope.view is None and _are_many(tables, stretches):
        return None
    found: list[TimelinePacket] = []
    for capture, stretch in ((capture, stretch) for capture in tables.captures for stretch in stretches):
        rows = _rows(tables, capture, stretch)
        cids = _cids(tables, capture.input, [row for row, _ in rows])
        found += [
            _lane_packet(row, capture.input, tables, time_ns - tables.t0_ns, cids) for row, time_ns in rows
        ]
        if len(found) > PACKETS_LIMIT:
            return None
    if isinstance(lanes, GroupLanes):
        groups = lanes.groups_of(packet.cid for packet in found if packet.cid is not None)
        found = [replace(packet, group=_group_of(packet, groups)) for packet in found]
    return tuple(sorted(found, key=lambda packet: (packet.t, packet.input, packet.frame)))


def _are_many(tables: Tables, stretches: Sequence[Stretch]) -> bool:
    nearly = sum(
        capture_tables.count_packets(tables.query, capture, clock.own(start), clock.own(end))
        for capture in tables.captures
        for clock in [tables.clock(capture.input)]
        for start, end in stretches
    )
    # The count is in whole milliseconds: a window inside one may hold far fewer.
    widest_ns = max(end - start for start, end in stretches)
    return nearly > PACKETS_LIMIT and widest_ns > capture_tables.BUCKET_TABLE_NS


def _rows(tables: Tables, capture: CaptureTables, stretch: Stretch) -> list[tuple[Packet, int]]:
    """The first packets of a stretch, one more than are shown, with their times on the report's clock."""
    limit = PACKETS_LIMIT + 1
    if tables.scope.view is not None:
        return [(row, row["time_ns"]) for row in rows_within(tables, capture, stretch, limit)]
    clock = tables.clock(capture.input)
    own = (clock.own(stretch[0]), clock.own(stretch[1]))
    rows = capture_tables.packets_between(tables.query, capture, own, limit)
    return [(row, clock.common(row["time_ns"])) for row in rows]


def _group_of(packet: TimelinePacket, groups: dict[int, str]) -> str:
    """The empty text where the packet's group is not shown."""
    return OTHER if packet.cid is None else groups.get(packet.cid, "")


def _cids(tables: Tables, input_name: str, rows: list[Packet]) -> dict[int, int]:
    connections = sorted({row["connection"] for row in rows})
    return dict(path_tables.cids_of_sightings(tables.query, tables.sightings, input_name, connections))


def _lane_packet(
    row: Packet, input_name: str, tables: Tables, t: int, cids: dict[int, int]
) -> TimelinePacket:
    return TimelinePacket(
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
