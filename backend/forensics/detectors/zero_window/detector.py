"""Windows that a receiver closed and for how long, per receiver."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from backend.forensics.cases.case import Flow, packets_of
from backend.forensics.cases.zero_window import Closure, ZeroWindow
from backend.forensics.detection.contract import Detection
from backend.forensics.detection.present import draw_instances, present_case
from backend.forensics.detectors.zero_window.thresholds import DEFAULT, Thresholds
from backend.forensics.evidence.attempts.attempts import Endpoint
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.tcp.tcp_anomalies import TcpAnomalies
from backend.forensics.findings import plural, seconds_text
from backend.forensics.report import FindingPart
from backend.forensics.signals import CLOSED, OPENED

KIND = "zero-window"


@dataclass(frozen=True)
class _Closure:
    """One closed window; times are on the reference clock. `opened` is None where it stayed closed as far as the
    capture shows."""

    receiver: Endpoint
    sender: Endpoint
    closed: int
    opened: int | None
    start_ns: int
    end_ns: int

    @property
    def seconds(self) -> float:
        return (self.end_ns - self.start_ns) / 1e9


def detect(facts: Facts, thresholds: Thresholds = DEFAULT) -> Detection:
    """One finding per receiver whose window was closed while the other side had data for it."""
    if not facts.has_packets:
        return Detection("not-checkable", "needs a capture")
    closures = _closures(facts.anomalies)
    long_enough = [c for c in closures if c.seconds * 1000 >= thresholds.reported_ms]
    if not long_enough:
        return Detection(
            "clear", f"{plural(len(closures), 'zero window')}, none for {thresholds.reported_ms:g} ms"
        )
    groups: dict[tuple[int, int], list[_Closure]] = {}
    for closure in long_enough:
        groups.setdefault((closure.receiver.high, closure.receiver.low), []).append(closure)
    ordered = sorted(groups.items(), key=lambda g: (-sum(c.seconds for c in g[1]), g[0]))
    shown = [group for _, group in ordered[: thresholds.findings_most]]
    longest_s = max(c.seconds for c in long_enough)
    why = f"{plural(len(long_enough), 'zero window')}, the longest for {seconds_text(longest_s)}"
    cases = [_case(facts.anomalies, group, thresholds) for group in shown]
    return Detection.of(why, cases, partial(_present, thresholds=thresholds))


def _closures(anomalies: TcpAnomalies) -> list[_Closure]:
    """Closed windows in connections whose sender had data waiting: it filled the window, or probed it."""
    rows, found = anomalies.rows, []
    for at in np.flatnonzero((rows["kind"] & CLOSED) != 0).tolist():
        connection = anomalies.connections[int(anomalies.node[at])]
        if not (connection["zero_window_probes"] or connection["windows_full"]):
            continue
        opened = _opening(anomalies, at)
        until = rows["time_ns"][opened] if opened is not None else connection["last_ns"]
        start_ns = int(anomalies.common_ns[at])
        end_ns = start_ns + int(until) - int(rows["time_ns"][at])
        client, server = anomalies.endpoints(int(anomalies.node[at]))
        ends = (client, server) if rows["from_client"][at] else (server, client)
        found.append(_Closure(*ends, at, opened, start_ns, max(start_ns, end_ns)))
    return found


def _opening(anomalies: TcpAnomalies, at: int) -> int | None:
    """The next row of the same side that opens the window again."""
    rows = anomalies.rows
    for later in range(at + 1, len(rows)):
        if anomalies.node[later] != anomalies.node[at]:
            return None
        if rows["from_client"][later] == rows["from_client"][at] and rows["kind"][later] & (OPENED | CLOSED):
            return later if rows["kind"][later] & OPENED else None
    return None


def _case(anomalies: TcpAnomalies, closures: list[_Closure], thresholds: Thresholds) -> ZeroWindow:
    receiver = closures[0].receiver.host
    total_s, longest_s = sum(c.seconds for c in closures), max(c.seconds for c in closures)
    stuck = sum(c.opened is None for c in closures)
    never = f", {stuck:,} of them until the end" if stuck else ""
    instances = tuple(_instance(anomalies, each) for each in closures)
    return ZeroWindow(
        severity="warning" if longest_s >= thresholds.notable_s else "info",
        confidence=thresholds.confidence,
        summary=(
            f"{receiver} announced a zero window {len(closures):,} times for {seconds_text(total_s)} in "
            f"total{never}: its application did not read while the sender had data for it."
        ),
        count=len(closures),
        first_ns=min(c.start_ns for c in closures),
        last_ns=max(c.start_ns for c in closures),
        time_lost_s=total_s,
        flows=tuple(Flow("tcp", c.sender, c.receiver) for c in closures[:100]),
        instances=instances,
        evidence=packets_of(instances, "zero windows and window updates"),
        closed_total_s=round(total_s, 6),
        closed_max_s=round(longest_s, 6),
        closed_median_s=round(float(np.median([c.seconds for c in closures])), 6),
        never_opened=stuck,
    )


def _instance(anomalies: TcpAnomalies, closure: _Closure) -> Closure:
    shown = [at for at in (closure.closed, closure.opened) if at is not None]
    return Closure(
        start_ns=closure.start_ns,
        end_ns=closure.end_ns,
        lane=anomalies.places[int(anomalies.place[closure.closed])].id,
        packets=tuple(anomalies.frames(shown)),
        opened=closure.opened is not None,
        receiver=closure.receiver,
    )


def _present(case: ZeroWindow, thresholds: Thresholds) -> FindingPart:
    return present_case(
        case,
        f"Zero window from {case.server.host} (receiver not reading)",
        marks=draw_instances(
            case.instances[: thresholds.marked],
            "band",
            "stall",
            label=lambda one: f"zero window of {one.receiver}",
            value=lambda one: one.seconds,
        ),
    )
