"""New connections to drained real servers, one finding per server and service."""

from __future__ import annotations

from functools import partial

from backend.forensics.cases.case import Flow
from backend.forensics.cases.ipvs_drain import IpvsDrain
from backend.forensics.detection.contract import Detection
from backend.forensics.detection.present import present_case, time_text
from backend.forensics.detectors.ipvs_drain.marks import draw_marks, instance_table, list_events
from backend.forensics.detectors.ipvs_drain.thresholds import DEFAULT, Thresholds
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.nat.ipvs_servers import Drain, SentConnection, list_untimed
from backend.forensics.findings import frame_evidence, line_evidence, plural, rfc3339
from backend.forensics.report import EvidencePart, FindingPart, Severity

KIND = "ipvs-drain"


def detect(facts: Facts, thresholds: Thresholds = DEFAULT) -> Detection:
    """Needs listings of real servers with their times, and a capture behind IPVS where one was drained."""
    if not any(each.dump.services for each in facts.node.dumps):
        return Detection("not-checkable", "needs ipvsadm -Ln at known times, and a capture behind IPVS")
    drains = facts.ipvs_drains
    if not drains:
        untimed = list_untimed(facts.node)
        if untimed:
            why = f"{plural(len(untimed), 'real server')} with weight 0 in ipvsadm output of unknown time"
            return Detection("not-checkable", why)
        return Detection("clear", "no real server had weight 0 or was removed")
    if not facts.has_packets:
        return Detection("not-checkable", "a real server was drained; needs a capture behind IPVS")
    hit = [drain for drain in drains if drain.sent]
    if not hit:
        why = f"{plural(len(drains), 'real server')} drained; no new connection to them after that"
        if all(drain.last_answer_ns < 0 for drain in drains):
            return Detection("not-checkable", "a real server was drained; none of its packets was captured")
        return Detection("clear", why)
    total = sum(len(_counted(drain)) for drain in hit)
    why = f"{plural(total, 'connection')} to drained real servers"
    judge, present = partial(_case, facts, thresholds), partial(_present, facts, thresholds)
    return Detection.of_groups(why, hit, judge, present)


def _counted(drain: Drain) -> tuple[SentConnection, ...]:
    """Those that IPVS sent; without a vantage point before it, all."""
    return drain.through_service or drain.sent


def _severity(drain: Drain, suffered: int, thresholds: Thresholds) -> Severity:
    sent = drain.through_service
    if len(sent) < thresholds.least_connections:
        return "info"
    if sent[-1].syn_ns - drain.drained.since_ns < thresholds.settled_ns:
        return "info"
    return "critical" if suffered >= thresholds.critical_suffered else "warning"


def _case(facts: Facts, thresholds: Thresholds, drain: Drain) -> IpvsDrain:
    drained, sent = drain.drained, _counted(drain)
    suffered = sum(bool(facts.port_reuse.suffered[s.row]) for s in sent)
    removed_ns = drained.removed_ns
    gone = sum(removed_ns is not None and s.syn_ns > removed_ns for s in sent)
    sources = sorted({s.client.host for s in sent})
    # The wait is counted by the case of repeated SYNs; counting it here too would double it.
    return IpvsDrain(
        severity=_severity(drain, suffered, thresholds),
        confidence=thresholds.confidence if drain.through_service else thresholds.confidence_behind_only,
        summary=_summary(drain, len(sent), gone, suffered),
        count=len(sent),
        first_ns=sent[0].syn_ns,
        last_ns=sent[-1].syn_ns,
        flows=tuple(Flow("tcp", source, drained.service) for source in sources),
        evidence=tuple(_evidence(drain, sent)),
        real_server=str(drained.server),
        service=str(drained.service),
        weight=drained.weight,
        connections_after_removal=gone,
        suffered=suffered,
        drained_at=rfc3339(drained.since_ns),
        removed_at=time_text(removed_ns),
        drained=drained.server,
    )


def _present(facts: Facts, thresholds: Thresholds, drain: Drain, case: IpvsDrain) -> FindingPart:
    sent = _counted(drain)
    return present_case(
        case,
        f"New connections to drained real server {case.real_server}",
        events=list_events(drain, sent),
        marks=draw_marks(drain, sent[: thresholds.marked_instances]),
        tables=[instance_table(facts, sent)],
    )


def _summary(drain: Drain, total: int, gone: int, suffered: int) -> str:
    drained = drain.drained
    state = "after it was removed" if drained.weight is None else "after its weight became 0"
    verb = "connection was" if total == 1 else "connections were"
    text = f"{total:,} new {verb} sent to {drained.server} {state}"
    if gone and drained.weight == 0:
        text += f", {gone:,} of them after it was removed"
    text += f"; {suffered:,} had SYN retransmissions or never opened."
    if drained.persistent:
        text += " The service is persistent: its clients stay on their real server."
    if not drain.through_service:
        text += " They were not captured in front of the virtual service, so they may bypass it."
    return text


def _evidence(drain: Drain, sent: tuple[SentConnection, ...]) -> list[EvidencePart]:
    lines = [drain.drained.since, *([drain.drained.removed] if drain.drained.removed else [])]
    return [
        *frame_evidence(((s.place.input, s.frame) for s in sent), "first SYNs to the drained server"),
        *line_evidence(lines, "the ipvsadm output that shows it drained"),
    ]
