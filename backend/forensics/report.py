"""The report `stallscope.report/1`: what `analyze --json` writes and the API returns, field for field."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from backend.forensics.report_account import AccountLinePart as AccountLinePart  # noqa: PLC0414 - handed on
from backend.forensics.report_account import AccountPart as AccountPart  # noqa: PLC0414 - handed on
from backend.forensics.report_do_now import DoNowPart
from backend.forensics.report_evidence import EvidencePart as EvidencePart  # noqa: PLC0414 - handed on
from backend.forensics.report_evidence import NamePart as NamePart  # noqa: PLC0414 - handed on
from backend.forensics.report_impact import ImpactPart
from backend.forensics.report_limits import LimitsPart
from backend.forensics.report_notes import NotePart
from backend.forensics.report_text import FigurePart, Glyph, Text
from backend.forensics.report_timings import TimingPart
from backend.text_classes import (
    AddressText,
    FileText,
    FixedText,
    MachineText,
    OpaqueAddressText,
    ProseText,
    ProseValue,
    TimeText,
    VantageText,
)

Severity = Literal["info", "warning", "critical"]
Verdict = Literal["confirmed", "likely", "possible", "cannot-tell"]
LaneRole = Literal["pod", "bridge", "nat", "uplink", "host", "kernel", "unknown"]
Basis = Literal["seen", "inferred"]
Role = Literal["loss", "stall", "burst", "collision", "ok", "neutral"]
Measure = float | int | ProseText | None | list[ProseValue] | dict[str, ProseValue]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class VantagePointPart(_Part):
    id: VantageText
    """``<input name>#<n>``, stable inside an investigation."""
    name: VantageText
    link_type: FixedText
    packets: int


class InputPart(_Part):
    name: FileText
    sha256: OpaqueAddressText
    kind: Literal["capture", "dump"]
    format: FixedText
    packets: int = 0
    bytes: int = 0
    first: TimeText | None = None
    last: TimeText | None = None
    host: MachineText | None = None
    captured_at: TimeText | None = None
    captured_at_basis: Literal["text", "given", "counters", "unknown"] = "unknown"
    vantage_points: list[VantagePointPart] = []
    lines: int = 0
    lines_not_understood: int = 0
    warnings: list[ProseText] = []
    error: ProseText | None = None
    holds_credentials: bool = False
    """Whether keys or tokens pass in clear text: only the file itself holds them, nothing that was made of it."""
    bundle: FileText | None = None
    """Name of the archive it came in, None when it came by itself."""


class NotUsedPart(_Part):
    """A file that was given, alone or in a bundle, and is not evidence."""

    name: FileText
    why: ProseText


class MarkPart(_Part):
    """A mark of a chart. Times are RFC 3339 with nanoseconds."""

    glyph: Glyph
    role: Role
    basis: Basis
    start: TimeText
    end: TimeText | None = None
    lanes: list[VantageText] = []
    """Vantage point ids, in path order where the mark crosses several."""
    evidence: list[EvidencePart] = []
    label: Text = ""
    instance: int | None = None
    """Which instance of the finding (1-based), so that marks of one instance can be walked together."""
    value: float | None = None


class ColumnPart(_Part):
    name: ProseText
    unit: FixedText = ""


class TablePart(_Part):
    name: ProseText
    columns: list[ColumnPart]
    rows: list[list[ProseValue]]
    rows_total: int


class FindingPart(_Part):
    id: FixedText
    kind: FixedText
    severity: Severity
    confidence: float
    title: Text
    summary: Text
    count: int
    first: TimeText | None
    last: TimeText | None
    time_lost_s: float
    measures: dict[str, Measure]
    affected: list[dict[str, ProseValue]] = []
    events: list[dict[str, ProseValue]] = []
    evidence: list[EvidencePart] = Field(min_length=1)
    marks: list[MarkPart] = []
    tables: list[TablePart] = []


class ClaimPart(_Part):
    """A sentence with its evidence. There is no claim without evidence."""

    role: Literal["step", "for", "against"]
    text: Text
    evidence: list[EvidencePart] = Field(min_length=1)


