"""Round trips as a chart draws them: one by one where they are few, else their spread; held ones always one by one."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from backend.errors import InvalidRequest
from backend.services.list_round_trips import open_round_trips
from backend.services.open_tables import Tables
from backend.services.show_timeline import bucket_width_ns
from backend.storage import round_trip_chart
from backend.storage.pseudonym_keys import pseudonym_key
from backend.storage.round_trip_chart import Cut, SeriesKey
from backend.storage.store import Store

SAMPLES_LIMIT = 4_000
HELD_LIMIT = 1_500
"""Held samples drawn beside the spread."""
RANGE_PX = 3
"""Width of what shows a spread."""
RANGES_MOST = 1_200
SHOWN_MOST = 4
"""Series drawn when none were asked for."""


@dataclass(frozen=True)
class ChartOptions:
    """What is to be drawn; ns after t0, None for the ends of the data. Without `series` the most telling ones."""

    from_t: int | None
    to_t: int | None
    px: int
    kinds: tuple[str, ...] = ()
    series: tuple[str, ...] = ()


@dataclass
class Points:
    """Single samples, as columns."""

    sid: list[int] = field(default_factory=list)
    t: list[int] = field(default_factory=list)
    rtt_ms: list[float] = field(default_factory=list)
    kind: list[int] = field(default_factory=list)
    group: list[int] = field(default_factory=list)
    sent_frame: list[int] = field(default_factory=list)
    answer_frame: list[int | None] = field(default_factory=list)


@dataclass
class Ranges:
    """Spread of round trips in stretches of time, as columns."""

    t: list[int] = field(default_factory=list)
    count: list[int] = field(default_factory=list)
    low_ms: list[float] = field(default_factory=list)
    middle_ms: list[float] = field(default_factory=list)
    high_ms: list[float] = field(default_factory=list)


@dataclass
class Series:
    """Who asked whom, as one vantage point saw it."""

    id: str
    key: SeriesKey
    row: dict[str, Any]
    shown: bool
    in_window: int = 0
    points: Points = field(default_factory=Points)
    ranges: Ranges = field(default_factory=Ranges)


@dataclass(frozen=True)
class Chart:
    """What the chart draws of a window."""

    t0_ns: int
    span_to: int
    from_t: int
    to_t: int
    bucket_ns: int
    single: bool
    """Every sample is told, not the spread."""
    kinds: tuple[str, ...]
    groups: tuple[tuple[str, int], ...]
    """(finding, instance) that the points' `group` refers to."""
    series: tuple[Series, ...]
    pairs: int


def chart_round_trips(store: Store, investigation_id: str, options: ChartOptions) -> Chart:
    """What is to be drawn of that window. Raises NotFound before there is an analysis."""
    with open_round_trips(store, investigation_id) as (tables, t0_ns):
        query, table = tables.query, tables.round_trips
        _, last_ns, kinds = round_trip_chart.span_and_kinds(query, table)
        span_to = max(0, (tables.end_ns if tables.captures else last_ns) - t0_ns)
        from_t, to_t = _window(options, span_to)
        rows = round_trip_chart.list_series(query, table, options.kinds)
        series = _series(rows, options.series, pseudonym_key(store.database, investigation_id))
        shown = [each for each in series if each.shown]
        cut = Cut(tuple(s.key for s in shown), t0_ns + from_t, t0_ns + to_t, options.kinds)
        counts = round_trip_chart.count_samples(query, table, cut) if shown else {}
        for number, each in enumerate(shown):
            each.in_window = counts.get(number, 0)
        single = sum(counts.values()) <= SAMPLES_LIMIT
        px = max(1, min(options.px // RANGE_PX, RANGES_MOST))
        bucket_ns = bucket_width_ns(to_t - from_t, px)
        groups = _fill(tables, shown, cut, t0_ns, kinds, None if single else bucket_ns)
        pairs = int(rows[0]["pairs"]) if rows else 0
    return Chart(t0_ns, span_to, from_t, to_t, bucket_ns, single, tuple(kinds), groups, tuple(series), pairs)


def _window(options: ChartOptions, span_to: int) -> tuple[int, int]:
    from_t = options.from_t if options.from_t is not None else 0
    to_t = options.to_t if options.to_t is not None else span_to + 1
    if to_t <= from_t:
        raise InvalidRequest("The window's end must lie after its beginning.")
    return from_t, to_t


def _series(rows: Sequence[dict[str, Any]], wanted: Sequence[str], secret: bytes) -> list[Series]:
    keys = [SeriesKey(row["prober"], row["responder"], row["place"], row["nearest"]) for row in rows]
    found = [Series(_id(key, secret), key, row, False) for key, row in zip(keys, rows, strict=True)]
    chosen = {each.id for each in found if each.id in wanted} or _telling(found)
    for each in found:
        each.shown = each.id in chosen
    return found


def _telling(series: Sequence[Series]) -> set[str]:
    """Of the pair with most held answers what both ends saw, then other pairs with held ones; without any, the pairs
    with most samples."""
    near = [each for each in series if each.key.nearest]
    held = [each for each in near if each.row["held"]]
    if not held:
        return {each.id for each in near[:SHOWN_MOST]}
    first = held[0]
    pair = (first.key.prober, first.key.responder)
    far = [s for s in series if not s.key.nearest and (s.key.prober, s.key.responder) == pair]
    return {each.id for each in [first, *far[-1:], *held[1:]][:SHOWN_MOST]}


def _id(key: SeriesKey, secret: bytes) -> str:
    """By a secret: whoever sees the id, but not the addresses, could try all addresses otherwise."""
    text = "\0".join((key.prober, key.responder, key.place, str(key.nearest)))
    return hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()[:10]


def _fill(
    tables: Tables, shown: Sequence[Series], cut: Cut, t0_ns: int, kinds: Sequence[str], bucket_ns: int | None
) -> tuple[tuple[str, int], ...]:
    """Writes points and ranges into the series; returns the groups that points refer to."""
    query, table = tables.query, tables.round_trips
    if not shown:
        return ()
    if bucket_ns is None:
        rows = round_trip_chart.single_samples(query, table, cut)
    else:
        rows = round_trip_chart.held_samples(query, table, cut, HELD_LIMIT)
        _fill_ranges(
            shown, round_trip_chart.spread(query, table, cut, bucket_ns), cut.from_ns - t0_ns, bucket_ns
        )
    groups: dict[tuple[str, int], int] = {}
    kind_of = {kind: number for number, kind in enumerate(kinds)}
    for number, sid, at_ns, rtt_ms, kind, finding, instance, sent_frame, answer_frame in rows:
        points = shown[number].points
        points.sid.append(sid)
        points.t.append(at_ns - t0_ns)
        points.rtt_ms.append(round(rtt_ms, 6))
        points.kind.append(kind_of[kind])
        group = -1 if finding is None else groups.setdefault((finding, instance), len(groups))
        points.group.append(group)
        points.sent_frame.append(sent_frame)
        points.answer_frame.append(answer_frame)
    return tuple(groups)


def _fill_ranges(
    shown: Sequence[Series],
    rows: Sequence[tuple[int, int, int, float, float, float]],
    from_t: int,
    bucket_ns: int,
) -> None:
    for number, bucket, count, low, middle, high in rows:
        ranges = shown[number].ranges
        ranges.t.append(from_t + bucket * bucket_ns)
        ranges.count.append(count)
        for column, value in zip(
            (ranges.low_ms, ranges.middle_ms, ranges.high_ms), (low, middle, high), strict=True
        ):
            column.append(round(value, 4))
