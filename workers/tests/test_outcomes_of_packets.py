"""Lookups and TLS handshakes that fail or take long are counted from the packets' bytes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from scapy.layers.dns import DNS, DNSQR, DNSRR
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Packet

from backend.forensics.outcomes import describe_outcomes
from backend.forensics.report import OutcomesPart
from workers.tests.test_absence import SERVER_ISN, Timed, back, facts_of, forth

RESOLVER = "10.0.0.53"
HELLO = bytes.fromhex(
    "160301003d010000390303" + "11" * 32 + "00" + "000413011302" + "0100" + "000c000a00040002001700170000"
)


def part_of(folder: Path, packets: list[Timed], what: str) -> OutcomesPart:
    return next(part for part in describe_outcomes(facts_of(folder, packets)) if part.what == what)


def _query(number: int) -> Packet:
    ends = UDP(sport=33_000 + number, dport=53)
    question = DNS(id=number, rd=1, qd=DNSQR(qname=f"n{number}.example.com"))
    return Ether() / IP(src="10.0.0.1", dst=RESOLVER, id=number + 1) / ends / question


def _answer(number: int, **header: int) -> Packet:
    name = f"n{number}.example.com"
    record = [] if header else [DNSRR(rrname=name, rdata="192.0.2.1")]
    fields: dict[str, Any] = dict(header)
    said = DNS(id=number, qr=1, rd=1, qd=DNSQR(qname=name), an=record, **fields)
    return (
        Ether()
        / IP(src=RESOLVER, dst="10.0.0.1", id=number + 1)
        / UDP(sport=53, dport=33_000 + number)
        / said
    )


@pytest.mark.parametrize(
    ("header", "wait_s", "outcome", "failed", "slow"),
    [
        ({}, 0.49, "answered", 0, 0),
        ({}, 0.51, "answered", 0, 4),
        ({"rcode": 2}, 0.01, "server-failure", 4, 0),
        ({"tc": 1}, 0.01, "truncated", 4, 0),  # no record came, and nobody asked over TCP
        ({"rcode": 3}, 0.01, "name-error", 0, 0),
    ],
)
def test_lookups_by_what_was_answered(
    tmp_path: Path, header: dict[str, int], wait_s: float, outcome: str, failed: int, slow: int
) -> None:
    packets: list[Timed] = []
    for number in range(4):
        at = 0.7 * number + 0.01 * number * number
        packets += [(at, _query(number)), (at + wait_s, _answer(number, **header))]
    part = part_of(tmp_path, packets, "lookups")
    assert {line.outcome: line.count for line in part.by_outcome} == {outcome: 4}
    assert (part.failed, part.slow) == (failed, slow)
    assert len([frame for shown in part.slowest for frame in shown.frames]) == slow


@pytest.mark.parametrize(("left_s", "outcome"), [(0.9, "open-at-end"), (1.1, "unanswered")])
def test_a_query_just_before_the_end_has_not_failed_yet(tmp_path: Path, left_s: float, outcome: str) -> None:
    part = part_of(tmp_path, [(0, _query(0)), (left_s, forth(40_000, "S"))], "lookups")
    assert [line.outcome for line in part.by_outcome] == [outcome]
    assert part.failed == (outcome == "unanswered")


@pytest.mark.parametrize(
    ("said", "wait_s", "outcome", "slow"),
    [
        (b"\x16\x03\x03\x00\x04\x02\x00\x00\x00", 0.49, "answered", 0),
        (b"\x16\x03\x03\x00\x04\x02\x00\x00\x00", 0.51, "answered", 1),
        (b"\x15\x03\x03\x00\x02\x02\x28", 0.01, "alert", 0),
        (b"", 0.01, "unanswered", 0),
    ],
)
def test_tls_handshakes_by_what_came_of_them(
    tmp_path: Path, said: bytes, wait_s: float, outcome: str, slow: int
) -> None:
    """An alert of level 2 ends the handshake; without any data of the server nothing was answered."""
    hello = forth(40_000, "PA", seq=1_001, ack=SERVER_ISN + 1, ip_id=9, load=HELLO)
    answer = back(40_000, "PA", seq=SERVER_ISN + 1, ack=1_001 + len(HELLO)) / said
    packets = [(0, forth(40_000, "S")), (0.001, back(40_000, "SA")), (0.002, hello), (0.002 + wait_s, answer)]
    part = part_of(tmp_path, [*packets, (1.5, forth(41_000, "S"))], "tls-handshakes")
    assert [line.outcome for line in part.by_outcome] == [outcome]
    assert (part.failed, part.slow) == (outcome != "answered", slow)
