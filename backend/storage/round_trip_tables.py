"""The table of round trips: `rtt.parquet`, one row a sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from backend.storage.packet_store import PacketQuery
from backend.storage.wanted_rows import Conditions, count_wanted, page_wanted, rows_at

RoundTripSort = Literal["sent", "rtt_ms"]
ORDERS: dict[RoundTripSort, str] = {"sent": "file_row_number", "rtt_ms": "rtt_ms"}
"""Rows lie in the order of sending, which is that of their ids."""


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
    conditions = _conditions(wanted)
    if sort == "sent" and all(value is None for _, value in conditions):
        offset, limit = page
        total = count_round_trips(query, round_trips, wanted)
        places = range(offset, min(offset + limit, total))
        return rows_at(query, round_trips, [total - 1 - n for n in places] if descending else places)
    order = f"{ORDERS[sort]} {'DESC' if descending else 'ASC'}, file_row_number"
    return page_wanted(query, round_trips, conditions, order, page)


def count_round_trips(query: PacketQuery, round_trips: str, wanted: RoundTripFilter) -> int:
    """How many samples are wanted."""
    return count_wanted(query, round_trips, _conditions(wanted))


def _conditions(wanted: RoundTripFilter) -> Conditions:
    return [
        ("lower(kind) = lower(?)", wanted.kind),
        ("prober = ?", wanted.prober),
        ("responder = ?", wanted.responder),
        ("finding = ?", wanted.finding),
        ("sent_ns >= ?", wanted.from_ns),
        ("sent_ns <= ?", wanted.to_ns),
    ]
