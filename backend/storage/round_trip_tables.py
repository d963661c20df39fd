"""The table of round trips: `rtt.parquet`, one row a sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from backend.storage.packet_store import PacketQuery, Value

RoundTripSort = Literal["sent", "rtt_ms"]
ORDERS: dict[RoundTripSort, str] = {"sent": "sid", "rtt_ms": "rtt_ms"}


@dataclass(frozen=True)
class RoundTripFilter:
    """Which samples are wanted; None wants all."""

    kind: str | None = None
    prober: str | None = None
    responder: str | None = None
    finding: str | None = None
    from_ns: int | None = None
    to_ns: int | None = None


def list_round_trips(
    query: PacketQuery,
    round_trips: str,
    wanted: RoundTripFilter,
    *,
    sort: RoundTripSort,
    descending: bool,
    page: tuple[int, int],
) -> list[dict[str, Any]]:
    """A page (offset, limit) of samples; equal ones stay in the order of sending."""
    where, parameters = _where(wanted)
    direction = "DESC" if descending else "ASC"
    offset, limit = page
    return query.dicts(
        f"SELECT * FROM read_parquet(?) WHERE {where} ORDER BY {ORDERS[sort]} {direction}, sid LIMIT ? OFFSET ?",
        (round_trips, *parameters, limit, offset),
    )


def count_round_trips(query: PacketQuery, round_trips: str, wanted: RoundTripFilter) -> int:
    """How many samples are wanted."""
    where, parameters = _where(wanted)
    return int(query.value(f"SELECT count(*) FROM read_parquet(?) WHERE {where}", (round_trips, *parameters)))


def _where(wanted: RoundTripFilter) -> tuple[str, list[Value]]:
    clauses: list[tuple[str, Value]] = [
        ("lower(kind) = lower(?)", wanted.kind),
        ("prober = ?", wanted.prober),
        ("responder = ?", wanted.responder),
        ("finding = ?", wanted.finding),
        ("sent_ns >= ?", wanted.from_ns),
        ("sent_ns <= ?", wanted.to_ns),
    ]
    used = [(clause, value) for clause, value in clauses if value is not None]
    return " AND ".join(clause for clause, _ in used) or "true", [value for _, value in used]
