"""Groups retried attempts by destination and says what users lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

import numpy as np

from backend.forensics.detection.contract import Detection
from backend.forensics.detection.most_hit import most_hit
from backend.forensics.detectors.syn_retransmission.marks import draw_marks
from backend.forensics.detectors.syn_retransmission.schedules import name_schedule
from backend.forensics.detectors.syn_retransmission.server_rows import Server, rows_by_server
from backend.forensics.detectors.syn_retransmission.tables import (
    affected_sources,
    instance_table,
    list_events,
)
from backend.forensics.detectors.syn_retransmission.thresholds import DEFAULT, Thresholds
from backend.forensics.evidence.attempts import Endpoint, RetriedAttempt
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.losses import Loss
from backend.forensics.evidence.retried import AttemptGroup
from backend.forensics.findings import frame_evidence, plural, rfc3339, seconds_text
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
    groups = rows_by_server(facts.attempts.table[retried.row])
    if not len(groups):
        return Detection("clear", f"0 of {plural(total, 'connection attempt')} had a SYN retransmission")
    shown, others = most_hit(groups.sizes, thresholds.findings_shown)
    lost = int(np.count_nonzero(~retried.is_outcome("refused")))
    context = _Context(facts, thresholds, lost)
    findings = [
        _finding(context, groups.server(n), AttemptGroup(retried, groups.of(n)), number)
        for number, n in enumerate(shown, start=1)
    ]
    why = f"{len(facts.attempts.retried):,} of {total:,} connection attempts had SYN retransmissions{others}"
    return Detection("found", why, tuple(findings))


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


def _measures(
    attempts: Sequence[RetriedAttempt],
    losses: Sequence[Loss],
    total: int,
    usual_s: float | None,
    thresholds: Thresholds,
    measured: Sequence[RetriedAttempt],
) -> dict[str, object]:
    """`measured`: those whose times a clock measured; no time of the others is told."""
    delays = [a.connect_delay_s for a in measured if a.connect_delay_s is not None]
    outcomes = Counter(a.outcome for a in attempts)
    places = Counter(loss.where for loss in losses)
    return {
        "attempts_total": total,
        "retransmissions": sum(len(a.transmissions) - 1 for a in attempts),
        "schedule": name_schedule([gaps_s(a) for a in measured], thresholds),
        "retry_gap_median_s": round(median(gaps_s(a)[0] for a in measured), 6) if measured else None,
        "connect_delay_median_s": round(median(delays), 6) if delays else None,
        "connect_delay_max_s": round(max(delays), 6) if delays else None,
        "connect_usual_s": round(usual_s, 6) if usual_s is not None else None,
        "established": outcomes["established"],
        "refused": outcomes["refused"],
        "unreachable": outcomes["unreachable"],
        "unanswered": outcomes["unanswered"],
        "lost_at": [
            f"{where}: {count}" for where, count in sorted(places.items(), key=lambda p: (-p[1], p[0]))
        ],
    }


def _finding(context: _Context, server: Server, attempts: AttemptGroup, number: int) -> FindingPart:
    facts, thresholds = context.facts, context.thresholds
    links = {a.link for a in attempts}
    losses = list(facts.losses.of_attempts(attempts.positions))
    rows = facts.attempts.rows_to(Endpoint(*server))
    total, usual_s = len(rows), facts.baseline_connect_s(server)
    measured = [a for a in attempts if facts.delays.measured[facts.attempts.retried.row[a.position]]]
    measures = _measures(attempts, losses, total, usual_s, thresholds, measured)
    lost_s = round(facts.delays.lost_by(links), 6)
    end_ns = max(a.transmissions[-1].time_ns for a in attempts)
    target = str(attempts[0].server)
    delay = measures["connect_delay_median_s"]
    waited = f", median connect time {seconds_text(delay)}" if isinstance(delay, float) else ""
    frames = [(s.place.input, s.frame) for a in attempts for t in a.transmissions for s in t.sightings]
    return FindingPart(
        id=f"{KIND}-{number}",
        kind=KIND,
        severity=_severity(context, attempts, total),
        confidence=thresholds.confidence_lossy if facts.quality.lossy else thresholds.confidence,
        title=f"SYN retransmissions to {target}",
        summary=(
            f"{len(attempts):,} of {total:,} connection attempts to {target} had SYN retransmissions{waited}."
        ),
        count=len(attempts),
        first=rfc3339(min(a.start_ns for a in attempts)),
        last=rfc3339(end_ns),
        time_lost_s=lost_s,
        measures=measures,  # type: ignore[arg-type]
        affected=affected_sources(facts.attempts.table[rows], attempts),
        events=list_events(losses),
        evidence=frame_evidence(frames, "SYNs of the attempts with retransmissions"),
        marks=draw_marks(losses, str(measures["schedule"]), thresholds),
        tables=[instance_table(losses)],
    )
