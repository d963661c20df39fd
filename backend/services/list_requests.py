"""The HTTP requests of an investigation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from backend.errors import InvalidRequest
from backend.services.open_tables import open_tables
from backend.storage import request_tables
from backend.storage.request_tables import RequestFilter, RequestSort
from backend.storage.store import Store


@dataclass(frozen=True)
class RequestPage:
    """A part of the table."""

    items: tuple[dict[str, Any], ...]
    total: int
    next_cursor: str | None


def absolute_times(wanted: RequestFilter, t0_ns: int) -> RequestFilter:
    """The filter with times since 1970 instead of since t0."""
    return replace(
        wanted,
        from_ns=None if wanted.from_ns is None else wanted.from_ns + t0_ns,
        to_ns=None if wanted.to_ns is None else wanted.to_ns + t0_ns,
    )


def list_requests(
    store: Store,
    investigation_id: str,
    wanted: RequestFilter,
    *,
    sort: RequestSort,
    descending: bool,
    limit: int,
    cursor: str | None,
    offset: int | None = None,
) -> RequestPage:
    """A page of the table; times of the filter are ns after t0. Raises NotFound before there is an analysis, Outdated
    where an older version made it."""
    if cursor is not None and not cursor.isdigit():
        raise InvalidRequest("The cursor is not one that a page gave.")
    offset = int(cursor or 0) if offset is None else offset
    with open_tables(store, investigation_id) as tables:
        absolute = absolute_times(wanted, tables.t0_ns)
        total = request_tables.count_requests(tables.query, tables.requests, absolute)
        items = request_tables.list_requests(
            tables.query, tables.requests, absolute, sort=sort, descending=descending, page=(offset, limit)
        )
    following = offset + len(items)
    return RequestPage(tuple(items), total, str(following) if following < total else None)
