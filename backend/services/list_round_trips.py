"""The round trips of an investigation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from backend.errors import InvalidRequest, NotFound
from backend.services.open_tables import Tables, open_tables
from backend.storage import round_trip_tables
from backend.storage.round_trip_tables import RoundTripFilter, RoundTripSort
from backend.storage.store import Store


@dataclass(frozen=True)
class RoundTripPage:
    """A part of the table."""

    items: tuple[dict[str, Any], ...]
    total: int
    next_cursor: str | None


def list_round_trips(
    store: Store,
    investigation_id: str,
    wanted: RoundTripFilter,
    *,
    sort: RoundTripSort,
    descending: bool,
    limit: int,
    cursor: str | None,
    offset: int | None = None,
) -> RoundTripPage:
    """A page of the table; times of the filter are ns after t0. Raises NotFound before there is an analysis."""
    if cursor is not None and not cursor.isdigit():
        raise InvalidRequest("The cursor is not one that a page gave.")
    offset = int(cursor or 0) if offset is None else offset
    with open_round_trips(store, investigation_id) as (tables, t0_ns):
        absolute = replace(
            wanted,
            from_ns=None if wanted.from_ns is None else wanted.from_ns + t0_ns,
            to_ns=None if wanted.to_ns is None else wanted.to_ns + t0_ns,
        )
        total = round_trip_tables.count_round_trips(tables.query, tables.round_trips, absolute)
        items = round_trip_tables.list_round_trips(
            tables.query, tables.round_trips, absolute, sort=sort, descending=descending, page=(offset, limit)
        )
        _add_farther(tables, items)
    following = offset + len(items)
    return RoundTripPage(tuple(items), total, str(following) if following < total else None)


@dataclass(frozen=True)
class HeldGroup:
    """Samples that one stall held; times are ns after t0."""

    row: dict[str, Any]
    """Of the table."""
    event: dict[str, Any]
    """What the finding says of it."""


GROUPS_MOST = 2_000


def list_held_groups(store: Store, investigation_id: str) -> tuple[list[HeldGroup], int]:
    """(the first stalls, how many there are), by time. Raises NotFound before there is an analysis."""
    with open_round_trips(store, investigation_id) as (tables, t0_ns):
        rows = round_trip_tables.held_groups(tables.query, tables.round_trips)
        events = {
            (finding.id, event.get("instance")): event
            for finding in tables.report.findings
            for event in finding.events
        }
    for row in rows:
        for name, bound in (("t", "from_ns"), ("t_last_sent", "last_sent_ns"), ("t_end", "to_ns")):
            row[name] = row.pop(bound) - t0_ns
    groups = [HeldGroup(row, events.get((row["finding"], row["instance"]), {})) for row in rows]
    return groups[:GROUPS_MOST], len(groups)


def show_held_group(store: Store, investigation_id: str, finding: str, instance: int) -> list[dict[str, Any]]:
    """What one stall held and what it did not, by kind; raises NotFound when it held nothing."""
    with open_round_trips(store, investigation_id) as (tables, _):
        kinds = round_trip_tables.held_by_kind(tables.query, tables.round_trips, finding, instance)
    if not kinds:
        raise NotFound("No round trip was held by a stall of that number.")
    return kinds


@contextmanager
def open_round_trips(store: Store, investigation_id: str) -> Iterator[tuple[Tables, int]]:
    """(the tables, the time in ns since 1970 that charts count from). A listing alone has no packets to count from: its
    first probe is taken. Raises NotFound before there is an analysis."""
    with open_tables(store, investigation_id) as tables:
        if not Path(tables.round_trips).is_file():
            raise NotFound("This investigation was analysed before round trips were read; analyse it again.")
        if tables.captures:
            yield tables, tables.t0_ns
        else:
            yield tables, round_trip_tables.first_sent_ns(tables.query, tables.round_trips)


def _add_farther(tables: Tables, items: list[dict[str, Any]]) -> None:
    sids = [item["sid"] for item in items]
    elsewhere: dict[int, list[dict[str, Any]]] = {sid: [] for sid in sids}
    for seen in round_trip_tables.farther_sightings(tables.query, tables.round_trips, sids):
        elsewhere[seen.pop("probe")].append(seen)
    for item in items:
        item["elsewhere"] = elsewhere[item["sid"]]
