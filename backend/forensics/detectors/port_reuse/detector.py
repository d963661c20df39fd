"""Compares attempts on reused tuples with attempts on fresh ones, per destination."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from statistics import median

import numpy as np

from backend.forensics.cases.case import Case, Flow
from backend.forensics.detection.contract import Detection
from backend.forensics.detection.most_hit import most_hit
from backend.forensics.detection.present import present_case
from backend.forensics.detectors.port_reuse.marks import draw_marks, instance_table, list_events
from backend.forensics.detectors.port_reuse.thresholds import DEFAULT, Thresholds
from backend.forensics.evidence.attempts.attempts import Endpoint
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.nat.port_reuse import ReusedTuple, describe_reuse
from backend.forensics.findings import frame_evidence, line_evidence, plural, seconds_text
from backend.forensics.report import EvidencePart, FindingPart, Severity
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


@dataclass(frozen=True, slots=True, kw_only=True)
class PortReuse(Case):
    """Of one destination."""

    kind: str = KIND
    reused_total: int
    reused_delayed: int
    fresh_total: int
    fresh_delayed: int
    p_value: float
    reuse_gap_median_s: float


@dataclass(frozen=True)
class _Group:
    """Attempts on reused tuples that suffered, towards one destination."""

    server: Endpoint
    hit: list[ReusedTuple]
    starts_ns: Ints


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
    suffered = f"{len(hit):,} of {plural(reused, 'attempt')} on a reused 5-tuple"
    why = f"{suffered} had SYN retransmissions or stayed unanswered{others}"
    found = [_group(facts, Endpoint(*servers[n]), np.array(groups[servers[n]])) for n in shown]
    judge, present = partial(_case, facts, thresholds), partial(_present, thresholds)
    return Detection.of_groups(why, found, judge, present)


def _group(facts: Facts, server: Endpoint, rows: Ints) -> _Group:
    hit = describe_reuse(facts.captures, facts.attempts, facts.port_reuse, rows, facts.node.dumps)
    return _Group(server, hit, facts.attempts.table["start_ns"][rows])


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


def _case(facts: Facts, thresholds: Thresholds, group: _Group) -> PortReuse:
    found, hit = compare(facts, group.server), group.hit
    gap_s = median(one.gap_ns for one in hit) / 1e9
    severity = _severity(found, thresholds)
    sure = thresholds.confidence_chance if severity == "info" else thresholds.confidence_significant
    sources = sorted({one.client.host for one in hit})
    # The wait is counted by the case of repeated SYNs; counting it here too would double it.
    return PortReuse(
        severity=severity,
        confidence=sure,
        summary=_summary(found, gap_s, severity),
        count=len(group.starts_ns),
        first_ns=int(group.starts_ns.min()),
        last_ns=int(group.starts_ns.max()),
        flows=tuple(Flow("tcp", source, group.server) for source in sources),
        evidence=_evidence(hit),
        reused_total=found.reused_total,
        reused_delayed=found.reused_delayed,
        fresh_total=found.fresh_total,
        fresh_delayed=found.fresh_delayed,
        p_value=found.p_value,
        reuse_gap_median_s=round(gap_s, 6),
    )


def _evidence(hit: list[ReusedTuple]) -> tuple[EvidencePart, ...]:
    frames = [(one.place.input, frame) for one in hit for frame in one.frames]
    lines = [one.listed for one in hit if one.listed is not None]
    return (
        *frame_evidence(frames, "the SYNs, and the first packets of the connections before them"),
        *line_evidence(lines, "the closed connections that hold the 5-tuples"),
    )


def _present(thresholds: Thresholds, group: _Group, case: PortReuse) -> FindingPart:
    return present_case(
        case,
        f"Early source-port reuse to {group.server}",
        events=list_events(group.hit),
        marks=draw_marks(group.hit[: thresholds.marked_instances]),
        tables=[instance_table(group.hit)],
    )


def _summary(found: Comparison, gap_s: float, severity: Severity) -> str:
    text = (
        f"{found.reused_delayed:,} of {found.reused_total:,} attempts on a 5-tuple last used {seconds_text(gap_s)} "
        f"earlier (median) had SYN retransmissions or stayed unanswered, against {found.fresh_delayed:,} of "
        f"{found.fresh_total:,} on unused 5-tuples (Fisher's exact test, {p_text(found.p_value)})."
    )
    return f"{text} That may be chance." if severity == "info" else text
