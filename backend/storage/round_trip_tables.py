"""The table of round trips: `rtt.parquet`, one row a sample."""

from __future__ import annotations

from collections.abc import Sequence
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
    instance: int | None = None
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
    if sort == "sent" and wanted == RoundTripFilter():
        # Farther sightings lie behind all samples.
        offset, limit = page
        total = count_round_trips(query, round_trips, wanted)
        places = range(offset, min(offset + limit, total))
        return rows_at(query, round_trips, [total - 1 - n for n in places] if descending else places)
    order = f"{ORDERS[sort]} {'DESC' if descending else 'ASC'}, file_row_number"
    return page_wanted(query, round_trips, conditions, order, page)


def first_sent_ns(query: PacketQuery, round_trips: str) -> int:
    """When the first sample was sent, 0 without any."""
    return int(query.value("SELECT min(at_ns) FROM read_parquet(?)", (round_trips,)) or 0)


def farther_sightings(query: PacketQuery, round_trips: str, sids: Sequence[int]) -> list[dict[str, Any]]:
    """The same samples at the vantage points farther from the prober, the slowest first."""
    return query.dicts(
        "SELECT probe, vantage, input, sent_frame, answer_frame, rtt_ms, there_ms FROM read_parquet(?) "
        "WHERE NOT nearest AND probe IN (SELECT unnest(?)) ORDER BY probe, rtt_ms DESC, sid",
        (round_trips, list(sids)),
    )


def held_by_kind(query: PacketQuery, round_trips: str, finding: str, instance: int) -> list[dict[str, Any]]:
    """Of each kind: how many samples between the same two hosts were sent while the stall held some, and how many of
    them it held; the same of flows. Empty when it held none."""
    return query.dicts(_HELD, (round_trips, finding, instance, finding, instance, round_trips))


_HELD = """
    WITH held AS (
        SELECT prober, responder, min(sent_ns) AS first_ns, max(sent_ns) AS last_ns
        FROM read_parquet(?) WHERE nearest AND finding = ? AND instance = ? GROUP BY prober, responder
    ), meanwhile AS (
        SELECT trip.*, coalesce(trip.finding = ? AND trip.instance = ?, false) AS was_held
        FROM read_parquet(?) trip JOIN held ON trip.nearest AND trip.prober = held.prober
            AND trip.responder = held.responder AND trip.sent_ns BETWEEN held.first_ns AND held.last_ns
    )
    SELECT kind, count(*) FILTER (was_held) AS held, count(*) AS sent, count(DISTINCT flow) AS flows,
        count(DISTINCT flow) FILTER (was_held) AS flows_held,
        quantile_cont(rtt_ms, 0.5) FILTER (NOT was_held) AS others_p50_ms
    FROM meanwhile GROUP BY kind ORDER BY held DESC, kind
"""


def held_groups(query: PacketQuery, round_trips: str) -> list[dict[str, Any]]:
    """Every stall that held samples: from the first question to the last answer, and its samples."""
    return query.dicts(
        "SELECT finding, instance, any_value(prober) AS prober, any_value(responder) AS responder, "
        "min(at_ns) AS from_ns, max(at_ns) AS last_sent_ns, max(at_ns + (rtt_ms * 1e6)::BIGINT) AS to_ns, "
        "count(*) AS samples, max(rtt_ms) AS longest_ms, list(DISTINCT kind ORDER BY kind) AS kinds "
        "FROM read_parquet(?) WHERE nearest AND finding IS NOT NULL "
        "GROUP BY finding, instance ORDER BY from_ns, finding, instance",
        (round_trips,),
    )


def count_round_trips(query: PacketQuery, round_trips: str, wanted: RoundTripFilter) -> int:
    """How many samples are wanted."""
    return count_wanted(query, round_trips, _conditions(wanted))


def _conditions(wanted: RoundTripFilter) -> Conditions:
    return [
        ("nearest = ?", True),
        ("lower(kind) = lower(?)", wanted.kind),
        ("prober = ?", wanted.prober),
        ("responder = ?", wanted.responder),
        ("finding = ?", wanted.finding),
        ("instance = ?", wanted.instance),
        ("at_ns >= ?", wanted.from_ns),
        ("at_ns <= ?", wanted.to_ns),
    ]
