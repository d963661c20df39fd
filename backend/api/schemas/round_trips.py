"""Round trips as the API shows them; absolute times are decimal texts of epoch ns."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from backend.services.chart_round_trips import Chart, Series
from backend.services.list_round_trips import HeldGroup as GroupRecord
from backend.services.list_round_trips import RoundTripPage
from backend.services.table_rows import of_row
from backend.services.timeline_gaps import Span


class FartherSighting(BaseModel):
    """The same sample as another vantage point saw it."""

    vantage: str | None
    input: str
    sent_frame: int
    answer_frame: int | None
    rtt_ms: float
    """From there to the responder and back."""
    there_ms: float | None
    """From the nearest vantage point to there; null where the clocks cannot be compared."""


class RoundTrip(BaseModel):
    """A packet that asked and the packet that answered it, at the vantage point nearest to who asked."""

    sid: int
    sent_ns: str
    """On the clock of its capture."""
    at_ns: str | None = None
    """On the clock that all times of the report are on."""
    rtt_ms: float
    kind: str
    prober: str
    prober_port: int
    responder: str
    responder_port: int
    input: str
    """Frames are numbers of this input."""
    vantage: str | None
    """Null for a listing: its frames are lines."""
    sent_frame: int
    answer_frame: int | None
    finding: str | None
    """Id of the finding whose stall held it."""
    instance: int | None
    """Which of its stalls."""
    printed: bool = False
    """Told by the listing of a tool that probes, not by packets."""
    elsewhere: list[FartherSighting] = []
    """At vantage points farther from who asked, that nearest to the responder last."""

    @classmethod
    def of(cls, row: dict[str, Any]) -> RoundTrip:
        """A row of the table; times become texts, for JavaScript's numbers end at 2^53."""
        return of_row(cls, {**row, "sent_ns": str(row["sent_ns"]), "at_ns": str(row["at_ns"])})


class RoundTripList(BaseModel):
    """A page of samples."""

    items: list[RoundTrip]
    total: int
    next_cursor: str | None

    @classmethod
    def of(cls, page: RoundTripPage) -> RoundTripList:
        """The service's answer in the API's words."""
        return cls(
            items=[RoundTrip.of(row) for row in page.items], total=page.total, next_cursor=page.next_cursor
        )


class SamplePoints(BaseModel):
    """Single samples as columns, by time of sending."""

    sid: list[int]
    t: list[int]
    """ns after t0."""
    rtt_ms: list[float]
    kind: list[int]
    """Index into the chart's kinds."""
    group: list[int]
    """Index into the chart's groups, -1 where nothing held it."""
    sent_frame: list[int]
    answer_frame: list[int | None]


class SampleRanges(BaseModel):
    """Spread of round trips as columns, one entry a stretch of `bucket_ns` that holds a sample."""

    t: list[int]
    count: list[int]
    low_ms: list[float]
    middle_ms: list[float]
    high_ms: list[float]


class RoundTripSeries(BaseModel):
    """Who asked whom, as one vantage point (or listing) saw it."""

    id: str
    prober: str
    """Empty where a listing does not tell."""
    responder: str
    vantage: str | None
    input: str
    nearest: bool
    """This vantage point is the one nearest to who asked."""
    printed: bool
    shown: bool
    """Points or ranges are given."""
    samples: int
    in_window: int
    held: int
    longest_ms: float
    usual_ms: float
    """Median."""
    kinds: list[str]
    points: SamplePoints
    ranges: SampleRanges

    @classmethod
    def of(cls, series: Series) -> RoundTripSeries:
        """The service's answer in the API's words."""
        given = {name: getattr(series, name) for name in ("id", "shown", "in_window")}
        columns = {"points": vars(series.points), "ranges": vars(series.ranges)}
        return cls.model_validate({**series.row, **given, **columns})


class HeldGroupName(BaseModel):
    """A group of held samples: instance of a finding."""

    finding: str
    instance: int


class RoundTripChart(BaseModel):
    """What a chart draws of a window. All times but t0 are ns after t0."""

    t0: str
    span: Span
    from_: int = Field(alias="from")
    to: int
    mode: Literal["samples", "ranges"]
    """ranges: too many samples to tell each; those that were held are among the points all the same."""
    bucket_ns: int
    kinds: list[str]
    groups: list[HeldGroupName]
    series: list[RoundTripSeries]
    pairs_total: int
    """Pairs of hosts; the first are listed, those with held answers before others."""

    @classmethod
    def of(cls, chart: Chart) -> RoundTripChart:
        """The service's answer in the API's words."""
        return cls.model_validate(
            {
                "t0": str(chart.t0_ns),
                "span": Span(0, chart.span_to),
                "from": chart.from_t,
                "to": chart.to_t,
                "mode": "samples" if chart.single else "ranges",
                "bucket_ns": chart.bucket_ns,
                "kinds": list(chart.kinds),
                "groups": [{"finding": f, "instance": n} for f, n in chart.groups],
                "series": [RoundTripSeries.of(each) for each in chart.series],
                "pairs_total": chart.pairs,
            }
        )


class HeldGroup(BaseModel):
    """Samples that one stall held: an instance of a finding. Times are ns after t0."""

    finding: str
    instance: int
    prober: str
    responder: str
    t: int
    """First held question."""
    t_last_sent: int
    t_end: int
    """Last answer."""
    samples: int
    longest_ms: float
    kinds: list[str]
    slope: float | None
    """By how much a round trip falls per time of sending: -1 when all were given back at one time."""
    answers_within_ms: float | None
    flows_stalled: int | None
    flows_unaffected: int | None
    direction: str

    @classmethod
    def of(cls, group: GroupRecord) -> HeldGroup:
        """The service's answer in the API's words."""
        reported = ("slope", "answers_within_ms", "flows_stalled", "flows_unaffected")
        said = {name: group.event.get(name) for name in reported}
        return cls.model_validate({**group.row, **said, "direction": group.event.get("direction", "unknown")})


class HeldGroupList(BaseModel):
    """Stalls by time."""

    items: list[HeldGroup]
    total: int


class HeldKind(BaseModel):
    """Samples of one kind between the two hosts, sent while the group was held."""

    kind: str
    held: int
    sent: int
    flows_held: int
    flows: int
    others_p50_ms: float | None
    """Median round trip of those that were not held."""


class HeldShare(BaseModel):
    """What one stall held and what it did not."""

    kinds: list[HeldKind]
    held: int
    sent: int
    flows_held: int
    flows: int

    @classmethod
    def of(cls, kinds: list[dict[str, Any]]) -> HeldShare:
        """The service's answer in the API's words."""
        totals = {name: sum(k[name] for k in kinds) for name in ("held", "sent", "flows_held", "flows")}
        return cls.model_validate({"kinds": kinds, **totals})