class RivalPart(_Part):
    cause: FixedText
    title: ProseText = ""
    status: Literal["ruled-out", "possible", "cannot-tell"]
    because: Text
    command: Text | None = None


class MissingPart(_Part):
    what: Text
    command: Text


class ChoicePart(_Part):
    """One side of a trade-off."""

    setting: ProseText
    gains: ProseText
    costs: ProseText


class RemedyPart(_Part):
    what: Text
    condition: Text = ""
    """Where it applies: "" where nothing has to be known first, else what the reader has to find true."""
    command: Text | None = None
    applies_to: Text
    check: Text = ""
    proof: Text = ""
    undo: Text = ""
    side_effect: Text = ""
    versions: ProseText | None = None
    choice: list[ChoicePart] = []
    """Both sides of it, where the change is a choice and no advice."""
    changes: bool = True
    """Whether `command` changes anything; False where it only reads."""


class DiagnosisPart(_Part):
    id: FixedText = ""
    """``<cause>-<n>``, unlike any other's in the report; empty in reports of before there were ids."""
    cause: FixedText
    title: Text
    confidence: float
    verdict: Verdict
    statement: Text
    role: Role = "loss"
    claims: list[ClaimPart]
    rivals: list[RivalPart] = []
    findings: list[FixedText]
    supporting: list[Text] = []
    contradicting: list[Text] = []
    missing: list[MissingPart] = []
    remedies: list[RemedyPart] = []
    references: list[ProseText] = []
    refutation: Text = ""
    """What would refute it: shown where nothing speaks against."""
    time_lost_s: float = 0.0
    attempts_explained: int = 0
    """Connection attempts whose lost time this diagnosis accounts for; no other diagnosis counts them."""
    figures: list[FigurePart] = []
    """Short figures for the verdict strip: {"name": "worst", "value": "1,037 ms"}, in display order."""
    impact: ImpactPart | None = None
    """None where it is about no destination of connections or lookups."""
    do_now: DoNowPart | None = None


class OutcomeCountPart(_Part):
    outcome: FixedText
    """Of connections ``refused``, ``unanswered``, ``half-open`` …, of lookups ``server-failure`` …"""
    count: int
    failed: bool
    evidence: list[EvidencePart] = []


OutcomeSubject = Literal["connections", "lookups", "requests", "tls-handshakes"]


class DestinationOutcomePart(_Part):
    destination: AddressText
    """Address and port."""
    total: int
    failed: int


class OutcomesPart(_Part):
    """How many failed or took `slow_from_s` or more, whether or not a rule matched."""

    what: OutcomeSubject
    total: int
    failed: int
    slow: int
    slow_from_s: float
    by_outcome: list[OutcomeCountPart]
    slowest: list[EvidencePart] = []
    by_destination: list[DestinationOutcomePart] = []
    """Whom those that failed were meant for, the most failures first, at most 10."""


class CheckedPart(_Part):
    kind: FixedText
    status: Literal["found", "harmless", "clear", "not-checkable", "failed"]
    """``harmless``: seen, and nobody was hurt. ``failed``: the check itself broke. Then
    `kind` may also be ``cause:NAME``, or ``report:NAME`` of a list here or a table beside it."""
    why: Text


class QualityPart(_Part):
    """A check of the capture quality."""

    status: Literal["good", "caution"]
    text: Text
    evidence: list[EvidencePart] = []


class LanePart(_Part):
    """A row of the timeline, in path order: a vantage point, or a part of the path that was not captured."""

    id: VantageText
    """A vantage point's id; ``nat``, ``uncaptured:<name>`` or ``kernel:<input>`` for the others."""
    name: VantageText
    role: LaneRole
    captured: bool
    packets: int = 0
    first: TimeText | None = None
    last: TimeText | None = None
    note: Text = ""
    parts: list[VantageText] = []
    """Ids of the same vantage point in the other files, where rotated parts of one capture were joined."""


