"""The comparison `stallscope.comparison/1`: what `compare --json` writes and the API returns, field for field.

`p_adjusted` is Holm's correction over every test of the comparison; a state other than `same` rests on it."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from backend.forensics.report import EvidencePart, Severity, ToolPart, Verdict
from backend.forensics.report_limits import LimitsPart

State = Literal["new", "gone", "worse", "better", "same", "cannot-tell"]
Outcome = Literal["worse", "better", "mixed", "same", "cannot-tell"]
ShareName = Literal["sent_again", "unopened"]
WaitName = Literal["connect_time", "rtt", "service_time"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _ChangePart(_Part):
    state: State


class SidePart(_Part):
    """One of the two investigations."""

    label: str
    created: str
    tool: ToolPart
    source: str = ""
    """The file, directory or address it was read from."""
    investigation_id: str | None = None
    """On the server that compared them."""
    packets: int
    attempts: int
    """Connection attempts to the destinations listed in the report."""
    recorded_s: float
    """From the first to the last packet of all captures."""


class FindingSidePart(_Part):
    """The findings of one kind at one destination, on one side."""

    ids: list[str]
    severity: Severity
    count: int
    out_of: int | None
    """Connection attempts to that destination; None where the count is not one of attempts."""
    time_lost_s: float


class FindingChangePart(_ChangePart):
    kind: str
    title: str
    severity: Severity
    """The candidate's; the base's where it is gone."""
    destination: str
    """As in the candidate; the base's where it is gone; "" where the finding names none."""
    base: FindingSidePart | None
    candidate: FindingSidePart | None
    p_value: float | None = None
    """Fisher's exact test on counts out of attempts, or a binomial test on counts per recorded second."""
    p_adjusted: float | None = None
    because: str


class CauseChangePart(_ChangePart):
    cause: str
    title: str
    base: Verdict | None
    candidate: Verdict | None
    because: str


class WaitSidePart(_Part):
    samples: int
    median_ms: float
    p95_ms: float
    p99_ms: float
    quantiles_ms: list[float] = []
    """The distribution: 41 values at even distances in rank, from the smallest to the largest sample."""


class TailPart(_Part):
    """Samples above a quantile of both sides together, compared by Fisher's exact test."""

    quantile: float
    above_ms: float
    base_ratio: float
    candidate_ratio: float
    """Of each side's samples, those above."""
    base_ms: float
    candidate_ms: float
    """Each side's own quantile half-way between this one and the end."""
    p_value: float
    p_adjusted: float | None = None


class WaitChangePart(_ChangePart):
    quantity: WaitName
    destination: str
    base_destination: str
    base: WaitSidePart
    candidate: WaitSidePart
    shift_ms: float
    """Hodges-Lehmann: the median of all differences candidate - base, with its 95 % interval."""
    shift_low_ms: float
    shift_high_ms: float
    cliffs_delta: float
    """P(candidate slower) - P(candidate faster), -1 to 1."""
    p_value: float
    """Mann-Whitney U, two-sided."""
    p_adjusted: float | None = None
    tails: list[TailPart] = []
    because: str


class CounterSidePart(_Part):
    rise: int
    """From the first to the last dump."""
    seconds: float | None
    """Between them; None where the dumps say no time."""
    per_s: float | None
    evidence: list[EvidencePart]
    """Lines of both dumps, by the side's inputs."""


class CounterPairPart(_Part):
    """A counter of the kernel on both sides. It counts the whole machine, so it is shown and not judged."""

    kind: str
    host: str
    """The candidate's; "" where nothing names it."""
    subject: str
    name: str
    base: CounterSidePart | None
    """None where that side's listing has no such counter."""
    candidate: CounterSidePart | None


class LimitsPairPart(_Part):
    """What limited the connections to one destination on both sides. Shown and not judged: a longer idle time changes
    every share."""

    destination: str
    base_destination: str
    base: LimitsPart
    candidate: LimitsPart


class ShareSidePart(_Part):
    count: int
    out_of: int
    ratio: float


class ShareChangePart(_ChangePart):
    quantity: ShareName
    destination: str
    base_destination: str
    base: ShareSidePart
    candidate: ShareSidePart
    difference_ratio: float
    """Candidate - base, with its 95 % interval (Newcombe's)."""
    difference_low_ratio: float
    difference_high_ratio: float
    p_value: float
    """Fisher's exact test, two-sided."""
    p_adjusted: float | None = None
    because: str


class Comparison(_Part):
    schema_: Literal["stallscope.comparison/1"] = Field("stallscope.comparison/1", alias="schema")
    created: str
    tool: ToolPart
    base: SidePart
    candidate: SidePart
    verdict: Outcome
    statement: str
    """One sentence of at most 160 characters."""
    findings: list[FindingChangePart]
    causes: list[CauseChangePart]
    waits: list[WaitChangePart]
    shares: list[ShareChangePart]
    counters: list[CounterPairPart] = []
    """Those that rose on a side, what differs most first, at most 200."""
    limits: list[LimitsPairPart] = []
    """Of destinations where both sides' are known."""
    cautions: list[str]
    """What makes the two sides less comparable."""
    not_compared: list[str]
    """What one side has and the other lacks, so that nothing can be said."""
    rules: list[str]
    """How it was judged, in sentences."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)
