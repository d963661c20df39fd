"""Traffic of the timeline that a view shows: counted packet by packet, and exact at the window's ends."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from backend.services.list_packets import PacketOptions, packet_filter
from backend.services.open_tables import Tables
from backend.services.timeline_gaps import Stretch
from backend.services.timeline_lanes import CaptureLanes, add_counts
from backend.storage.capture_tables import CaptureTables, packets_in_rows
from backend.storage.packet_pages import PacketFilter, PathTables, density_by_time, find_packets
from backend.storage.packet_store import Row


class LanesWithin(CaptureLanes):
    """A lane for each capture point, with the packets that the view shows."""

    def add_traffic(self, window: Stretch, bucket_ns: int) -> None:
        """As of CaptureLanes."""
        tables = self._tables
        place = {lane.id: number for number, lane in enumerate(self.lanes)}
        wanted = _wanted(tables, window)
        for capture in tables.captures:
            counted = density_by_time(tables.query, capture, _paths(tables), wanted, bucket_ns)
            rows: list[tuple[int | None, Row]] = [
                (place.get(tables.lane_of(capture.input, vantage)), (start - tables.t0_ns, *counts))
                for vantage, start, *counts in counted
            ]
            add_counts(self.lanes, rows)


def rows_within(tables: Tables, capture: CaptureTables, window: Stretch, limit: int) -> list[dict[str, Any]]:
    """The first packets of the window, on the report's clock as it is, that the view shows."""
    places = find_packets(
        tables.query, capture, _paths(tables), _wanted(tables, window), after=None, limit=limit
    )
    return packets_in_rows(tables.query, capture, sorted(row for _, row in places))


def _paths(tables: Tables) -> PathTables:
    return PathTables(tables.paths, tables.sightings)


def _wanted(tables: Tables, window: Stretch) -> PacketFilter:
    return replace(packet_filter(PacketOptions(), tables), from_ns=window[0], to_ns=window[1])