class DistributionPart(_Part):
    """Distribution of a duration over all samples of one destination."""

    quantity: Literal["connect_time", "rtt", "service_time"]
    """First SYN to SYN-ACK; the same where no SYN was sent again; a request's last byte to its response's first."""
    unit: Literal["ms"] = "ms"
    samples: int
    values: list[float] = Field(min_length=1)
    """Ascending: every sample, or 500 of them at even distances in rank, the smallest and the largest included."""


class DestinationPart(_Part):
    """Outcomes of clients at one address and port, by which two reports are compared."""

    destination: AddressText
    attempts: int
    """Connection attempts, whatever number of vantage points saw them."""
    sent_again: int
    """Of these, with a SYN sent more than once."""
    unopened: int
    """Of these, never answered by a SYN-ACK."""
    distributions: list[DistributionPart] = []
    limits: LimitsPart | None = None


class CounterSetPart(_Part):
    """How counters of a kernel rose from the first to the last dump of one kind."""

    kind: FixedText
    """As in `inputs`: ``conntrack-stats``, ``softnet-stat``, ``nstat``, …"""
    host: MachineText
    """"" where nothing names it."""
    subject: MachineText
    """A network interface, a control group; "" for the machine."""
    seconds: float | None
    """Between the two dumps; None where their order follows from the counters alone."""
    rises: dict[str, int]
    """By name, summed over CPUs, also those that did not rise. A counter between dumps that contradict each other is
    left out."""
    evidence: list[EvidencePart]
    """Lines in the first and in the last dump."""


class CalleePart(_Part):
    """A upstream call of a server during a request."""

    kind: Literal["metadata", "dns", "calls"]
    name: AddressText
    count: int
    """How often within one request."""


class RequestShapePart(_Part):
    """Requests to one endpoint with the same upstream calls. Times are ms, medians unless named p95."""

    request: ProseText
    """``GET /v1/users/*``, or the server's address and port where the payload cannot be read."""
    basis: Basis
    """`inferred`: from who sent data when, without its meaning."""
    callees: list[CalleePart]
    count: int
    total_p50_ms: float
    total_p95_ms: float
    metadata_p50_ms: float
    dns_p50_ms: float
    calls_p50_ms: float
    own_p50_ms: float
    examples: list[EvidencePart]
    """First frames of the fastest, one in the middle, and the slowest."""


class ServedRequestsPart(_Part):
    """Latency breakdown of served requests. Overlapping time counts once: metadata, then DNS, then calls."""

    statement: ProseText
    """Which part cost most, in a sentence."""
    count: int
    inferred: int
    total_s: float
    metadata_s: float
    dns_s: float
    calls_s: float
    own_s: float
    shapes: list[RequestShapePart]
    """At most 100, by the time that they took in sum."""
    shapes_total: int


class ToolPart(_Part):
    version: FixedText


class Report(_Part):
    schema_: Literal["stallscope.report/1"] = Field("stallscope.report/1", alias="schema")
    label: ProseText
    created: TimeText
    tool: ToolPart
    inputs: list[InputPart]
    not_used: list[NotUsedPart] = []
    """By name, at most 1,000; `not_used_total` counts them all."""
    not_used_total: int = 0
    findings: list[FindingPart]
    diagnoses: list[DiagnosisPart]
    checked: list[CheckedPart]
    account: AccountPart | None = None
    """None without packets: there was nothing to count."""
    outcomes: list[OutcomesPart] = []
    requests: ServedRequestsPart | None = None
    """None where no request of a server was seen whose own questions would have been seen, too."""
    quality: list[QualityPart] = []
    lanes: list[LanePart] = []
    destinations: list[DestinationPart] = []
    """The 20 most used, the most used first; `destinations_total` counts them all."""
    destinations_total: int = 0
    counters: list[CounterSetPart] = []
    """Of every listing of counters that was taken at least twice, at most 100."""
    names: list[NamePart] = []
    """Of the addresses in the captures, or in the texts above, by address and time, at most 5,000."""
    names_total: int = 0
    timings: list[TimingPart] = []
    """In the order in which they ran."""
    notes: list[NotePart] = []
    """By people, the oldest first: only where a server that keeps notes hands the report out."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)
