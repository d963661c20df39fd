"""The attempts towards one destination that a cause explains, and the figures around them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.contract import TIME_LOST
from backend.forensics.diagnosis.named_findings import findings_to
from backend.forensics.evidence.attempts.attempts import Endpoint, RetriedAttempt
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import plural, seconds_text
from backend.forensics.report_impact import ImpactPart


@dataclass(frozen=True)
class Victims:
    """`attempts` had SYN retransmissions; `attempts_total` counts all to that destination."""

    server: Endpoint
    attempts: tuple[RetriedAttempt, ...]
    attempts_total: int
    findings: tuple[str, ...]
    time_lost_s: float
    worst_s: float
    usual_s: float | None

    @property
    def target(self) -> str:
        return str(self.server)

    @property
    def links(self) -> tuple[int, ...]:
        return tuple(sorted({a.link for a in self.attempts}))

    @property
    def passed(self) -> int:
        """Attempts that opened in the end."""
        return sum(a.outcome == "established" for a in self.attempts)

    @property
    def hurt(self) -> str:
        """``29 of 600 connections to 192.0.2.1:80``."""
        return f"{len(self.attempts):,} of {plural(self.attempts_total, 'connection')} to {self.target}"

    @property
    def figures(self) -> tuple[tuple[str, str], ...]:
        """For the verdict strip."""
        figures = [(TIME_LOST, seconds_text(self.time_lost_s)), ("max", seconds_text(self.worst_s))]
        if self.usual_s is not None:
            figures.append(("baseline", seconds_text(self.usual_s)))
        return (
            *figures,
            ("connections", f"{len(self.attempts):,} of {self.attempts_total:,}"),
            ("to", self.target),
        )

    @property
    def impact(self) -> ImpactPart:
        """The same as numbers."""
        return ImpactPart(
            unit="connections",
            destination=self.target,
            affected=len(self.attempts),
            total=self.attempts_total,
            longest_s=self.worst_s,
            baseline_s=self.usual_s,
        )


def group_by_server(attempts: Iterable[RetriedAttempt]) -> list[tuple[RetriedAttempt, ...]]:
    """Attempts by the destination that the client asked for, in order of destination."""
    groups: dict[tuple[int, int, int], list[RetriedAttempt]] = {}
    for attempt in attempts:
        groups.setdefault((attempt.server.high, attempt.server.low, attempt.server.port), []).append(attempt)
    return [tuple(groups[key]) for key in sorted(groups)]


def describe_victims(facts: Facts, findings: Sequence[Case], attempts: tuple[RetriedAttempt, ...]) -> Victims:
    """Figures for attempts to one destination."""
    server = attempts[0].server
    waits = [
        a.connect_delay_s
        if a.connect_delay_s is not None
        else (a.transmissions[-1].time_ns - a.start_ns) / 1e9
        for a in attempts
    ]
    return Victims(
        server=server,
        attempts=attempts,
        attempts_total=len(facts.attempts.rows_to(server)),
        findings=tuple(f.id for f in findings_to(findings, str(server))),
        time_lost_s=facts.delays.lost_by(a.link for a in attempts),
        worst_s=max(waits),
        usual_s=facts.baseline_connect_s((server.high, server.low, server.port)),
    )
