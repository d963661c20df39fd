"""Small writes that were held until the receiver's delayed ACK came, per server and writing side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from backend.forensics.detection.contract import Detection
from backend.forensics.detectors.delayed_ack.thresholds import DEFAULT, Thresholds
from backend.forensics.evidence.attempts import Endpoint
from backend.forensics.evidence.delays import Frame
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.held_writes import HeldWrites
from backend.forensics.evidence.sightings import Ints
from backend.forensics.findings import frame_evidence, plural, rfc3339, seconds_text
from backend.forensics.report import FindingPart, MarkPart

KIND = "delayed-ack"


@dataclass(frozen=True)
class _Group:
    """Rows of `HeldWrites` of one server; `writer` is "client" or "server"."""

    server: Endpoint
    writer: str
    rows: Ints

    def lost_s(self, writes: HeldWrites) -> float:
        return float((writes.waited_ns[self.rows] - writes.round_trip_ns[self.rows]).sum()) / 1e9


def detect(facts: Facts, thresholds: Thresholds = DEFAULT) -> Detection:
    """One finding per server and side that wrote."""
    if not facts.has_packets:
        return Detection("not-checkable", "needs a capture")
    writes = facts.held_writes
    why = f"{plural(len(writes), 'small write')} held until a delayed ACK (40, 100 or 200 ms)"
    groups = [g for g in _groups(writes) if _tight(writes, g, thresholds)]
    groups.sort(key=lambda g: (-g.lost_s(writes), str(g.server), g.writer))
    findings = tuple(
        _finding(facts, group, number, thresholds)
        for number, group in enumerate(groups[: thresholds.findings_most], 1)
    )
    loud = any(f.severity != "info" for f in findings)
    return Detection("found" if loud else "clear", why, findings)


def _groups(writes: HeldWrites) -> list[_Group]:
    found: dict[tuple[Endpoint, str], list[int]] = {}
    for n in range(len(writes)):
        row = writes.nodes[int(writes.node[n])]
        server = Endpoint(int(row["server_high"]), int(row["server_low"]), int(row["server_port"]))
        found.setdefault((server, "client" if writes.from_client[n] else "server"), []).append(n)
    return [_Group(*key, np.array(rows, np.int64)) for key, rows in found.items()]


def _tight(writes: HeldWrites, group: _Group, thresholds: Thresholds) -> bool:
    waited_ms = writes.waited_ns[group.rows] / 1e6
    low, high = np.percentile(waited_ms, [25, 75])
    return len(group.rows) >= thresholds.told_waits and bool(high - low <= thresholds.spread_ms)


def _finding(facts: Facts, group: _Group, number: int, thresholds: Thresholds) -> FindingPart:
    writes, rows, server = facts.held_writes, group.rows, str(group.server)
    waited, lost_s = writes.waited_ns[rows] / 1e9, group.lost_s(writes)
    connections = len(np.unique(writes.node[rows]))
    loud = len(rows) >= thresholds.loud_waits and lost_s >= thresholds.loud_s
    reader = "server" if group.writer == "client" else "client"
    ends = sorted({str(_client(writes, int(n))) for n in rows})
    return FindingPart(
        id=f"{KIND}-{number}",
        kind=KIND,
        severity="warning" if loud else "info",
        confidence=thresholds.confidence,
        title=f"Nagle / delayed-ACK interaction on connections to {server}",
        summary=(
            f"{plural(len(rows), 'time')} in {plural(connections, 'connection')} to {server} the {group.writer}'s next "
            f"small write was held until the {reader}'s delayed ACK: "
            f"median {seconds_text(float(np.median(waited)))}, {seconds_text(lost_s)} in total."
        ),
        count=len(rows),
        first=rfc3339(int(writes.start_ns[rows].min())),
        last=rfc3339(int((writes.start_ns[rows] + writes.waited_ns[rows]).max())),
        time_lost_s=round(lost_s, 6),
        measures={
            "writer": group.writer,
            "connections": connections,
            "wait_median_ms": round(float(np.median(waited)) * 1e3, 3),
            "wait_max_ms": round(float(waited.max()) * 1e3, 3),
            "follows_median_ms": round(float(np.median(writes.follows_ns[rows])) / 1e6, 3),
            "round_trip_median_ms": round(float(np.median(writes.round_trip_ns[rows])) / 1e6, 3),
            "write_median_bytes": int(np.median(writes.bytes[rows])),
        },
        affected=[{"protocol": "tcp", "source": client, "destination": server} for client in ends[:100]],
        events=[
            {
                "start": rfc3339(int(writes.start_ns[n])),
                "end": rfc3339(int(writes.start_ns[n] + writes.waited_ns[n])),
                "waited_ms": round(int(writes.waited_ns[n]) / 1e6, 3),
                "input": facts.captures[int(writes.capture[n])].name,
                "frames": writes.frames[n].tolist(),
            }
            for n in rows.tolist()
        ],
        evidence=frame_evidence(
            _frames(facts, rows),
            "the first write, its ACK, and the write held until then",
        ),
        marks=_marks(facts, group, thresholds),
    )


def _frames(facts: Facts, rows: Ints) -> list[Frame]:
    writes = facts.held_writes
    return [
        (facts.captures[int(writes.capture[n])].name, frame)
        for n in rows.tolist()
        for frame in writes.frames[n].tolist()
    ]


def _client(writes: HeldWrites, n: int) -> Endpoint:
    row = writes.nodes[int(writes.node[n])]
    return Endpoint(int(row["client_high"]), int(row["client_low"]), int(row["client_port"]))


def _marks(facts: Facts, group: _Group, thresholds: Thresholds) -> list[MarkPart]:
    writes, marks = facts.held_writes, list[MarkPart]()
    ids = {(p.capture, p.index): p.id for p in facts.attempts.places}
    for instance, n in enumerate(group.rows[: thresholds.marked].tolist(), 1):
        capture, row = int(writes.capture[n]), writes.nodes[int(writes.node[n])]
        marks.append(
            MarkPart(
                glyph="bracket",
                role="stall",
                basis="seen",
                start=rfc3339(int(writes.start_ns[n])),
                end=rfc3339(int(writes.start_ns[n] + writes.waited_ns[n])),
                lanes=[ids[capture, int(row["vantage"])]],
                evidence=frame_evidence(_frames(facts, np.array([n]))),
                label=f"write held for {seconds_text(int(writes.waited_ns[n]) / 1e9)}",
                instance=instance,
                value=int(writes.waited_ns[n]) / 1e9,
            )
        )
    return marks
