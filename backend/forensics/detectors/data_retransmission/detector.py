"""Segments that the retransmission timer had to send again, per server."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from backend.forensics.detection.contract import Detection
from backend.forensics.detectors.data_retransmission.thresholds import DEFAULT, Thresholds
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.grouped_rows import by_value
from backend.forensics.evidence.sightings import Ints
from backend.forensics.evidence.stumbles import Stumbles
from backend.forensics.findings import frame_evidence, plural, rfc3339, seconds_text
from backend.forensics.packets import MARK_FAST_RETRANSMISSION, MARK_SPURIOUS_RETRANSMISSION
from backend.forensics.report import FindingPart, MarkPart, Severity
from backend.forensics.signals import SENT_AGAIN

KIND = "data-retransmission"


@dataclass(frozen=True)
class _Group:
    """Positions in `Stumbles.rows`, of one server: all that was sent again, and those of the timer."""

    server: int
    again: Ints
    waits: Ints


def detect(facts: Facts, thresholds: Thresholds = DEFAULT) -> Detection:
    """One finding per server towards or from which data waited for a timer."""
    if not facts.has_packets:
        return Detection("not-checkable", "needs a capture")
    stumbles = facts.stumbles
    rows = stumbles.rows
    again = np.flatnonzero((rows["kind"] & SENT_AGAIN) != 0)
    if not len(again):
        return Detection("clear", "no TCP retransmission of data")
    useless = (rows["marks"][again] & MARK_SPURIOUS_RETRANSMISSION) != 0
    slow = ~useless & (rows["silence_ns"][again] >= thresholds.wait_least_ms * 1e6)
    slow &= (rows["marks"][again] & MARK_FAST_RETRANSMISSION) == 0
    waits = again[slow]
    why = f"{plural(len(again), 'segment')} retransmitted, {len(waits):,} of them after an RTO"
    if not len(waits):
        return Detection("clear", f"{why}: no stall")
    sent_again = by_value(again, stumbles.server[again])
    groups = [
        _Group(server, sent_again[server], its)
        for server, its in by_value(waits, stumbles.server[waits]).items()
    ]
    groups.sort(key=lambda g: (-int(rows["silence_ns"][g.waits].sum()), str(stumbles.servers[g.server])))
    shown = groups[: thresholds.findings_most]
    findings = tuple(_finding(facts, g, n, thresholds) for n, g in enumerate(shown, 1))
    loud = any(f.severity != "info" for f in findings)
    return Detection("found" if loud else "clear", why, findings)


def _severity(stumbles: Stumbles, group: _Group, thresholds: Thresholds) -> Severity:
    touched = len(np.unique(stumbles.node[group.waits]))
    total = max(touched, int(stumbles.connections_of[group.server]))
    lost_s = float(stumbles.rows["silence_ns"][group.waits].sum()) / 1e9
    loud = len(group.waits) >= thresholds.loud_waits and touched >= thresholds.loud_connections
    return (
        "warning"
        if loud and lost_s >= thresholds.loud_s and touched / total >= thresholds.loud_ratio
        else "info"
    )


def _finding(facts: Facts, group: _Group, number: int, thresholds: Thresholds) -> FindingPart:
    stumbles = facts.stumbles
    rows, server = stumbles.rows, str(stumbles.servers[group.server])
    waited = rows["silence_ns"][group.waits].astype(np.float64) / 1e9
    touched = len(np.unique(stumbles.node[group.waits]))
    total = max(touched, int(stumbles.connections_of[group.server]))
    fast = int(np.count_nonzero(rows["marks"][group.again] & MARK_FAST_RETRANSMISSION))
    tail = int(np.count_nonzero(rows["last_of_all"][group.waits]))
    times = stumbles.common_ns[group.waits]
    lost_s = float(waited.sum())
    return FindingPart(
        id=f"{KIND}-{number}",
        kind=KIND,
        severity=_severity(stumbles, group, thresholds),
        confidence=thresholds.confidence,
        title=f"TCP retransmission timeouts on connections to {server}",
        summary=(
            f"{plural(len(group.waits), 'segment')} in {touched:,} of {plural(total, 'connection')} to {server} waited "
            f"{seconds_text(lost_s)} in total for retransmission timeouts (RTO). {fast:,} other segments "
            "were recovered by fast retransmit."
        ),
        count=len(group.waits),
        first=rfc3339(int(times.min())),
        last=rfc3339(int(times.max())),
        time_lost_s=round(lost_s, 6),
        measures={
            "retransmissions": len(group.again),
            "fast": fast,
            "timeouts": len(group.waits) - tail,
            "tail": tail,
            "connections": touched,
            "connections_total": total,
            "wait_median_s": round(float(np.median(waited)), 6),
            "wait_max_s": round(float(waited.max()), 6),
        },
        affected=_affected(stumbles, group),
        events=[
            {
                "start": rfc3339(int(stumbles.common_ns[n] - rows["silence_ns"][n])),
                "end": rfc3339(int(stumbles.common_ns[n])),
                "sender": "client" if rows["from_client"][n] else "server",
                "class": "tail" if rows["last_of_all"][n] else "timeout",
                "frames": [frame for _, frame in stumbles.frames([n], before=True)],
                "input": stumbles.places[int(stumbles.place[n])].input,
            }
            for n in group.waits.tolist()
        ],
        evidence=frame_evidence(
            stumbles.frames(group.waits.tolist(), before=True),
            "retransmitted segments, and the packets before them",
        ),
        marks=_marks(stumbles, group, thresholds),
    )


def _affected(stumbles: Stumbles, group: _Group) -> list[dict[str, object]]:
    ends = {stumbles.endpoints(n) for n in np.unique(stumbles.node[group.waits]).tolist()}
    clients = sorted({str(client).rsplit(":", 1)[0] for client, _ in ends})
    server = str(stumbles.servers[group.server])
    return [{"protocol": "tcp", "source": client, "destination": server} for client in clients[:100]]


def _marks(stumbles: Stumbles, group: _Group, thresholds: Thresholds) -> list[MarkPart]:
    rows, marks = stumbles.rows, []
    for instance, n in enumerate(group.waits[: thresholds.marked_waits].tolist(), start=1):
        wait_s = int(rows["silence_ns"][n]) / 1e9
        marks.append(
            MarkPart(
                glyph="ladder",
                role="loss",
                basis="seen",
                start=rfc3339(int(stumbles.common_ns[n] - rows["silence_ns"][n])),
                end=rfc3339(int(stumbles.common_ns[n])),
                lanes=[stumbles.places[int(stumbles.place[n])].id],
                evidence=frame_evidence(stumbles.frames([n], before=True)),
                label=f"RTO retransmission after {seconds_text(wait_s)}",
                instance=instance,
                value=wait_s,
            )
        )
    return marks
