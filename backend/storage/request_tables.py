"""The table of HTTP requests: `requests.parquet`, one row a request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from backend.storage.packet_store import PacketQuery
from backend.storage.wanted_rows import Conditions, count_wanted, page_wanted, where_all

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
    shape: int | None = None
    line: str | None = None
    """Method and path without what differs from call to call."""
    responder: str | None = None
    basis: str | None = None
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


GROUPS_MOST = 200
_TOTAL = "coalesce(served_ms, duration_ms)"
_GROUPS = f"""
    SELECT shape, any_value(line) AS line, any_value(basis) AS basis,
        any_value(responder) AS responder, any_value(responder_port) AS responder_port,
        count(*) AS count, sum({_TOTAL}) AS sum_ms,
        quantile_cont({_TOTAL}, 0.5) AS total_p50_ms, quantile_cont({_TOTAL}, 0.9) AS total_p90_ms,
        quantile_cont({_TOTAL}, 0.95) AS total_p95_ms, quantile_cont({_TOTAL}, 0.99) AS total_p99_ms,
        max({_TOTAL}) AS total_max_ms,
        quantile_cont(metadata_ms, 0.5) AS metadata_p50_ms, quantile_cont(dns_ms, 0.5) AS dns_p50_ms,
        quantile_cont(calls_ms, 0.5) AS calls_p50_ms, quantile_cont(own_ms, 0.5) AS own_p50_ms,
        quantile_cont(wait_ms, 0.5) AS wait_p50_ms,
        list(rid ORDER BY {_TOTAL}, rid) AS rids
    FROM read_parquet(?) WHERE {{where}} AND {_TOTAL} IS NOT NULL
    GROUP BY shape, if(shape IS NULL, line, ''), if(shape IS NULL, responder, NULL)
"""


def group_requests(query: PacketQuery, requests: str, wanted: RequestFilter) -> list[dict[str, Any]]:
    """Requests of one shape, or, where their server's own questions would not have been seen, of one line to one
    server; those that took most time in sum first. Each with the ids of its fastest, median and slowest request."""
    where, values = where_all(_conditions(wanted))
    return query.dicts(
        f"""SELECT * EXCLUDE (rids), count(*) OVER () AS groups,
            rids[1] AS fastest, rids[1 + len(rids) // 2] AS median, rids[-1] AS slowest
            FROM ({_GROUPS.format(where=where)})
            ORDER BY shape IS NULL, sum_ms DESC, fastest LIMIT {GROUPS_MOST}""",
        (requests, *values),
    )


def find_request(query: PacketQuery, requests: str, rid: int) -> dict[str, Any] | None:
    """One request, None where there is none of that number."""
    rows = query.dicts("SELECT * FROM read_parquet(?) WHERE rid = ?", (requests, rid))
    return rows[0] if rows else None


def nearest_fast(query: PacketQuery, requests: str, row: dict[str, Any]) -> int | None:
    """The request of the line and responder of `row` that was answered without an error, took at most the median of
    these and half of `row`, and began nearest in time; None where there is none."""
    found = query.rows(
        f"""WITH same_line AS (
            SELECT rid, at_ns, {_TOTAL} AS total_ms FROM read_parquet(?)
            WHERE line = ? AND responder = ? AND responder_port = ? AND coalesce(status, 200) < 400
              AND {_TOTAL} IS NOT NULL)
        SELECT rid FROM same_line
        WHERE rid <> ? AND total_ms <= (SELECT median(total_ms) FROM same_line) AND total_ms <= ? / 2
        ORDER BY abs(at_ns - ?), rid LIMIT 1""",
        (
            requests,
            row["line"],
            row["responder"],
            row["responder_port"],
            row["rid"],
            row["served_ms"] if row["served_ms"] is not None else row["duration_ms"],
            int(row["at_ns"]),
        ),
    )
    return int(found[0][0]) if found else None


def parts_of(query: PacketQuery, parts: str, served: int) -> list[dict[str, Any]]:
    """What a served request asked of others, by begin."""
    return query.dicts(
        f"SELECT * FROM read_parquet(?) WHERE served = ? ORDER BY after_ns, length_ns DESC LIMIT {PARTS_MOST}",
        (parts, served),
    )


PARTS_MOST = 2_000
"""Parts of one request that are listed one by one."""


def _conditions(wanted: RequestFilter) -> Conditions:
    return [
        (f"contains(lower({WORDS}), lower(?))", wanted.text),
        ("method = upper(?)", wanted.method),
        ("status = ?", wanted.status),
        ("cid = ?", wanted.cid),
        ("shape = ?", wanted.shape),
        ("shape IS NULL AND line = ?", wanted.line),
        ("responder = ?", wanted.responder),
        ("basis = ?", wanted.basis),
        ("at_ns + coalesce(end_ns - start_ns, 0) >= ?", wanted.from_ns),
        ("at_ns <= ?", wanted.to_ns),
    ]
