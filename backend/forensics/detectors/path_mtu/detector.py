"""Large segments that are sent again without progress while small ones pass."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from backend.forensics.cases.case import Flow
from backend.forensics.cases.path_mtu import PathMtu, StuckSegment
from backend.forensics.detection.contract import Detection
from backend.forensics.detection.present import draw_instances, present_case
from backend.forensics.detectors.path_mtu.stuck import Stuck, stuck_segments
from backend.forensics.detectors.path_mtu.thresholds import DEFAULT, Thresholds
from backend.forensics.evidence.attempts.delays import Frame
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.tcp.tcp_anomalies import TcpAnomalies
from backend.forensics.findings import frame_evidence, plural
from backend.forensics.report import FindingPart

KIND = "path-mtu"
HEADERS_BYTES = 40
"""IPv4 and TCP without options: where an earlier version decoded the file."""
_NEAR_NS = 60_000_000_000
_OVERLAYS = ((20, "IP in IP"), (24, "GRE"), (50, "VXLAN or Geneve"), (60, "WireGuard"))
"""Bytes that an encapsulation over IPv4 adds: RFC 2003, RFC 2784, RFC 7348 section 5, the WireGuard paper."""


@dataclass(frozen=True)
class _TooBig:
    """An ICMP message that a packet was too big: the MTU it names, who was informed and about whom."""

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
    stuck = stuck_segments(anomalies, thresholds)
    if not stuck:
        messages = len(_too_big(facts))
        heard = f"; {plural(messages, 'ICMP message')} for packets too big were obeyed" if messages else ""
        return Detection("clear", f"no large segment was lost repeatedly while small ones passed{heard}")
    groups: dict[tuple[int, int, int, int], list[Stuck]] = {}
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


def _passed(group: list[Stuck]) -> str:
    """``The handshake and segments up to 200 bytes``: what was seen of these."""
    largest = max(s.passed_bytes for s in group)
    segments = f"segments up to {plural(largest, 'byte')}"
    if not any(s.opened for s in group):
        return segments.capitalize()
    return f"The handshake and {segments}" if largest else "The handshake"


def _afterwards(smaller: list[int], largest_bytes: int | None) -> str:
    """`` In 5 connections the same bytes passed afterwards, in segments of up to 1,024 bytes.``"""
    if largest_bytes is None:
        return ""
    many = plural(len(smaller), "connection")
    return f" In {many} the same bytes passed afterwards, in segments of up to {largest_bytes:,} bytes."


def _case(
    anomalies: TcpAnomalies, group: list[Stuck], messages: list[_TooBig], thresholds: Thresholds
) -> PathMtu:
    rows = anomalies.rows
    smallest, passed = min(s.bytes for s in group), max(s.passed_bytes for s in group)
    packet = min(s.bytes + s.header_bytes for s in group)
    sender, receiver = group[0].sender, group[0].receiver
    smaller = [s.smaller for s in group if s.smaller is not None]
    spans = [rows["time_ns"][s.last] - rows["time_ns"][s.at[0]] + rows["silence_ns"][s.at[0]] for s in group]
    largest = max((int(rows["payload_bytes"][n]) for n in smaller), default=None)
    often = len(group) >= thresholds.notable_connections or bool(messages)
    mtu = min((t.mtu_bytes for t in messages if t.mtu_bytes), default=None)
    ignored = f" The sender ignored an ICMP message with MTU {mtu:,} bytes." if mtu else ""
    silent = "" if messages else " The sender got no ICMP message."
    at = [n for s in group for n in (*s.at, s.last)]
    overheads = tuple(each for each in _OVERLAYS if packet + each[0] > 1_500)
    return PathMtu(
        severity="warning" if often else "info",
        confidence=thresholds.confidence_icmp if messages else (thresholds.confidence if often else 0.5),
        summary=(
            f"In {plural(len(group), 'connection')} from {sender.host} to {receiver.host} segments of {smallest:,} "
            f"bytes or more were retransmitted without success. {_passed(group)} passed.{ignored}{silent}"
            f"{_afterwards(smaller, largest)}"
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
        smaller_connections=len(smaller),
        smaller_segment_bytes=largest,
        overhead_bytes=[f"{added}: {name}" for added, name in overheads],
        sender=sender,
        receiver=receiver,
        overheads=overheads,
    )


def _instance(anomalies: TcpAnomalies, stuck: Stuck) -> StuckSegment:
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
