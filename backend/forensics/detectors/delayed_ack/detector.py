"""Small writes that were held until the receiver's delayed ACK came, per server and writing side."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from backend.forensics.cases.case import Flow, packets_of
from backend.forensics.cases.delayed_ack import DelayedAck, HeldWrite
from backend.forensics.detection.contract import Detection
from backend.forensics.detectors.delayed_ack.present import present
from backend.forensics.detectors.delayed_ack.thresholds import DEFAULT, Thresholds
from backend.forensics.evidence.attempts.attempts import Endpoint
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.tcp.held_writes import HeldWrites
from backend.forensics.findings import plural, seconds_text
from backend.forensics.wording import times_text

KIND = "delayed-ack"


@dataclass(frozen=True)
class _Group:
    """Rows of `HeldWrites` of one server; `writer` is "client" or "server"."""

    server: Endpoint
    writer: Literal["client", "server"]
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
    cases = [_case(facts, group, thresholds) for group in groups[: thresholds.findings_most]]
    return Detection.of(why, cases, partial(present, thresholds=thresholds))


def _groups(writes: HeldWrites) -> list[_Group]:
    found: dict[tuple[Endpoint, Literal["client", "server"]], list[int]] = {}
    for n in range(len(writes)):
        row = writes.nodes[int(writes.node[n])]
        server = Endpoint(int(row["server_high"]), int(row["server_low"]), int(row["server_port"]))
        found.setdefault((server, "client" if writes.from_client[n] else "server"), []).append(n)
    return [_Group(*key, np.array(rows, np.int64)) for key, rows in found.items()]


def _tight(writes: HeldWrites, group: _Group, thresholds: Thresholds) -> bool:
    waited_ms = writes.waited_ns[group.rows] / 1e6
    low, high = np.percentile(waited_ms, [25, 75])
    return len(group.rows) >= thresholds.reported_waits and bool(high - low <= thresholds.spread_ms)


def _case(facts: Facts, group: _Group, thresholds: Thresholds) -> DelayedAck:
    writes, rows, server = facts.held_writes, group.rows, group.server
    waited, lost_s = writes.waited_ns[rows] / 1e9, group.lost_s(writes)
    connections = len(np.unique(writes.node[rows]))
    often = len(rows) >= thresholds.notable_waits and lost_s >= thresholds.notable_s
    reader = "server" if group.writer == "client" else "client"
    clients = sorted({_client(writes, int(n)) for n in rows}, key=str)
    instances = _instances(facts, group)
    return DelayedAck(
        severity="warning" if often else "info",
        confidence=thresholds.confidence,
        summary=(
            f"{times_text(len(rows)).capitalize()} in {plural(connections, 'connection')} to {server} "
            f"the {group.writer}'s next small write was held until the {reader}'s delayed ACK: "
            f"median {seconds_text(float(np.median(waited)))}, {seconds_text(lost_s)} in total."
        ),
        count=len(rows),
        first_ns=min(one.start_ns for one in instances),
        last_ns=max(one.end_ns for one in instances),
        time_lost_s=lost_s,
        flows=tuple(Flow("tcp", client, server) for client in clients[:100]),
        instances=instances,
        evidence=packets_of(instances, "the first write, its ACK, and the write held until then"),
        writer=group.writer,
        connections=connections,
        wait_median_ms=round(float(np.median(waited)) * 1e3, 3),
        wait_max_ms=round(float(waited.max()) * 1e3, 3),
        follows_median_ms=round(float(np.median(writes.follows_ns[rows])) / 1e6, 3),
        round_trip_median_ms=round(float(np.median(writes.round_trip_ns[rows])) / 1e6, 3),
        write_median_bytes=int(np.median(writes.bytes[rows])),
    )


def _instances(facts: Facts, group: _Group) -> tuple[HeldWrite, ...]:
    writes = facts.held_writes
    ids = {(place.capture, place.index): place.id for place in facts.attempts.places}
    found = []
    for n in group.rows.tolist():
        capture, start_ns, waited_ns = (
            int(writes.capture[n]),
            int(writes.start_ns[n]),
            int(writes.waited_ns[n]),
        )
        name = facts.captures[capture].name
        found.append(
            HeldWrite(
                start_ns=start_ns,
                end_ns=start_ns + waited_ns,
                lane=ids[capture, int(writes.nodes[int(writes.node[n])]["vantage"])],
                packets=tuple((name, frame) for frame in writes.frames[n].tolist()),
                waited_ms=round(waited_ns / 1e6, 3),
            )
        )
    return tuple(found)


def _client(writes: HeldWrites, n: int) -> Endpoint:
    row = writes.nodes[int(writes.node[n])]
    return Endpoint(int(row["client_high"]), int(row["client_low"]), int(row["client_port"]))
