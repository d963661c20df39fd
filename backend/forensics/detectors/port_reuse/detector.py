"""Compares attempts on reused tuples with attempts on fresh ones, per destination."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

import numpy as np

from backend.forensics.detection.contract import Detection
from backend.forensics.detection.most_hit import most_hit
from backend.forensics.detectors.port_reuse.marks import draw_marks, instance_table, list_events
from backend.forensics.detectors.port_reuse.thresholds import DEFAULT, Thresholds
from backend.forensics.evidence.attempts import Endpoint
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.port_reuse import ReusedTuple, describe_reuse
from backend.forensics.evidence.sightings import Ints
from backend.forensics.findings import frame_evidence, line_evidence, plural, rfc3339, seconds_text
from backend.forensics.report import FindingPart, Severity
from backend.forensics.significance import fisher_exact_p
from backend.forensics.wording import p_text

KIND = "port-reuse"


@dataclass(frozen=True)
class Comparison:
    """The 2×2 table of one destination, and Fisher's exact test on it: do reused tuples suffer more?"""

    reused_total: int
    reused_delayed: int
    fresh_total: int
    fresh_delayed: int
    p_value: float


def detect(facts: Facts, thresholds: Thresholds = DEFAULT) -> Detection:
    """One finding per destination ip:port at which an attempt on a reused tuple suffered."""
    if not facts.has_packets:
        return Detection("not-checkable", "needs a capture that holds connection attempts")
    table, reuse = facts.attempts.table, facts.port_reuse
    total, reused = len(table), int(np.count_nonzero(reuse.reused))
    if not total:
        return Detection("not-checkable", "not applicable: no connection attempt was captured")
    hit = np.flatnonzero(reuse.reused & reuse.suffered)
    if not len(hit):
        tuples = f"{reused:,} of {plural(total, 'connection attempt')} reused the 5-tuple of an earlier one"
        return Detection("clear", f"{tuples}; none of these had a SYN retransmission or stayed unanswered")
    groups: dict[tuple[int, int, int], list[int]] = {}
    for row in hit.tolist():
        server = (
            int(table["server_high"][row]),
            int(table["server_low"][row]),
            int(table["server_port"][row]),
        )
        groups.setdefault(server, []).append(row)
    servers = sorted(groups)
    shown, others = most_hit([len(groups[server]) for server in servers], thresholds.findings_shown)
    findings = [
        _finding(facts, Endpoint(*servers[n]), np.array(groups[servers[n]]), number, thresholds)
        for number, n in enumerate(shown, start=1)
    ]
    suffered = f"{len(hit):,} of {plural(reused, 'attempt')} on a reused 5-tuple"
    why = f"{suffered} had SYN retransmissions or stayed unanswered{others}"
    loud = any(f.severity != "info" for f in findings)
    return Detection("found" if loud else "clear", why, tuple(findings))


def compare(facts: Facts, server: Endpoint) -> Comparison:
    """Attempts to one destination by tuple (reused, fresh) and fate (suffered, not)."""
    reuse, here = facts.port_reuse, facts.attempts.rows_to(server)
    reused, suffered = reuse.reused[here], reuse.suffered[here]
    again, fresh = ((int(np.sum(of & suffered)), int(np.sum(of & ~suffered))) for of in (reused, ~reused))
    p_value = fisher_exact_p((again, fresh), "greater")
    return Comparison(sum(again), again[0], sum(fresh), fresh[0], p_value)


def _severity(found: Comparison, thresholds: Thresholds) -> Severity:
    if found.p_value >= thresholds.significant_p or found.reused_delayed < thresholds.least_attempts:
        return "info"
    return "critical" if found.reused_delayed >= thresholds.critical_attempts else "warning"


def _finding(facts: Facts, server: Endpoint, rows: Ints, number: int, thresholds: Thresholds) -> FindingPart:
    found = compare(facts, server)
    hit = describe_reuse(facts.captures, facts.attempts, facts.port_reuse, rows, facts.node.dumps)
    gap_s = median(one.gap_ns for one in hit) / 1e9
    severity = _severity(found, thresholds)
    sure = thresholds.confidence_chance if severity == "info" else thresholds.confidence_significant
    lines = [one.listed for one in hit if one.listed is not None]
    starts_ns = facts.attempts.table["start_ns"][rows]
    return FindingPart(
        id=f"{KIND}-{number}",
        kind=KIND,
        severity=severity,
        confidence=sure,
        title=f"Early source-port reuse to {server}",
        summary=_summary(found, gap_s, severity),
        count=len(rows),
        first=rfc3339(int(starts_ns.min())),
        last=rfc3339(int(starts_ns.max())),
        # The wait is counted by the finding on repeated SYNs; counting it here too would double it.
        time_lost_s=0.0,
        measures={
            "reused_total": found.reused_total,
            "reused_delayed": found.reused_delayed,
            "fresh_total": found.fresh_total,
            "fresh_delayed": found.fresh_delayed,
            "p_value": found.p_value,
            "reuse_gap_median_s": round(gap_s, 6),
        },
        affected=_affected(hit, server),
        events=list_events(hit),
        evidence=[
            *frame_evidence(
                [(one.place.input, frame) for one in hit for frame in one.frames],
                "the SYNs, and the first packets of the connections before them",
            ),
            *line_evidence(lines, "the closed connections that hold the 5-tuples"),
        ],
        marks=draw_marks(hit[: thresholds.marked_instances]),
        tables=[instance_table(hit)],
    )


def _summary(found: Comparison, gap_s: float, severity: Severity) -> str:
    text = (
        f"{found.reused_delayed:,} of {found.reused_total:,} attempts on a 5-tuple last used {seconds_text(gap_s)} "
        f"earlier (median) had SYN retransmissions or stayed unanswered, against {found.fresh_delayed:,} of "
        f"{found.fresh_total:,} on unused 5-tuples (Fisher's exact test, {p_text(found.p_value)})."
    )
    return f"{text} That may be chance." if severity == "info" else text


def _affected(hit: list[ReusedTuple], server: Endpoint) -> list[dict[str, object]]:
    sources = sorted({str(one.client).rsplit(":", 1)[0] for one in hit})
    return [{"protocol": "tcp", "source": source, "destination": str(server)} for source in sources]
