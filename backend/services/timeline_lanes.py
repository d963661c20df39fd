"""The rows of the timeline: the capture points, or the connections in groups, each with its traffic."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from backend.forensics.report import LanePart, LaneRole
from backend.services.cluster_marks import Held, TimelineMark, marks_of
from backend.services.open_tables import Tables, epoch_ns
from backend.services.timeline_gaps import Stretch
from backend.storage import capture_tables, group_tables, path_tables
from backend.storage.capture_tables import CaptureTables
from backend.storage.group_tables import Grouping
from backend.storage.packet_store import Row
from backend.text_classes import FixedText, ProseText, VantageText

LANES_MOST = 60
"""Groups that can be asked for: what has more is looked at in a table."""
OTHER = "group:other"
KERNEL = "kernel"


Rows = Callable[[CaptureTables, Stretch], Iterable[tuple[int | None, Row]]]
"""(place of the lane, (start, packets, bytes, syns)) of a capture's buckets in a window of its own clock."""


@dataclass
class TimelineLane:
    """One row of the chart."""

    id: VantageText
    name: VantageText
    role: LaneRole | Literal["group"]
    captured: bool
    note: ProseText
    first: int | None
    last: int | None
    packets_total: int
    findings: list[FixedText] = field(default_factory=list)
    """Ids of the findings that have a mark on it."""
    start: list[int] = field(default_factory=list)
    packets: list[int] = field(default_factory=list)
    bytes: list[int] = field(default_factory=list)
    syns: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class LanesLeft:
    """Lanes that were not selected."""

    lanes: int = 0
    findings: int = 0
    """Findings about one of them."""


class CaptureLanes:
    """A lane for each capture point, in the order of the path, and for each place nobody captured."""

    left = LanesLeft()

    def __init__(self, tables: Tables, finding: str | None) -> None:
        self._tables = tables
        self.marks: Sequence[TimelineMark] = marks_of(tables)
        self.lanes = [lane_of_part(part, tables.t0_ns) for part in tables.report.lanes]
        add_findings(self.lanes, self.marks, finding)

    def add_traffic(self, window: Stretch, bucket_ns: int) -> None:
        """Packets of the window, on the report's clock, in buckets; a later call adds a later window."""
        place = {lane.id: number for number, lane in enumerate(self.lanes)}

        def rows(capture: CaptureTables, own: Stretch) -> Iterable[tuple[int | None, Row]]:
            for vantage, *row in capture_tables.density(self._tables.query, capture, own, bucket_ns):
                yield place.get(self._tables.lane_of(capture.input, vantage)), tuple(row)

        add_buckets(self._tables, self.lanes, window, rows)


