"""Round trips as a chart draws them: one by one where they are few, else their spread; held ones always one by one."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from pydantic import Field

from backend.errors import InvalidRequest
from backend.services.list_round_trips import open_round_trips
from backend.services.open_tables import Tables
from backend.services.result_types import EpochNs
from backend.services.scope import WHOLE, Scope
from backend.services.show_timeline import bucket_width_ns
from backend.services.table_rows import of_row
from backend.services.timeline_gaps import Span
from backend.storage import round_trip_chart
from backend.storage.pseudonym_keys import pseudonym_key
from backend.storage.round_trip_chart import Cut, SeriesKey
from backend.storage.store import Store
from backend.text_classes import AddressText, FileText, FixedText, IdText, VantageText

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
    """What is to be drawn; ns after t0, None for the ends of the data. Without `series` those that `_chosen` picks."""

    from_t: int | None
    to_t: int | None
    px: int
    kinds: tuple[str, ...] = ()
    series: tuple[str, ...] = ()


@dataclass
class SamplePoints:
    """Single samples as columns, by sending time."""

    sid: list[int] = field(default_factory=list)
    t: list[int] = field(default_factory=list)
    """ns after t0."""
    rtt_ms: list[float] = field(default_factory=list)
    kind: list[int] = field(default_factory=list)
    """Index into the chart's kinds."""
    group: list[int] = field(default_factory=list)
    """Index into the chart's groups, -1 where nothing held it."""
    sent_frame: list[int] = field(default_factory=list)
    answer_frame: list[int | None] = field(default_factory=list)


@dataclass
class SampleRanges:
    """Distribution of round trips as columns, one entry for each bucket of `bucket_ns` with a sample."""

    t: list[int] = field(default_factory=list)
    count: list[int] = field(default_factory=list)
    low_ms: list[float] = field(default_factory=list)
    middle_ms: list[float] = field(default_factory=list)
    high_ms: list[float] = field(default_factory=list)


@dataclass(kw_only=True)
class RoundTripSeries:
    """Requester and responder at one vantage point (or in the output of a tool)."""

    id: IdText
    prober: AddressText
    """Empty where the output of a tool does not name it."""
    responder: AddressText
    vantage: VantageText | None
    input: FileText
    nearest: bool
    """This vantage point is the one nearest to who asked."""
    printed: bool
    shown: bool = False
    """Points or ranges are given."""
    samples: int
    in_window: int = 0
    held: int
    longest_ms: float
    usual_ms: float
    """Median."""
    kinds: tuple[FixedText, ...]
    points: SamplePoints = field(default_factory=SamplePoints)
    ranges: SampleRanges = field(default_factory=SampleRanges)

    @property
    def key(self) -> SeriesKey:
        """What the table knows it by."""
        return SeriesKey(
            self.prober, self.responder, self.input if self.vantage is None else self.vantage, self.nearest
        )


@dataclass(frozen=True)
class HeldGroupName:
    """A group of held samples: instance of a finding."""

    finding: FixedText
    instance: int


@dataclass(frozen=True)
class RoundTripChart:
    """What a chart draws of a window. All times but t0 are ns after t0."""

    t0: EpochNs
    span: Span
    from_t: Annotated[int, Field(serialization_alias="from")]
    to_t: Annotated[int, Field(serialization_alias="to")]
    mode: Literal["samples", "ranges"]
    """ranges: too many samples to draw each; those that were held are among the points all the same."""
    bucket_ns: int
    kinds: tuple[FixedText, ...]
    groups: tuple[HeldGroupName, ...]
    series: tuple[RoundTripSeries, ...]
    pairs_total: int
    """Pairs of hosts; the first are listed, those with held answers before others."""


def chart_round_trips(
    store: Store, investigation_id: str, options: ChartOptions, scope: Scope = WHOLE
) -> RoundTripChart:
    """What is to be drawn of that window. Raises NotFound before there is an analysis."""
    from_t, to_t = scope.window(options.from_t, options.to_t)
    options = replace(options, from_t=from_t, to_t=to_t)
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
    return RoundTripChart(
        t0=t0_ns,
        span=Span(0, span_to),
        from_t=from_t,
        to_t=to_t,
        mode="samples" if single else "ranges",
        bucket_ns=bucket_ns,
        kinds=tuple(kinds),
        groups=groups,
        series=tuple(series),
        pairs_total=int(rows[0]["pairs"]) if rows else 0,
    )


def _window(options: ChartOptions, span_to: int) -> tuple[int, int]:
    from_t = options.from_t if options.from_t is not None else 0
    to_t = options.to_t if options.to_t is not None else span_to + 1
    if to_t <= from_t:
        raise InvalidRequest("The window's end must lie after its beginning.")
    return from_t, to_t


def _series(rows: Sequence[dict[str, Any]], wanted: Sequence[str], secret: bytes) -> list[RoundTripSeries]:
    found = [of_row(RoundTripSeries, {**row, "id": _id(row, secret)}) for row in rows]
    chosen = {each.id for each in found if each.id in wanted} or _chosen(found)
    for each in found:
        each.shown = each.id in chosen
    return found


def _chosen(series: Sequence[RoundTripSeries]) -> set[str]:
    """Of the pair with most held answers what both ends saw, then other pairs with held ones; without any, the pairs
    with most samples."""
    near = [each for each in series if each.nearest]
    held = [each for each in near if each.held]
    if not held:
        return {each.id for each in near[:SHOWN_MOST]}
    first = held[0]
    pair = (first.prober, first.responder)
    far = [s for s in series if not s.nearest and (s.prober, s.responder) == pair]
    return {each.id for each in [first, *far[-1:], *held[1:]][:SHOWN_MOST]}


def _id(row: dict[str, Any], secret: bytes) -> str:
    """By a secret: whoever sees the id, but not the addresses, could try all addresses otherwise."""
    text = "\0".join((row["prober"], row["responder"], row["place"], str(row["nearest"])))
    return hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()[:10]


def _fill(
    tables: Tables,
    shown: Sequence[RoundTripSeries],
    cut: Cut,
    t0_ns: int,
    kinds: Sequence[str],
    bucket_ns: int | None,
) -> tuple[HeldGroupName, ...]:
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
    return tuple(HeldGroupName(*group) for group in groups)


def _fill_ranges(
    shown: Sequence[RoundTripSeries],
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
