"""The table of HTTP requests: `requests.parquet`, one row a request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from backend.storage.packet_store import PacketQuery, Value

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
    where, parameters = _where(wanted)
    direction = "DESC" if descending else "ASC"
    offset, limit = page
    return query.dicts(
        f"SELECT * FROM read_parquet(?) WHERE {where} ORDER BY {ORDERS[sort]} {direction} NULLS LAST, rid "
        "LIMIT ? OFFSET ?",
        (requests, *parameters, limit, offset),
    )


def count_requests(query: PacketQuery, requests: str, wanted: RequestFilter) -> int:
    """How many requests are wanted."""
    where, parameters = _where(wanted)
    return int(query.value(f"SELECT count(*) FROM read_parquet(?) WHERE {where}", (requests, *parameters)))


def _where(wanted: RequestFilter) -> tuple[str, list[Value]]:
    clauses: list[tuple[str, Value]] = [
        (f"contains(lower({WORDS}), lower(?))", wanted.text),
        ("method = upper(?)", wanted.method),
        ("status = ?", wanted.status),
        ("cid = ?", wanted.cid),
        ("coalesce(end_ns, start_ns) >= ?", wanted.from_ns),
        ("start_ns <= ?", wanted.to_ns),
    ]
    used = [(clause, value) for clause, value in clauses if value is not None]
    return " AND ".join(clause for clause, _ in used) or "true", [value for _, value in used]
