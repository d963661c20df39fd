"""A hypothesis that rests on the listings of one host alone: counters, log lines, tables, rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.evidence.kernel.host_signs import HostSigns
from backend.forensics.private_words import PrivateWord
from backend.forensics.report import ClaimPart, MissingPart, RemedyPart, RivalPart, Role


@dataclass(frozen=True)
class ListedCause:
    """What is the same for every host of one cause."""

    cause: str
    title: str
    prior: float
    references: tuple[str, ...]
    refutation: str
    remedies: tuple[RemedyPart, ...]
    rivals: tuple[RivalPart, ...] = ()
    role: Role = "loss"


def on_host(host: HostSigns) -> str:
    """`` on node-7``, "" where nothing names the host."""
    return f" on {PrivateWord(host.name, 'host')}" if host.name else ""


def from_listings(
    cause: ListedCause,
    statement: str,
    weighed: Sequence[Weighed],
    *,
    missing: tuple[MissingPart, ...] = (),
    figures: tuple[tuple[str, str], ...] = (),
) -> Hypothesis:
    """The heaviest piece is the step; every piece that speaks for the cause is a sign of its own."""
    speaking = sorted((p for p in weighed if p.weight > 0), key=lambda p: -p.weight)
    steps = tuple(ClaimPart(role="step", text=p.text, evidence=list(p.evidence)) for p in speaking[:1])
    return Hypothesis(
        cause=cause.cause,
        title=cause.title,
        role=cause.role,
        statement=statement,
        prior=cause.prior,
        steps=steps,
        weighed=tuple(weighed),
        both_sides=False,
        independent=bool(speaking),
        signs=len(speaking),
        findings=(),
        time_lost_s=0.0,
        rivals=cause.rivals,
        missing=missing,
        remedies=cause.remedies,
        references=cause.references,
        refutation=cause.refutation,
        figures=figures,
    )
