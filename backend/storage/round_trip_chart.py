"""What a chart of round trips asks of their table: series, single samples, and their spread over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from backend.storage.packet_store import PacketQuery, Value

PAIRS_MOST = 40
"""Pairs of hosts that are listed, those with held answers first."""
_PLACE = "coalesce(vantage, input)"
_OF_KINDS = "(len(?::VARCHAR[]) = 0 OR list_contains(?::VARCHAR[], kind))"
_CHOSEN = f"""
    (SELECT unnest(?) AS series, unnest(?) AS of_prober, unnest(?) AS of_responder, unnest(?) AS of_place,
        unnest(?) AS of_nearest) chosen
    JOIN read_parquet(?) ON prober = of_prober AND responder = of_responder AND {_PLACE} = of_place
        AND nearest = (of_nearest = 1)
    WHERE at_ns >= ? AND at_ns <= ? AND {_OF_KINDS}
"""


@dataclass(frozen=True)
class SeriesKey:
    """Who asked whom, as one vantage point (or listing) saw it; `nearest`: as the one nearest to who asked."""

    prober: str
    responder: str
    place: str
    nearest: bool


def list_series(query: PacketQuery, round_trips: str, kinds: Sequence[str]) -> list[dict[str, Any]]:
    """Every series of the pairs listed: with what it holds, and how many pairs there are."""
    return query.dicts(
        f"""
        WITH series AS (
            SELECT prober, responder, {_PLACE} AS place, nearest, any_value(vantage) AS vantage,
                any_value(input) AS input, bool_or(printed) AS printed, count(*) AS samples, count(finding) AS held,
                max(rtt_ms) AS longest_ms, quantile_cont(rtt_ms, 0.5) AS usual_ms,
                list(DISTINCT kind ORDER BY kind) AS kinds
            FROM read_parquet(?) WHERE {_OF_KINDS} GROUP BY prober, responder, {_PLACE}, nearest
        ), pairs AS (
            SELECT prober, responder, sum(held) AS pair_held, sum(samples) AS pair_samples, count(*) OVER () AS pairs
            FROM series WHERE nearest GROUP BY prober, responder
            ORDER BY pair_held DESC, pair_samples DESC, prober, responder LIMIT {PAIRS_MOST}
        )
        SELECT series.*, pairs FROM series JOIN pairs USING (prober, responder)
        ORDER BY pair_held DESC, pair_samples DESC, prober, responder, nearest DESC, usual_ms DESC, place
        """,
        (round_trips, list(kinds), list(kinds)),
    )


def span_and_kinds(query: PacketQuery, round_trips: str) -> tuple[int, int, list[str]]:
    """(first sent, last sent, kinds); zeros without samples."""
    first, last, kinds = query.rows(
        "SELECT min(at_ns), max(at_ns), list(DISTINCT kind ORDER BY kind) FROM read_parquet(?)",
        (round_trips,),
    )[0]
    return int(first or 0), int(last or 0), list(kinds or [])


@dataclass(frozen=True)
class Cut:
    """What part of which series; times in ns since 1970, both ends included."""

    series: tuple[SeriesKey, ...]
    from_ns: int
    to_ns: int
    kinds: tuple[str, ...]

    def values(self, round_trips: str) -> tuple[Value, ...]:
        """For the placeholders of a question about it."""
        keys = self.series
        return (
            list(range(len(keys))), [k.prober for k in keys], [k.responder for k in keys], [k.place for k in keys],
            [int(k.nearest) for k in keys], round_trips, self.from_ns, self.to_ns, list(self.kinds), list(self.kinds),
        )  # fmt: skip


def count_samples(query: PacketQuery, round_trips: str, cut: Cut) -> dict[int, int]:
    """By number of the series in the cut."""
    found = query.rows(f"SELECT series, count(*) FROM {_CHOSEN} GROUP BY series", cut.values(round_trips))
    return {int(series): int(count) for series, count in found}


_POINT = "series, sid, at_ns, rtt_ms, kind, finding, instance, sent_frame, answer_frame"


def single_samples(query: PacketQuery, round_trips: str, cut: Cut) -> list[tuple[Any, ...]]:
    """All samples by time of sending: the columns of _POINT."""
    return query.rows(f"SELECT {_POINT} FROM {_CHOSEN} ORDER BY at_ns, sid", cut.values(round_trips))


def held_samples(query: PacketQuery, round_trips: str, cut: Cut, most: int) -> list[tuple[Any, ...]]:
    """The held ones by time of sending; where there are more than `most`, of each group the slowest."""
    return query.rows(
        f"""
        SELECT {_POINT} FROM (
            SELECT {_POINT}, row_number() OVER (
                PARTITION BY series, finding, instance ORDER BY rtt_ms DESC) AS place
            FROM {_CHOSEN} AND finding IS NOT NULL
            ORDER BY place, at_ns LIMIT {int(most)}
        ) ORDER BY at_ns, sid
        """,
        cut.values(round_trips),
    )


def spread(
    query: PacketQuery, round_trips: str, cut: Cut, bucket_ns: int
) -> list[tuple[int, int, int, float, float, float]]:
    """Every stretch of `bucket_ns` that holds a sample."""
    return query.rows(
        f"""
        SELECT series, (at_ns - {int(cut.from_ns)}) // {int(bucket_ns)} AS bucket, count(*), min(rtt_ms),
            quantile_cont(rtt_ms, 0.5), max(rtt_ms)
        FROM {_CHOSEN} GROUP BY series, bucket ORDER BY series, bucket
        """,
        cut.values(round_trips),
    )
