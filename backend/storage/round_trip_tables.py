"""The table of round trips: `rtt.parquet`, one row a sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from backend.storage.packet_store import PacketQuery
from backend.storage.wanted_rows import Conditions, count_wanted, page_wanted

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
    order = f"{ORDERS[sort]} {'DESC' if descending else 'ASC'}, sid"
    return page_wanted(query, round_trips, _conditions(wanted), order, page)


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
