"""The round trips of an investigation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from backend.errors import InvalidRequest, NotFound
from backend.services.open_tables import open_tables
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
) -> RoundTripPage:
    """A page of the table; times of the filter are ns after t0. Raises NotFound before there is an analysis."""
    if cursor is not None and not cursor.isdigit():
        raise InvalidRequest("The cursor is not one that a page gave.")
    offset = int(cursor or 0)
    with open_tables(store, investigation_id) as tables:
        if not Path(tables.round_trips).is_file():
            raise NotFound("This investigation was analysed before round trips were read; analyse it again.")
        absolute = replace(
            wanted,
            from_ns=None if wanted.from_ns is None else wanted.from_ns + tables.t0_ns,
            to_ns=None if wanted.to_ns is None else wanted.to_ns + tables.t0_ns,
        )
        total = round_trip_tables.count_round_trips(tables.query, tables.round_trips, absolute)
        items = round_trip_tables.list_round_trips(
            tables.query, tables.round_trips, absolute, sort=sort, descending=descending, page=(offset, limit)
        )
    following = offset + len(items)
    return RoundTripPage(tuple(items), total, str(following) if following < total else None)
