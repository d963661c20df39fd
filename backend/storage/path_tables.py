"""The connection table over all vantage points: `paths.parquet`, one row a logical connection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from backend.storage.packet_store import PacketQuery, Value

Sort = Literal["start", "connect_ms", "tries", "bytes"]
ORDERS: dict[Sort, str] = {
    "start": "start_ns",
    "connect_ms": "connect_ms",
    "tries": "tries",
    "bytes": "client_bytes + server_bytes",
}


@dataclass(frozen=True)
class PathFilter:
    """Which connections are wanted; None wants all."""

    outcome: str | None = None
    finding: str | None = None
    text: str | None = None
    """Found anywhere in ``client:port server:port`` and their translations."""
    from_ns: int | None = None
    to_ns: int | None = None


ENDPOINTS = (
    "concat_ws(' ', client || ':' || client_port, server || ':' || server_port, "
    "nat_client || ':' || nat_client_port, nat_server || ':' || nat_server_port, protocol)"
)


def list_paths(
    query: PacketQuery, paths: str, wanted: PathFilter, *, sort: Sort, descending: bool, page: tuple[int, int]
) -> list[dict[str, Any]]:
    """A page (offset, limit) of connections; equal ones stay in the order of their ids."""
    where, parameters = _where(wanted)
    direction = "DESC" if descending else "ASC"
    offset, limit = page
    return query.dicts(
        f"SELECT * FROM read_parquet(?) WHERE {where} ORDER BY {ORDERS[sort]} {direction} NULLS LAST, cid "
        "LIMIT ? OFFSET ?",
        (paths, *parameters, limit, offset),
    )


def count_paths(query: PacketQuery, paths: str, wanted: PathFilter) -> int:
    """How many connections are wanted."""
    where, parameters = _where(wanted)
    return int(query.value(f"SELECT count(*) FROM read_parquet(?) WHERE {where}", (paths, *parameters)))


def path_row(query: PacketQuery, paths: str, cid: int) -> dict[str, Any] | None:
    """One connection."""
    found = query.dicts("SELECT * FROM read_parquet(?) WHERE cid = ?", (paths, cid))
    return found[0] if found else None


def usual_connect_ms(query: PacketQuery, paths: str, server: str, port: int) -> float | None:
    """Median time to connect there at the first try."""
    found = query.value(
        "SELECT median(connect_ms) FROM read_parquet(?) WHERE server = ? AND server_port = ? AND tries = 1",
        (paths, server, port),
    )
    return None if found is None else float(found)


def cids_of_finding(query: PacketQuery, paths: str, finding: str) -> list[int]:
    """The connections that a finding is about, in the order of its instances."""
    found = query.rows(
        "SELECT cid FROM read_parquet(?) WHERE list_contains(finding_ids, ?) ORDER BY instance, cid",
        (paths, finding),
    )
    return [int(row[0]) for row in found]


def cids_of_sightings(
    query: PacketQuery, paths: str, input_name: str, connections: list[int]
) -> list[tuple[int, int]]:
    """(connection of that input, cid) for those connections."""
    found = query.rows(
        "SELECT s.connection, cid FROM (SELECT cid, unnest(sightings) AS s FROM read_parquet(?)) "
        "WHERE s.input = ? AND list_contains(?, s.connection)",
        (paths, input_name, connections),
    )
    return [(int(connection), int(cid)) for connection, cid in found]


def _where(wanted: PathFilter) -> tuple[str, list[Value]]:
    clauses: list[tuple[str, Value]] = [
        ("outcome = ?", wanted.outcome),
        ("list_contains(finding_ids, ?)", wanted.finding),
        (f"contains(lower({ENDPOINTS}), lower(?))", wanted.text),
        ("end_ns >= ?", wanted.from_ns),
        ("start_ns <= ?", wanted.to_ns),
    ]
    used = [(clause, value) for clause, value in clauses if value is not None]
    return " AND ".join(clause for clause, _ in used) or "true", [value for _, value in used]
