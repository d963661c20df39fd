"""Groups retried attempts by destination and says what users lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from statistics import median
from typing import Any

import numpy as np

from backend.forensics.cases.case import Flow
from backend.forensics.cases.syn_retransmission import SynRetransmission
from backend.forensics.detection.contract import Detection
from backend.forensics.detection.most_hit import most_hit
from backend.forensics.detection.present import present_case
from backend.forensics.detectors.syn_retransmission.marks import draw_marks
from backend.forensics.detectors.syn_retransmission.schedules import name_schedule
from backend.forensics.detectors.syn_retransmission.server_rows import Server, rows_by_server
from backend.forensics.detectors.syn_retransmission.tables import (
    affected_sources,
    instance_table,
    list_events,
)
from backend.forensics.detectors.syn_retransmission.thresholds import DEFAULT, Thresholds
from backend.forensics.evidence.absence.losses import Loss
from backend.forensics.evidence.attempts.attempts import Endpoint, RetriedAttempt
from backend.forensics.evidence.attempts.retried import AttemptGroup
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import frame_evidence, plural, seconds_text
from backend.forensics.report import FindingPart, Severity

KIND = "syn-retransmission"


def detect(facts: Facts, thresholds: Thresholds = DEFAULT) -> Detection:
    """One finding per destination ip:port."""
    if not facts.has_packets:
        return Detection("not-checkable", "needs a capture that holds connection attempts")
    total = len(facts.attempts.table)
    if not total:
        return Detection("not-checkable", "not applicable: no connection attempt (SYN) was captured")
    retried = facts.attempts.retried
    groups = rows_by_server(facts.attempts.table, retried.row)
    if not len(groups):
        return Detection("clear", f"0 of {plural(total, 'connection attempt')} had a SYN retransmission")
    shown, others = most_hit(groups.sizes, thresholds.findings_shown)
    lost = int(np.count_nonzero(~retried.is_outcome("refused")))
    context = _Context(facts, thresholds, lost)
    hit = [_Group.of(facts, groups.server(n), AttemptGroup(retried, groups.of(n))) for n in shown]
    why = f"{len(facts.attempts.retried):,} of {total:,} connection attempts had SYN retransmissions{others}"
    found = Detection.of_groups(why, hit, partial(_case, context), partial(_present, context))
    return replace(found, status="found")


def gaps_s(attempt: RetriedAttempt) -> list[float]:
    """Seconds between one SYN and the next."""
    times = [sent.time_ns for sent in attempt.transmissions]
    return [(later - earlier) / 1e9 for earlier, later in pairwise(times)]


@dataclass(frozen=True)
class _Context:
    """What all findings share, gathered once: a scan has a hundred thousand destinations."""

    facts: Facts
    thresholds: Thresholds
    lost_total: int
    """Attempts of the whole evidence that were sent again and not refused."""


def _severity(context: _Context, attempts: Sequence[RetriedAttempt], total: int) -> Severity:
    """`info` is for what is true and harmless: the only lost SYN of a whole capture, and a closed port that is
    asked again (Windows asks three times): nothing was lost there."""
    thresholds = context.thresholds
    alone = context.lost_total <= thresholds.harmless_attempts
    refused = all(a.outcome == "refused" for a in attempts)
    if refused or alone:
        return "info"
    delayed = len(attempts)
    critical = delayed >= thresholds.critical_attempts and delayed >= thresholds.critical_ratio * total
    return "critical" if critical else "warning"


@dataclass(frozen=True)
class _Group:
    """Attempts that asked for one server, the SYNs of them that were lost, and whose times a clock measured."""

    server: Server
    attempts: AttemptGroup
    losses: list[Loss]
    measured: list[RetriedAttempt]
    sources: list[dict[str, Any]]

    @classmethod
    def of(cls, facts: Facts, server: Server, attempts: AttemptGroup) -> _Group:
        measured = [a for a in attempts if facts.delays.measured[facts.attempts.retried.row[a.position]]]
        losses = list(facts.losses.of_attempts(attempts.positions))
        table = facts.attempts.table[facts.attempts.rows_to(Endpoint(*server))]
        return cls(server, attempts, losses, measured, affected_sources(table, attempts))


def _case(context: _Context, group: _Group) -> SynRetransmission:
    facts, thresholds, attempts = context.facts, context.thresholds, group.attempts
    rows = facts.attempts.rows_to(Endpoint(*group.server))
    usual_s = facts.baseline_connect_s(group.server)
    delays = [a.connect_delay_s for a in group.measured if a.connect_delay_s is not None]
    delay_s = round(median(delays), 6) if delays else None
    outcomes = Counter(a.outcome for a in attempts)
    places = Counter(loss.where for loss in group.losses)
    waited = f", median connect time {seconds_text(delay_s)}" if delay_s is not None else ""
    frames = [(s.place.input, s.frame) for a in attempts for t in a.transmissions for s in t.sightings]
    gaps = [gaps_s(a) for a in group.measured]
    server = attempts[0].server
    return SynRetransmission(
        severity=_severity(context, attempts, len(rows)),
        confidence=thresholds.confidence_lossy if facts.quality.lossy else thresholds.confidence,
        summary=(
            f"{len(attempts):,} of {len(rows):,} connection attempts to {server} had SYN retransmissions{waited}."
        ),
        count=len(attempts),
        first_ns=min(a.start_ns for a in attempts),
        last_ns=max(a.transmissions[-1].time_ns for a in attempts),
        time_lost_s=facts.delays.lost_by({a.link for a in attempts}),
        flows=tuple(Flow("tcp", row["source"], server) for row in group.sources),
        evidence=tuple(frame_evidence(frames, "SYNs of the attempts with retransmissions")),
        attempts_total=len(rows),
        retransmissions=sum(len(a.transmissions) - 1 for a in attempts),
        schedule=name_schedule(gaps, thresholds),
        retry_gap_median_s=round(median(each[0] for each in gaps), 6) if gaps else None,
        connect_delay_median_s=delay_s,
        connect_delay_max_s=round(max(delays), 6) if delays else None,
        connect_usual_s=round(usual_s, 6) if usual_s is not None else None,
        established=outcomes["established"],
        refused=outcomes["refused"],
        unreachable=outcomes["unreachable"],
        unanswered=outcomes["unanswered"],
        lost_at=[f"{where}: {count}" for where, count in sorted(places.items(), key=lambda p: (-p[1], p[0]))],
    )


def _present(context: _Context, group: _Group, case: SynRetransmission) -> FindingPart:
    return present_case(
        case,
        f"SYN retransmissions to {case.target}",
        affected=group.sources,
        events=list_events(group.losses),
        marks=draw_marks(group.losses, case.schedule, context.thresholds),
        tables=[instance_table(group.losses)],
    )
