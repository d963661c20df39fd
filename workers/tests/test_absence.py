"""What must not be called a lost SYN, from the packets' bytes on: copies, calls from both ends, one direction only."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw

from backend.forensics.detection.run import run_detectors
from backend.forensics.diagnosis.run import diagnose
from backend.forensics.evidence.attempt_outcomes import ATTEMPT_OUTCOMES, attempt_outcomes
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.quality_strip import describe_quality
from workers.decode.captures import decode_capture

Timed = tuple[float, Packet]
CLIENT, SERVER = "10.0.0.1", "10.0.0.2"
SYNS = 20
ISN, SERVER_ISN = 1_000, 900_000


def facts_of(folder: Path, packets: list[Timed], *, snap_bytes: int = 262_144) -> Facts:
    """Of a capture with nanoseconds; times in seconds."""
    data = struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, snap_bytes, 1)
    for at_s, packet in sorted(packets, key=lambda each: each[0]):
        time_ns, raw = 1_700_000_000 * 10**9 + round(at_s * 1e9), bytes(packet)
        kept = raw[:snap_bytes]
        data += struct.pack("<IIII", time_ns // 10**9, time_ns % 10**9, len(kept), len(raw)) + kept
    (folder / "a.pcap").write_bytes(data)
    return gather_facts([decode_capture(folder / "a.pcap", name="a.pcap", sha256="", packets_path=None)], [])


def forth(
    port: int, flags: str, *, seq: int = ISN, ack: int = 0, ip_id: int = 1, load: bytes = b""
) -> Packet:
    ends = TCP(sport=port, dport=80, flags=flags, seq=seq, ack=ack)
    return Ether() / IP(src=CLIENT, dst=SERVER, id=ip_id) / ends / Raw(load)


def back(port: int, flags: str, *, seq: int = SERVER_ISN, ack: int = ISN + 1) -> Packet:
    ends = TCP(sport=80, dport=port, flags=flags, seq=seq, ack=ack)
    return Ether() / IP(src=SERVER, dst=CLIENT, id=7) / ends


def started(number: int) -> tuple[float, int]:
    """(time, port) of a connection; no two gaps are alike."""
    return 0.2 * number + 0.001 * number * number, 40_000 + number


def data(port: int) -> Packet:
    return forth(port, "PA", seq=ISN + 1, ack=SERVER_ISN + 1, ip_id=9, load=b"x" * 30)


def connection(number: int, gap_s: float, second_id: int, *, challenged: bool = False) -> list[Timed]:
    """Its SYN is seen again after `gap_s`; an ACK of another connection and its RST may come in between."""
    at, port = started(number)
    packets = [(at, forth(port, "S")), (at + gap_s, forth(port, "S", ip_id=second_id))]
    if challenged:
        packets.append((at + gap_s / 3, back(port, "A", ack=77)))
        packets.append((at + gap_s / 2, forth(port, "R", seq=77, ip_id=2)))
    opened = at + gap_s + 0.0005
    return [*packets, (opened, back(port, "SA")), (opened + 0.001, data(port))]


@pytest.mark.parametrize(
    ("gap_s", "second_id", "challenged", "again"),
    [
        (0.0049, 2, False, 0),  # no timer is that short
        (0.0051, 2, False, SYNS),
        (0.0049, 2, True, SYNS),  # the client's RST calls for another SYN at once
        (0.0490, 1, False, 0),  # same bytes: the same packet
        (1.0, 2, False, SYNS),
    ],
)
def test_a_syn_that_is_seen_again_at_once_was_sent_once(
    tmp_path: Path, gap_s: float, second_id: int, challenged: bool, again: int
) -> None:
    packets = [
        packet for n in range(SYNS) for packet in connection(n, gap_s, second_id, challenged=challenged)
    ]
    assert len(facts_of(tmp_path, packets).attempts.retried) == again


def _simultaneous(number: int, wait_s: float) -> list[Timed]:
    """Both ends call, and each agrees to the other's SYN (RFC 9293 section 3.5)."""
    at, port = started(number)
    return [
        (at, forth(port, "S")),
        (at + wait_s, back(port, "S", ack=0)),
        (at + wait_s + 0.001, forth(port, "SA", ack=SERVER_ISN + 1, ip_id=2)),
        (at + wait_s + 0.002, back(port, "SA")),
        (at + wait_s + 0.003, data(port)),
    ]


def _split(number: int, wait_s: float) -> list[Timed]:
    """The server acknowledges the SYN, and sends its own by itself."""
    at, port = started(number)
    return [
        (at, forth(port, "S")),
        (at + wait_s / 2, back(port, "A", seq=SERVER_ISN)),
        (at + wait_s, back(port, "S", ack=0)),
        (at + wait_s + 0.001, forth(port, "SA", ack=SERVER_ISN + 1, ip_id=2)),
        (at + wait_s + 0.002, data(port)),
    ]


@pytest.mark.parametrize("opens", [_simultaneous, _split])
@pytest.mark.parametrize("wait_s", [0.0005, 0.02])
def test_a_call_from_both_ends_is_no_repetition_and_no_translation(
    tmp_path: Path, opens: type, wait_s: float
) -> None:
    facts = facts_of(tmp_path, [packet for n in range(SYNS) for packet in opens(n, wait_s)])
    assert len(facts.attempts.table) == SYNS
    assert not len(facts.attempts.retried)
    assert not facts.attempts.translated
    assert outcomes(facts) == {"established": SYNS}
    detected = run_detectors(facts)
    assert not detected.findings
    assert not diagnose(facts, detected.cases).diagnoses


def outcomes(facts: Facts) -> dict[str, int]:
    names = [ATTEMPT_OUTCOMES[number] for number in attempt_outcomes(facts).tolist()]
    return {name: names.count(name) for name in sorted(set(names))}


@pytest.mark.parametrize(("both_ways", "failed"), [(False, 0), (True, SYNS)])
def test_one_direction_shows_no_absence(tmp_path: Path, both_ways: bool, failed: int) -> None:
    """As many SYNs stay without answer as connections carry data; the answers to those are seen, or are not."""
    packets: list[Timed] = []
    for number in range(SYNS):
        at, port = started(number)
        packets += [(at, forth(port, "S")), (at + 0.002, data(port))]
        packets += [(at + 0.001, back(port, "SA"))] if both_ways else []
        at, port = started(number + SYNS)
        packets += [(at + wait, forth(port, "S", ip_id=n + 1)) for n, wait in enumerate((0, 1.01, 3.03))]
    facts = facts_of(tmp_path, packets)
    assert outcomes(facts).get("unanswered", 0) == failed
    assert outcomes(facts)["established"] == SYNS
    detected = run_detectors(facts)
    texts = [part.text for part in describe_quality(facts, detected.findings)]
    assert any("one direction only" in str(text) for text in texts) is not both_ways
    if not both_ways:
        assert {d.cause for d in diagnose(facts, detected.cases).diagnoses} <= {"unknown"}
