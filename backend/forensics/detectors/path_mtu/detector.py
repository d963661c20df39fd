"""Large segments that are sent again without progress while small ones pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from backend.forensics.cases.case import Flow
from backend.forensics.cases.path_mtu import PathMtu, StuckSegment
from backend.forensics.detection.contract import Detection
from backend.forensics.detection.present import draw_instances, present_case
from backend.forensics.detectors.path_mtu.thresholds import DEFAULT, Thresholds
from backend.forensics.evidence.attempts.attempts import Endpoint
from backend.forensics.evidence.attempts.delays import Frame
from backend.forensics.evidence.clocks.matched_packets import mix
from backend.forensics.evidence.clocks.sorted_rows import lexsort
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.tcp.tcp_anomalies import TcpAnomalies
from backend.forensics.findings import frame_evidence, plural
from backend.forensics.packets import MARK_SPURIOUS_RETRANSMISSION
from backend.forensics.report import FindingPart
from backend.forensics.signals import PASSED, SENT_AGAIN

KIND = "path-mtu"
HEADERS_BYTES = 40
"""IPv4 and TCP without options: where an earlier version decoded the file."""
_NEAR_NS = 60_000_000_000
_OVERLAYS = ((20, "IP in IP"), (24, "GRE"), (50, "VXLAN or Geneve"), (60, "WireGuard"))
"""Bytes that an encapsulation over IPv4 adds: RFC 2003, RFC 2784, RFC 7348 section 5, the WireGuard paper."""


@dataclass(frozen=True)
class _Stuck:
    """A large segment that did not pass; `at` are its repetitions."""

    node: int
    sender: Endpoint
    receiver: Endpoint
    bytes: int
    header_bytes: int
    passed_bytes: int
    opened: bool
    """Its handshake was captured."""
    at: tuple[int, ...]


@dataclass(frozen=True)
class _TooBig:
    """An ICMP message that a packet was too big: the MTU it names, who was told and about whom."""

    mtu_bytes: int
    time_ns: int
    source: tuple[int, int]
    destination: tuple[int, int]
    frame: Frame


def detect(facts: Facts, thresholds: Thresholds = DEFAULT) -> Detection:
    """One finding per pair of sender and receiver."""
    if not facts.has_packets:
        return Detection("not-checkable", "needs a capture")
    anomalies = facts.anomalies
    stuck = _stuck(anomalies, thresholds)
    if not stuck:
        messages = len(_too_big(facts))
        heard = f"; {plural(messages, 'ICMP message')} for packets too big were obeyed" if messages else ""
        return Detection("clear", f"no large segment was lost repeatedly while small ones passed{heard}")
    groups: dict[tuple[int, int, int, int], list[_Stuck]] = {}
    for one in stuck:
        key = (one.sender.high, one.sender.low, one.receiver.high, one.receiver.low)
        groups.setdefault(key, []).append(one)
    messages_of: dict[tuple[int, int, int, int], list[_TooBig]] = {}
    for message in _too_big(facts):
        messages_of.setdefault((*message.source, *message.destination), []).append(message)
    ordered = sorted(groups.items(), key=lambda g: (-len(g[1]), g[0]))[: thresholds.findings_most]
    why = f"{plural(len(stuck), 'connection')} with a large segment that never passed while small ones did"
    cases = [_case(anomalies, group, messages_of.get(key, []), thresholds) for key, group in ordered]
    return Detection.of(why, cases, partial(_present, thresholds=thresholds))


def _stuck(anomalies: TcpAnomalies, thresholds: Thresholds) -> list[_Stuck]:
    """One a connection and side: the segment that was repeated most."""
    rows = anomalies.rows
    large = (rows["kind"] & SENT_AGAIN) != 0
    large &= (rows["marks"] & MARK_SPURIOUS_RETRANSMISSION) == 0
    large &= (rows["payload_bytes"] >= thresholds.segment_least_bytes) & (
        rows["payload_bytes"] > rows["passed_bytes"]
    )
    at = np.flatnonzero(large)
    groups: dict[tuple[int, int, int], list[int]] = {}
    for n in at.tolist():
        key = (int(anomalies.node[n]), int(rows["from_client"][n]), int(rows["sequence"][n]))
        groups.setdefault(key, []).append(n)
    best: dict[tuple[int, int], tuple[int, ...]] = {}
    for (node, side, _), positions in groups.items():
        if len(positions) >= thresholds.repeats_least and len(positions) > len(best.get((node, side), ())):
            best[node, side] = tuple(positions)
    got_through, answers_others = _got_through(anomalies), _answers_others(anomalies)
    return [
        s
        for (node, side), positions in best.items()
        if not got_through(node, side, positions[-1])
        and (s := _one(anomalies, node, side, positions, answers_others))
    ]


def _got_through(anomalies: TcpAnomalies) -> Callable[[int, int, int], bool]:
    """Whether a repeated segment (node, side, its last repetition) was acknowledged at its full size in the end."""
    rows = anomalies.rows
    at = np.flatnonzero((rows["kind"] & PASSED) != 0)
    acknowledged: dict[tuple[int, int], list[int]] = {}
    for n in at.tolist():
        acknowledged.setdefault((int(anomalies.node[n]), 1 - int(rows["from_client"][n])), []).append(n)

    def got_through(node: int, side: int, last: int) -> bool:
        end = (int(rows["sequence"][last]) + int(rows["payload_bytes"][last])) & 0xFFFFFFFF
        return any(
            n > last and (int(rows["acknowledgement"][n]) - end) & 0xFFFFFFFF < 1 << 31
            for n in acknowledged.get((node, side), ())
        )

    return got_through


def _answers_others(anomalies: TcpAnomalies) -> Callable[[int], bool]:
    """Whether data passed both ways between the same two hosts in another connection, near in time: a sender that has
    sent nothing small yet hears no more than the SYN-ACK."""
    table = anomalies.connections
    sound = table[
        (table["data_retransmissions"] == 0) & (table["client_bytes"] > 0) & (table["server_bytes"] > 0)
    ]
    key = _pair(sound)
    order = lexsort((sound["last_ns"], key))
    key, last_ns = key[order], sound["last_ns"][order]

    def answers_others(node: int) -> bool:
        one = table[node : node + 1]
        begin, end = (int(np.searchsorted(key, _pair(one)[0], side=side)) for side in ("left", "right"))
        after = begin + int(np.searchsorted(last_ns[begin:end], int(one["first_ns"][0]) - _NEAR_NS))
        return after < end and int(last_ns[after]) <= int(one["last_ns"][0]) + _NEAR_NS

    return answers_others


def _pair(rows: NDArray[np.void]) -> NDArray[np.uint64]:
    return mix(rows["client_high"], rows["client_low"], rows["server_high"], rows["server_low"])


def _one(
    anomalies: TcpAnomalies,
    node: int,
    from_client: int,
    at: tuple[int, ...],
    answers_others: Callable[[int], bool],
) -> _Stuck | None:
    """None where nothing shows that the other side was alive: no small segment passed, and the handshake was not
    seen."""
    rows, connection = anomalies.rows, anomalies.connections[node]
    passed = int(rows["passed_bytes"][at[-1]])
    opened = connection["established_ns"] >= 0
    if not opened and not passed:
        return None
    # Whoever falls silent altogether is dead; of a black hole's other side later packets are seen, or its small data.
    heard = int(connection["server_packets" if from_client else "client_packets"])
    if heard < 2 and not (opened and connection["syn_acks"] == 1 and answers_others(node)):
        return None
    client, server = anomalies.endpoints(node)
    ends = (client, server) if from_client else (server, client)
    size, headers = int(rows["payload_bytes"][at[0]]), int(rows["header_bytes"][at[0]]) or HEADERS_BYTES
    return _Stuck(node, *ends, size, headers, passed, bool(opened), at)


def _too_big(facts: Facts) -> list[_TooBig]:
    """ICMPv4 "fragmentation needed" (RFC 792, RFC 1191) and ICMPv6 "packet too big" (RFC 4443)."""
    found = []
    columns = [
        "frame",
        "time_ns",
        "ip_version",
        "type",
        "code",
        "mtu_bytes",
        "quoted_source_high",
        "quoted_source_low",
    ]
    columns += ["quoted_destination_high", "quoted_destination_low"]
    for capture in facts.captures:
        if not capture.messages.icmp_errors.rows:
            continue
        for row in capture.messages.icmp_errors.read(columns).to_pylist():
            if (row["ip_version"], row["type"], row["code"]) != (4, 3, 4) and (
                row["ip_version"],
                row["type"],
            ) != (6, 2):
                continue
            found.append(
                _TooBig(
                    int(row["mtu_bytes"]),
                    int(row["time_ns"]),
                    (row["quoted_source_high"], row["quoted_source_low"]),
                    (row["quoted_destination_high"], row["quoted_destination_low"]),
                    (capture.name, int(row["frame"])),
                )
            )
    return found


def _passed(group: list[_Stuck]) -> str:
    """``The handshake and segments up to 200 bytes``: what was seen of these."""
    largest = max(s.passed_bytes for s in group)
    segments = f"segments up to {plural(largest, 'byte')}"
    if not any(s.opened for s in group):
        return segments.capitalize()
    return f"The handshake and {segments}" if largest else "The handshake"


def _case(
    anomalies: TcpAnomalies, group: list[_Stuck], messages: list[_TooBig], thresholds: Thresholds
) -> PathMtu:
    rows = anomalies.rows
    smallest, passed = min(s.bytes for s in group), max(s.passed_bytes for s in group)
    packet = min(s.bytes + s.header_bytes for s in group)
    sender, receiver = group[0].sender, group[0].receiver
    spans = [
        rows["time_ns"][s.at[-1]] - rows["time_ns"][s.at[0]] + rows["silence_ns"][s.at[0]] for s in group
    ]
    often = len(group) >= thresholds.notable_connections or bool(messages)
    mtu = min((t.mtu_bytes for t in messages if t.mtu_bytes), default=None)
    ignored = f" The sender ignored an ICMP message with MTU {mtu:,} bytes." if mtu else ""
    silent = "" if messages else " The sender got no ICMP message."
    at = [n for s in group for n in s.at]
    overheads = tuple(each for each in _OVERLAYS if packet + each[0] > 1_500)
    return PathMtu(
        severity="warning" if often else "info",
        confidence=thresholds.confidence_icmp if messages else (thresholds.confidence if often else 0.5),
        summary=(
            f"In {plural(len(group), 'connection')} from {sender.host} to {receiver.host} segments of {smallest:,} "
            f"bytes or more were retransmitted without success. {_passed(group)} passed.{ignored}{silent}"
        ),
        count=len(group),
        first_ns=int(anomalies.common_ns[at].min()),
        last_ns=int(anomalies.common_ns[at].max()),
        time_lost_s=sum(int(span) for span in spans) / 1e9,
        flows=tuple(Flow("tcp", s.sender, s.receiver) for s in group[:100]),
        instances=tuple(_instance(anomalies, each) for each in group),
        evidence=tuple(
            frame_evidence(
                [*anomalies.frames(at), *(t.frame for t in messages)], "retransmitted large segments"
            )
        ),
        failing_segment_bytes=smallest,
        passed_segment_bytes=passed,
        packet_bytes=packet,
        handshakes=sum(s.opened for s in group),
        icmp_messages=len(messages),
        icmp_mtu_bytes=mtu,
        overhead_bytes=[f"{added}: {name}" for added, name in overheads],
        sender=sender,
        receiver=receiver,
        overheads=overheads,
    )


def _instance(anomalies: TcpAnomalies, stuck: _Stuck) -> StuckSegment:
    return StuckSegment(
        start_ns=int(anomalies.common_ns[stuck.at[0]]),
        end_ns=int(anomalies.common_ns[stuck.at[-1]]),
        lane=anomalies.places[int(anomalies.place[stuck.at[0]])].id,
        packets=tuple(anomalies.frames(stuck.at)),
        segment_bytes=stuck.bytes,
        repeats=len(stuck.at),
    )


def _present(case: PathMtu, thresholds: Thresholds) -> FindingPart:
    what = "Path MTU exceeded" if case.icmp_messages else "Path MTU black hole"
    return present_case(
        case,
        f"{what} {case.sender.host} → {case.receiver.host}",
        marks=draw_instances(
            case.instances[: thresholds.marked],
            "ladder",
            "loss",
            label=lambda one: f"{one.segment_bytes:,} bytes retransmitted {one.repeats:,} times",
            value=lambda one: float(one.segment_bytes),
        ),
    )
