"""Segments lost between two captures, at the receiver and with their acknowledgement, from the packets' bytes on."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from backend.forensics.detection.run import run_detectors
from backend.forensics.diagnosis.run import diagnose
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.signals import SENT_AGAIN
from workers.decode.tests.capture_bytes import decode, pcap, tcp

SYN, ACK, PUSH = 0x02, 0x10, 0x18
US = 1_000
WAY_US = 2_500
"""From one capture point to the other; the server answers 50 µs after what reaches it."""

LOST_BEFORE_OTHERS = ("lost before others", "first lost before others")
"""A later segment arrives, so that behind the loss the retransmission fills a hole. The second: the lost segment is the
first of its side, so that nothing but the SYN tells where the hole begins."""
LOST = ("lost between", *LOST_BEFORE_OTHERS)

Packet = tuple[int, int, bytes]
"""Time (µs) at the client's capture, at the server's, the packet; a time below 0: not seen there."""


def _forth(at_us: int, packet: bytes, *, arrives: bool = True) -> Packet:
    return at_us, at_us + WAY_US if arrives else -1, packet


def _back(at_us: int, packet: bytes, *, arrives: bool = True) -> Packet:
    """`at_us` at the server."""
    return at_us + WAY_US if arrives else -1, at_us, packet


def _connection(number: int, fate: str) -> list[Packet]:
    """Its client sends 100 bytes, of which the first copy has this fate, and the same 300 ms later."""
    at, port, isn, there = number * 400_000, 40_000 + number, 1_000 + 7_000 * number, 50
    begin = isn + (11 if fate == "lost before others" else 1)
    data = partial(tcp, PUSH, begin, 9_001, payload=b"x" * 100, client_port=port)
    packets = [
        _forth(at, tcp(SYN, isn, ip_id=3 * number + 1, tsval=5 + number, client_port=port)),
        _back(at + WAY_US + there, tcp(SYN | ACK, 9_000, isn + 1, back=True, ip_id=0, client_port=port)),
        _forth(at + 2 * WAY_US + 100, tcp(ACK, isn + 1, 9_001, client_port=port)),
    ]
    if begin > isn + 1:
        packets.append(
            _forth(at + 9_000, tcp(PUSH, isn + 1, 9_001, payload=b"z" * 10, client_port=port, ip_id=9))
        )
    for copy, wait in enumerate((10_000, 310_000)):
        sent = data(ip_id=3 * number + 2 + copy, tsval=99 + copy)
        if fate == "delayed" and copy == 0:
            packets.append((at + wait, at + 310_000 + WAY_US - 100, sent))
        else:
            packets.append(_forth(at + wait, sent, arrives=copy == 1 or fate not in LOST))
        if copy == 0 and fate in LOST_BEFORE_OTHERS:
            others = tcp(
                PUSH, begin + 100, 9_001, payload=b"y" * 50, client_port=port, ip_id=60_000 - number, tsval=99
            )
            packets.append(_forth(at + wait + 1_000, others))
        if copy == 1 or fate == "answer lost":
            reply = tcp(ACK, 9_001, begin + 100, back=True, tsval=300 + copy, client_port=port)
            packets.append(_back(at + wait + WAY_US + there, reply, arrives=copy == 1))
    return packets


def _captures(fate: str) -> list[bytes]:
    packets = [packet for number in range(12) for packet in _connection(number, fate)]
    sides = []
    for side in (0, 1):
        times = [(near if side == 0 else far, packet) for near, far, packet in packets]
        sides.append(pcap([(at * US, packet) for at, packet in sorted(times) if at >= 0]))
    return sides


@pytest.mark.parametrize(
    ("fate", "cause", "said"),
    [
        ("lost between", "path-loss", "were retransmitted at client, and captured less often at server"),
        (
            "lost before others",
            "path-loss",
            "were retransmitted at client, and captured less often at server",
        ),
        (
            "first lost before others",
            "path-loss",
            "were retransmitted at client, and captured less often at server",
        ),
        ("answer lost", "path-loss", "the ACK was lost"),
        ("dropped", "receiver-drop", "and were not acknowledged before they were retransmitted"),
    ],
)
def test_two_captures_tell_where_segments_were_lost(tmp_path: Path, fate: str, cause: str, said: str) -> None:
    names = ("client.pcap", "server.pcap")
    both = zip(_captures(fate), names, strict=True)
    facts = gather_facts([decode(data, tmp_path, name) for data, name in both], [])
    detected = run_detectors(facts)
    assert [f.count for f in detected.findings if f.kind == "data-retransmission"] == [12]
    found = {d.cause: d for d in diagnose(facts, detected.cases).diagnoses if d.verdict != "cannot-tell"}
    assert set(found) == {cause}
    assert found[cause].verdict == "likely"
    assert any(said in text for text in found[cause].supporting), found[cause].supporting


def test_copies_that_arrive_together_were_not_lost(tmp_path: Path) -> None:
    both = zip(_captures("delayed"), ("client.pcap", "server.pcap"), strict=True)
    facts = gather_facts([decode(data, tmp_path, name) for data, name in both], [])
    found = diagnose(facts, run_detectors(facts).cases).diagnoses
    assert {d.cause: d.confidence for d in found if d.cause in ("path-loss", "receiver-drop")} == {}


def _outage(*, copies_that_pass: int) -> list[bytes]:
    """Twelve connections whose data is sent six times: the last copies pass, together, and are all acknowledged."""
    packets: list[Packet] = []
    for number in range(12):
        at, port, isn = number * 40_000, 40_000 + number, 1_000 + 7_000 * number
        packets += [
            _forth(at, tcp(SYN, isn, ip_id=90 + number, tsval=5 + number, client_port=port)),
            _back(at + WAY_US, tcp(SYN | ACK, 9_000, isn + 1, back=True, ip_id=0, client_port=port)),
            _forth(at + 2 * WAY_US, tcp(ACK, isn + 1, 9_001, client_port=port)),
        ]
        for copy, wait in enumerate((10_000, 310_000, 610_000, 1_210_000, 2_410_000, 2_810_000)):
            sent = tcp(
                PUSH, isn + 1, 9_001, payload=b"x" * 100, client_port=port, ip_id=200 + 9 * number + copy,
                tsval=99 + wait // 1000,
            )  # fmt: skip
            passes = copy >= 6 - copies_that_pass
            arrives_us = 3_000_000 + 100 * copy if copies_that_pass < 6 else wait + WAY_US
            packets.append((at + wait, at + arrives_us if passes else -1, sent))
        reply = tcp(ACK, 9_001, isn + 101, back=True, tsval=9_000, client_port=port)
        packets += [_back(at + 3_000_000 + 250 * n, reply) for n in range(1, 3)]
    sides = []
    for side in (0, 1):
        times = [(near if side == 0 else far, packet) for near, far, packet in packets]
        sides.append(pcap([(at * US, packet) for at, packet in sorted(times) if at >= 0]))
    return sides


@pytest.mark.parametrize(("passing", "lost"), [(1, True), (2, True), (6, False)])
def test_a_place_that_saw_fewer_copies_than_were_sent_lies_behind_the_loss(
    tmp_path: Path, passing: int, *, lost: bool
) -> None:
    both = zip(_outage(copies_that_pass=passing), ("client.pcap", "server.pcap"), strict=True)
    facts = gather_facts([decode(data, tmp_path, name) for data, name in both], [])
    again = [at for at in range(len(facts.anomalies.rows)) if facts.anomalies.rows["kind"][at] & SENT_AGAIN]
    at_client = [at for at in again if facts.anomalies.frames([at])[0][0] == "client.pcap"]
    assert at_client
    fates = {facts.segment_losses.fate_of(at).fate for at in at_client}
    assert (fates == {"lost between"}) if lost else ("lost between" not in fates)


@pytest.mark.parametrize("name", ["client.pcap", "server.pcap"])
def test_one_capture_alone_leaves_it_open(tmp_path: Path, name: str) -> None:
    side = _captures("dropped")[name == "server.pcap"]
    facts = gather_facts([decode(side, tmp_path, name)], [])
    detected = run_detectors(facts)
    found = {d.cause: d.confidence for d in diagnose(facts, detected.cases).diagnoses}
    assert set(found) == {"path-loss"}
    assert found["path-loss"] < 0.5
