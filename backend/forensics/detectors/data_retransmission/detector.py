"""Segments that the retransmission timer had to send again, per server."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from backend.forensics.cases.case import Flow, packets_of
from backend.forensics.cases.data_retransmission import DataRetransmission, Timeout
from backend.forensics.detection.contract import Detection
from backend.forensics.detection.present import draw_instances, event_of, present_case
from backend.forensics.detectors.data_retransmission.thresholds import DEFAULT, Thresholds
from backend.forensics.evidence.clocks.grouped_rows import by_value
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.tcp.spurious_retransmissions import spurious
from backend.forensics.evidence.tcp.tcp_anomalies import TcpAnomalies
from backend.forensics.findings import plural, seconds_text
from backend.forensics.packets import MARK_FAST_RETRANSMISSION
from backend.forensics.report import FindingPart, Severity
from backend.forensics.signals import SENT_AGAIN

KIND = "data-retransmission"


@dataclass(frozen=True)
class _Group:
    """Positions in `TcpAnomalies.rows`, of one server: all that was sent again, and those of the timer."""

    server: int
    again: Ints
    waits: Ints


def detect(facts: Facts, thresholds: Thresholds = DEFAULT) -> Detection:
    """One finding per server towards or from which data waited for a timer."""
    if not facts.has_packets:
        return Detection("not-checkable", "needs a capture")
    anomalies = facts.anomalies
    rows = anomalies.rows
    again = np.flatnonzero((rows["kind"] & SENT_AGAIN) != 0)
    if not len(again):
        return Detection("clear", "no TCP retransmission of data")
    slow = ~spurious(anomalies)[again] & (rows["silence_ns"][again] >= thresholds.wait_least_ms * 1e6)
    slow &= (rows["marks"][again] & MARK_FAST_RETRANSMISSION) == 0
    waits = again[slow]
    why = f"{plural(len(again), 'segment')} retransmitted, {len(waits):,} of them after an RTO"
    if not len(waits):
        return Detection("clear", f"{why}: no stall")
    sent_again = by_value(again, anomalies.server[again])
    groups = [
        _Group(server, sent_again[server], its)
        for server, its in by_value(waits, anomalies.server[waits]).items()
    ]
    groups.sort(key=lambda g: (-int(rows["silence_ns"][g.waits].sum()), str(anomalies.servers[g.server])))
    shown = groups[: thresholds.findings_most]
    cases = [_case(anomalies, group, thresholds) for group in shown]
    return Detection.of(why, cases, partial(_present, thresholds=thresholds))


def _severity(anomalies: TcpAnomalies, group: _Group, thresholds: Thresholds) -> Severity:
    touched = len(np.unique(anomalies.node[group.waits]))
    total = max(touched, int(anomalies.connections_of[group.server]))
    lost_s = float(anomalies.rows["silence_ns"][group.waits].sum()) / 1e9
    notable = len(group.waits) >= thresholds.notable_waits and touched >= thresholds.notable_connections
    return (
        "warning"
        if notable and lost_s >= thresholds.notable_s and touched / total >= thresholds.notable_ratio
        else "info"
    )


def _case(anomalies: TcpAnomalies, group: _Group, thresholds: Thresholds) -> DataRetransmission:
    rows, server = anomalies.rows, anomalies.servers[group.server]
    waited = rows["silence_ns"][group.waits].astype(np.float64) / 1e9
    touched = len(np.unique(anomalies.node[group.waits]))
    total = max(touched, int(anomalies.connections_of[group.server]))
    fast = int(np.count_nonzero(rows["marks"][group.again] & MARK_FAST_RETRANSMISSION))
    tail = int(np.count_nonzero(rows["last_of_all"][group.waits]))
    lost_s = float(waited.sum())
    clients = sorted(
        {anomalies.endpoints(n)[0].host for n in np.unique(anomalies.node[group.waits]).tolist()}
    )
    instances = _instances(anomalies, group.waits)
    return DataRetransmission(
        severity=_severity(anomalies, group, thresholds),
        confidence=thresholds.confidence,
        summary=(
            f"{plural(len(group.waits), 'segment')} in {touched:,} of {plural(total, 'connection')} to {server} waited "
            f"{seconds_text(lost_s)} in total for retransmission timeouts (RTO). {fast:,} other segments "
            "were recovered by fast retransmit."
        ),
        count=len(group.waits),
        first_ns=min(one.end_ns for one in instances),
        last_ns=max(one.end_ns for one in instances),
        time_lost_s=lost_s,
        flows=tuple(Flow("tcp", client, server) for client in clients[:100]),
        instances=instances,
        evidence=packets_of(instances, "retransmitted segments, and the packets before them"),
        retransmissions=len(group.again),
        fast=fast,
        timeouts=len(group.waits) - tail,
        tail=tail,
        connections=touched,
        connections_total=total,
        wait_median_s=round(float(np.median(waited)), 6),
        wait_max_s=round(float(waited.max()), 6),
    )


def _instances(anomalies: TcpAnomalies, waits: Ints) -> tuple[Timeout, ...]:
    names = ("silence_ns", "frame", "previous_frame", "from_client", "last_of_all")
    columns = (anomalies.rows[name][waits].tolist() for name in names)
    seen = zip(anomalies.common_ns[waits].tolist(), anomalies.place[waits].tolist(), *columns, strict=True)
    instances = []
    for end_ns, number, silence_ns, frame, previous, from_client, last_of_all in seen:
        place = anomalies.places[number]
        instances.append(
            Timeout(
                start_ns=end_ns - silence_ns,
                end_ns=end_ns,
                lane=place.id,
                packets=tuple((place.input, each) for each in (frame, previous) if each),
                sender="client" if from_client else "server",
                tail=bool(last_of_all),
            )
        )
    return tuple(instances)


def _present(case: DataRetransmission, thresholds: Thresholds) -> FindingPart:
    return present_case(
        case,
        f"TCP retransmission timeouts on connections to {case.target}",
        events=[_event(one) for one in case.instances],
        marks=draw_instances(
            case.instances[: thresholds.marked_waits],
            "ladder",
            "loss",
            label=lambda one: f"RTO retransmission after {seconds_text(one.seconds)}",
            value=lambda one: one.seconds,
        ),
    )


def _event(one: Timeout) -> dict[str, object]:
    frames = [frame for _, frame in one.packets]
    kind = "tail" if one.tail else "timeout"
    return {**event_of(one), "class": kind, "frames": frames, "input": one.packets[0][0]}