class GroupLanes:
    """A lane for each group of connections, those of findings first, then those with most packets; after them one for
    what belongs to no connection, places nobody captured, and kernel state."""

    def __init__(self, tables: Tables, grouping: Grouping, finding: str | None, most: int) -> None:
        self._tables, self._grouping = tables, grouping
        parts = tables.report.lanes
        pods = [part.id for part in parts if part.role == "pod" and part.captured]
        found = _groups(tables, grouping, finding, pods)
        shown, rest = found.first[:most], found.first[most:]
        self._keys = [str(group["key"]) for group in shown]
        expects_pods = any(part.role == "pod" for part in parts)
        self.lanes = [_group_lane(group, grouping, expects_pods, finding) for group in shown]
        ungrouped = sum(part.packets for part in parts if part.role != KERNEL) - found.packets
        self.lanes.append(_other_lane(finding, max(0, ungrouped)))
        kept = [part for part in parts if part.role == KERNEL or self._stays_blind(part)]
        self.lanes += [lane_of_part(part, tables.t0_ns) for part in kept]
        about = found.other_findings.union(*(group["finding_ids"] for group in rest))
        named = {each for each in about if finding in (None, each)}
        self.left = LanesLeft(len(rest) + found.others, len(named))
        self.marks: Sequence[TimelineMark] = self._regrouped(marks_of(tables))
        add_findings(self.lanes, self.marks, finding)
        self.lanes = [lane for lane in self.lanes if lane.id != OTHER or lane.packets_total or lane.findings]

    def _stays_blind(self, part: LanePart) -> bool:
        """In groups of pods the pod's own lane says that nobody captured it."""
        return not part.captured and part.role != "nat" and self._grouping == "connection"

    def add_traffic(self, window: Stretch, bucket_ns: int) -> None:
        """As of CaptureLanes."""
        tables = self._tables

        def rows(capture: CaptureTables, own: Stretch) -> Iterable[tuple[int | None, Row]]:
            found = group_tables.density_by_group(
                tables.query,
                capture,
                (tables.paths, tables.sightings),
                self._grouping,
                self._keys,
                own,
                bucket_ns,
            )
            for number, *row in found:
                yield (place.get(OTHER) if number == len(self._keys) else number), tuple(row)

        place = {lane.id: number for number, lane in enumerate(self.lanes)}
        add_buckets(tables, self.lanes, window, rows)

    def groups_of(self, cids: Iterable[int]) -> dict[int, str]:
        """The lane of each of those connections, left out where that is not shown."""
        keys = group_tables.keys_of_cids(
            self._tables.query, self._tables.paths, self._grouping, sorted(set(cids))
        )
        return {cid: _lane_id(key) for cid, key in keys.items() if key in self._keys}

    def _regrouped(self, marks: Sequence[TimelineMark]) -> list[TimelineMark]:
        """Marks on the lanes of the connections whose packets prove them. What the kernel says stays where it is."""
        cids = _cids_of_marks(self._tables)
        keys = group_tables.keys_of_cids(
            self._tables.query,
            self._tables.paths,
            self._grouping,
            sorted({c for own in cids.values() for c in own}),
        )
        kernel = {lane.id for lane in self.lanes if lane.role == KERNEL}
        moved = []
        for mark in marks:
            if not mark.lanes:
                moved.append(mark)  # it is drawn over all lanes
                continue
            own = {keys[cid] for cid in cids.get(mark.id, ()) if cid in keys}
            groups = [_lane_id(key) for key in self._keys if key in own]
            stays = [lane for lane in mark.lanes if lane in kernel]
            # A mark of groups that are not shown has no lane here; one of no connection at all is distinguished.
            other = [OTHER] if not own and not stays else []
            moved.append(replace(mark, lanes=(*groups, *stays, *other)))
        return moved


def lanes_of(
    tables: Tables, grouping: Grouping | None, finding: str | None, most: int
) -> CaptureLanes | GroupLanes:
    """The lanes as they were asked for; None is by capture point."""
    return CaptureLanes(tables, finding) if grouping is None else GroupLanes(tables, grouping, finding, most)


def lane_of_part(part: LanePart, t0_ns: int) -> TimelineLane:
    """A lane of the report, its times in ns after t0."""
    return TimelineLane(
        id=part.id,
        name=part.name,
        role=part.role,
        captured=part.captured,
        note=part.note,
        first=None if part.first is None else epoch_ns(part.first) - t0_ns,
        last=None if part.last is None else epoch_ns(part.last) - t0_ns,
        packets_total=part.packets,
    )


def _lane_id(key: str) -> str:
    return f"group:{key}"


def _group_lane(
    group: dict[str, Any], grouping: Grouping, expects_pods: bool, finding: str | None
) -> TimelineLane:
    blind = grouping == "pod" and expects_pods and not group["at_pod"]
    note = "its own interface was not captured: what was lost before the first capture point cannot be seen"
    return TimelineLane(
        id=_lane_id(str(group["key"])),
        name=str(group["client"]) if grouping == "pod" else _where_to(group),
        role="pod" if grouping == "pod" else "group",
        captured=not blind,
        note=note if blind else f"{group['connections']:,} connection{'s' * (group['connections'] != 1)}",
        first=None,
        last=None,
        packets_total=int(group["packets"]),
        findings=[each for each in group["finding_ids"] if finding in (None, each)],
    )


def _where_to(group: dict[str, Any]) -> str:
    server = f"[{group['server']}]" if ":" in group["server"] else group["server"]
    return f"{server}:{group['server_port']} {group['outcome']}"


def _other_lane(finding: str | None, packets: int) -> TimelineLane:
    name = "of no connection" if finding is None else "everything else"
    note = "packets that belong to no connection, and marks that no single connection's packets prove"
    return TimelineLane(OTHER, name, "group", True, note, None, None, packets)


def add_findings(lanes: list[TimelineLane], marks: Iterable[TimelineMark], finding: str | None) -> None:
    """Adds to each lane the findings that have a mark on it."""
    named: dict[str, set[str]] = {lane.id: set(lane.findings) for lane in lanes}
    for mark in marks:
        if finding in (None, mark.finding):
            for lane in mark.lanes:
                named.get(lane, set()).add(mark.finding)
    for each in lanes:
        each.findings = sorted(named[each.id])


