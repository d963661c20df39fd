"""The table of HTTP requests: `requests.parquet`, one row a request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from backend.storage.packet_store import PacketQuery
from backend.storage.wanted_rows import Conditions, count_wanted, page_wanted

RequestSort = Literal["start", "wait_ms", "duration_ms", "status", "bytes"]
ORDERS: dict[RequestSort, str] = {
    "start": "start_ns",
    "wait_ms": "wait_ms",
    "duration_ms": "duration_ms",
    "status": "status",
    "bytes": "request_bytes + response_bytes",
}
WORDS = (
    "concat_ws(' ', requester || ':' || requester_port, responder || ':' || responder_port, method, host, path, "
    "user_agent, request_id)"
)


@dataclass(frozen=True)
class RequestFilter:
    """Which requests are wanted; None wants all."""

    text: str | None = None
    """Found anywhere in the endpoints, method, host, path, user agent or request id."""
    method: str | None = None
    status: int | None = None
    """0 wants those without a response."""
    cid: int | None = None
    from_ns: int | None = None
    to_ns: int | None = None


def list_requests(
    query: PacketQuery,
    requests: str,
    wanted: RequestFilter,
    *,
    sort: RequestSort,
    descending: bool,
    page: tuple[int, int],
) -> list[dict[str, Any]]:
    """A page (offset, limit) of requests; equal ones stay in the order of their ids."""
    direction = "DESC" if descending else "ASC"
    order = f"{ORDERS[sort]} {direction} NULLS LAST, file_row_number"
    return page_wanted(query, requests, _conditions(wanted), order, page)


def count_requests(query: PacketQuery, requests: str, wanted: RequestFilter) -> int:
    """How many requests are wanted."""
    return count_wanted(query, requests, _conditions(wanted))


def _conditions(wanted: RequestFilter) -> Conditions:
    return [
        (f"contains(lower({WORDS}), lower(?))", wanted.text),
        ("method = upper(?)", wanted.method),
        ("status = ?", wanted.status),
        ("cid = ?", wanted.cid),
        ("coalesce(end_ns, start_ns) >= ?", wanted.from_ns),
        ("start_ns <= ?", wanted.to_ns),
    ]
