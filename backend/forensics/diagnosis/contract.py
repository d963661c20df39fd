"""What a cause file returns: a hypothesis with its weighed evidence. Confidence is computed from it, never
set."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from backend.forensics.evidence.attempts.delays import Frame
from backend.forensics.findings import seconds_text
from backend.forensics.private_words import composed
from backend.forensics.report import (
    ClaimPart,
    DiagnosisPart,
    EvidencePart,
    MissingPart,
    RemedyPart,
    RivalPart,
    Role,
    Verdict,
)
from backend.forensics.report_impact import ImpactPart
from backend.forensics.report_text import FigurePart
from backend.forensics.wording import worded_as

STATEMENT_LONGEST = 160
"""Characters: one line of a list, a ticket or a chat."""
CONFIRMED_FROM = 0.9
LIKELY_FROM = 0.7
POSSIBLE_ABOVE = 0.3


@dataclass(frozen=True)
class Weighed:
    """A piece of evidence. `weight` is in log-odds: 1 is a hint, 2 is strong, 4 decides; negative speaks
    against."""

    weight: float
    text: str
    evidence: Sequence[EvidencePart]
    reason: str
    """Why it weighs that much."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", composed(self.text))


@dataclass(frozen=True)
class Hypothesis:
    """`prior` (log-odds) is what is believed before any evidence. `both_sides`: the thing itself was observed
    on both sides of the fault; `independent`: a source other than the packets agrees (docs/detection.md)."""

    cause: str
    title: str
    role: Role
    statement: str
    prior: float
    steps: tuple[ClaimPart, ...]
    weighed: tuple[Weighed, ...]
    both_sides: bool
    independent: bool
    signs: int
    """Independent signs beside the pattern itself."""
    findings: tuple[str, ...]
    time_lost_s: float
    rivals: tuple[RivalPart, ...] = ()
    missing: tuple[MissingPart, ...] = ()
    remedies: tuple[RemedyPart, ...] = ()
    references: tuple[str, ...] = ()
    refutation: str = ""
    figures: tuple[tuple[str, str], ...] = ()
    impact: ImpactPart | None = None
    ceiling: float = 0.999
    attempts: tuple[int, ...] = ()
    """Links of the attempts that it explains (`Facts.delays`). Their lost time is counted for one cause only: where
    there are any, `time_lost_s` is replaced by the sum over those that were left to this cause."""
    places: frozenset[str] = frozenset()
    """Words of the vantage points before which these losses are, where every one of them is lost before the same."""
    returning: bool = False
    """All of these losses are of packets from servers to clients."""
    explains: frozenset[Frame] = frozenset()
    """The packets beside SYNs whose loss or delay it explains: queries, data segments, requests answered late. Each has
    one cause."""


def weigh(hypothesis: Hypothesis) -> tuple[float, Verdict]:
    """(confidence, verdict). The verdict follows docs/detection.md, the number is kept within the verdict's
    range."""
    score = hypothesis.prior + sum(piece.weight for piece in hypothesis.weighed)
    raw = min(1 / (1 + math.exp(-score)), hypothesis.ceiling)
    against = any(piece.weight < 0 for piece in hypothesis.weighed)
    alive = any(rival.status == "possible" for rival in hypothesis.rivals)
    if raw <= POSSIBLE_ABOVE:
        return round(raw, 3), "cannot-tell"
    if (
        raw >= CONFIRMED_FROM
        and hypothesis.both_sides
        and hypothesis.independent
        and not against
        and not alive
    ):
        return round(raw, 3), "confirmed"
    if raw >= LIKELY_FROM and hypothesis.signs > 0 and not alive:
        return round(min(raw, CONFIRMED_FROM - 0.01), 3), "likely"
    return round(min(raw, LIKELY_FROM - 0.01), 3), "possible"


TIME_LOST = "time lost"
"""The figure that the account may change: a cause shows the time of the attempts that were left to it, and none where
no attempt was."""


def conclude(hypothesis: Hypothesis, *, attempts_explained: int = 0) -> DiagnosisPart:
    """The hypothesis as the report shows it."""
    confidence, verdict = weigh(hypothesis)
    claims = list(hypothesis.steps)
    for piece in hypothesis.weighed:
        role: Literal["for", "against"] = "for" if piece.weight > 0 else "against"
        if piece.evidence:
            claims.append(ClaimPart(role=role, text=piece.text, evidence=list(piece.evidence)))
    missing = () if verdict == "confirmed" else hypothesis.missing
    return DiagnosisPart(
        cause=hypothesis.cause,
        title=hypothesis.title,
        confidence=confidence,
        verdict=verdict,
        statement=_one_line(hypothesis.statement, verdict),
        role=hypothesis.role,
        claims=claims,
        rivals=list(hypothesis.rivals),
        findings=list(hypothesis.findings),
        supporting=[claim.text for claim in claims if claim.role == "for"],
        contradicting=[claim.text for claim in claims if claim.role == "against"],
        missing=list(missing),
        remedies=list(hypothesis.remedies),
        references=list(hypothesis.references),
        refutation=hypothesis.refutation,
        time_lost_s=round(hypothesis.time_lost_s, 6),
        attempts_explained=attempts_explained,
        impact=hypothesis.impact,
        figures=[FigurePart(name=name, value=value) for name, value in _figures(hypothesis)],
    )


def _one_line(statement: str, verdict: Verdict) -> str:
    """A statement that addresses and names make too long loses its detail behind the colon, else its end: the claims
    state all of it."""
    short = statement.rpartition(": ")[0]
    worded = [worded_as(verdict, text) for text in (statement, f"{short}." if short else "")]
    fitting = [text for text in worded if text and len(text) <= STATEMENT_LONGEST]
    return (
        fitting[0] if fitting else f"{worded[0][: STATEMENT_LONGEST - 2].rpartition(' ')[0].rstrip(',:;')} …"
    )


def _figures(hypothesis: Hypothesis) -> list[tuple[str, str]]:
    if not hypothesis.attempts:
        return list(hypothesis.figures)
    lost = seconds_text(hypothesis.time_lost_s)
    shown = [(name, lost if name == TIME_LOST else v) for name, v in hypothesis.figures]
    return [figure for figure in shown if figure[0] != TIME_LOST or hypothesis.time_lost_s]