def add_buckets(tables: Tables, lanes: list[TimelineLane], window: Stretch, rows: Rows) -> None:
    """Adds what `rows` finds in a window of the report's clock."""
    add_counts(
        lanes,
        (
            (place, (clock.common(start) - tables.t0_ns, *counts))
            for capture in tables.captures
            for clock in [tables.clock(capture.input)]
            for place, (start, *counts) in rows(capture, (clock.own(window[0]), clock.own(window[1])))
        ),
    )


def add_counts(lanes: list[TimelineLane], rows: Iterable[tuple[int | None, Row]]) -> None:
    """Adds (place of the lane, (ns after t0, packets, bytes, syns)) of buckets."""
    found: list[dict[int, tuple[int, int, int]]] = [{} for _ in lanes]
    for place, (at, *counts) in rows:
        if place is not None:
            # Where one part of a capture ends and the next begins, both have packets in a bucket.
            packets, size, syns = (
                a + b for a, b in zip(found[place].get(at, (0, 0, 0)), counts, strict=True)
            )
            found[place][at] = (packets, size, syns)
    for lane, buckets in zip(lanes, found, strict=True):
        for at, (packets, size, syns) in sorted(buckets.items()):
            lane.start.append(at)
            lane.packets.append(packets)
            lane.bytes.append(size)
            lane.syns.append(syns)


def widen_buckets(lanes: Iterable[TimelineLane], width_ns: int) -> None:
    """Sums buckets into wider ones that count from t0; each goes where it begins."""
    for lane in lanes:
        wide: dict[int, tuple[int, int, int]] = {}
        for start, *counts in zip(lane.start, lane.packets, lane.bytes, lane.syns, strict=True):
            at = start // width_ns * width_ns
            packets, size, syns = (a + b for a, b in zip(wide.get(at, (0, 0, 0)), counts, strict=True))
            wide[at] = (packets, size, syns)
        lane.start = list(wide)
        lane.packets, lane.bytes, lane.syns = (list(column) for column in zip(*wide.values(), strict=True))


@dataclass(frozen=True)
class _Groups:
    """Groups of connections: those that may be shown, and the others in sum."""

    first: tuple[dict[str, Any], ...]
    others: int
    other_findings: frozenset[str]
    packets: int
    """Of all."""


def _groups(tables: Tables, grouping: Grouping, finding: str | None, pods: list[str]) -> _Groups:
    modified_ns = tables.report_file.stat().st_mtime_ns
    return _all_groups(tables.report_file, modified_ns, grouping, finding, tuple(pods), Held(tables))


@lru_cache(maxsize=16)
def _all_groups(
    path: Path,
    modified_ns: int,
    grouping: Grouping,
    finding: str | None,
    pods: tuple[str, ...],
    held: Held[Tables],
) -> _Groups:
    del path, modified_ns
    found = group_tables.list_groups(held.value.query, held.value.paths, grouping, finding, list(pods))
    others = found[LANES_MOST:]
    return _Groups(
        first=tuple(found[:LANES_MOST]),
        others=len(others),
        other_findings=frozenset(each for group in others for each in group["finding_ids"]),
        packets=sum(int(group["packets"]) for group in found),
    )


def _cids_of_marks(tables: Tables) -> dict[str, tuple[int, ...]]:
    return _all_cids(tables.report_file, tables.report_file.stat().st_mtime_ns, Held(tables))


@lru_cache(maxsize=4)
def _all_cids(path: Path, modified_ns: int, held: Held[Tables]) -> dict[str, tuple[int, ...]]:
    """The connections whose packets prove a mark, by the mark's id."""
    del path, modified_ns
    tables = held.value
    marks = marks_of(tables)
    frames: dict[str, set[int]] = {}
    for mark in marks:
        for part in mark.evidence:
            frames.setdefault(part.input, set()).update(part.frames)
    cid_of: dict[tuple[str, int], int] = {}
    for capture in tables.captures:
        wanted = sorted(frames.get(capture.input, ()))
        connection_of = (
            dict(group_tables.connections_of_frames(tables.query, capture, wanted)) if wanted else {}
        )
        cids = dict(
            path_tables.cids_of_sightings(
                tables.query, tables.sightings, capture.input, sorted(set(connection_of.values()))
            )
        )
        cid_of |= {
            (capture.input, frame): cids[connection]
            for frame, connection in connection_of.items()
            if connection in cids
        }
    return {
        mark.id: tuple(
            sorted(
                {
                    cid
                    for part in mark.evidence
                    for f in part.frames
                    if (cid := cid_of.get((part.input, f))) is not None
                }
            )
        )
        for mark in marks
    }
