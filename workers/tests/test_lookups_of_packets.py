"""What became of DNS lookups, from the packets' bytes on: answers of every form, ICMP errors, translated copies."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from scapy.layers.dns import DNS, DNSQR, DNSRR
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw

from backend.forensics.detection.run import run_detectors
from backend.forensics.diagnosis.run import diagnose
from backend.forensics.evidence.facts import Facts
from backend.forensics.outcomes import describe_outcomes
from workers.tests.test_absence import Timed, facts_of

CLIENT, RESOLVER, TRANSLATED = "10.0.0.5", "10.0.0.53", "192.0.2.1"
LOOKUPS = 8


def _name(number: int) -> str:
    return f"n{number}.example.com"


def _query(number: int, *, source: str = CLIENT, port: int = 20_000, server: str = RESOLVER) -> Packet:
    question = DNS(id=number + 1, rd=1, qd=DNSQR(qname=_name(number)))
    return Ether() / IP(src=source, dst=server, id=number + 1) / UDP(sport=port + number, dport=53) / question


def _said(number: int, load: Packet, *, to: str = CLIENT, port: int = 20_000) -> Packet:
    return Ether() / IP(src=RESOLVER, dst=to, id=7) / UDP(sport=53, dport=port + number) / load


def _answer(number: int, *, to: str = CLIENT, port: int = 20_000) -> Packet:
    record = DNSRR(rrname=_name(number), rdata="192.0.2.9")
    said = DNS(id=number + 1, qr=1, rd=1, qd=DNSQR(qname=_name(number)), an=[record])
    return _said(number, said, to=to, port=port)


def _calm() -> list[Timed]:
    return [
        packet
        for number in range(100, 100 + LOOKUPS)
        for packet in ((number * 0.37, _query(number)), (number * 0.37 + 0.002, _answer(number)))
    ]


def _outcomes(facts: Facts) -> dict[str, int]:
    (part,) = (part for part in describe_outcomes(facts) if part.what == "lookups")
    return {line.outcome: line.count for line in part.by_outcome}


@pytest.mark.parametrize(
    ("load", "outcome"),
    [
        (b"\x81\x80\0\1\0\1\0\0\0\0\xff\xff", "undecoded-answer"),  # no name begins with two such bits
        (b"\x81\x80\0\1\0\1\0\0\0\0\1h", "undecoded-answer"),  # ends within the question
        (b"\x81\x81\0\0\0\0\0\0\0\0", "other-error"),  # FORMERR without the question
        (b"\x81\x82\0\0\0\0\0\0\0\0", "server-failure"),
        (None, "unanswered"),
    ],
)
def test_an_answer_that_cannot_be_decoded_is_an_answer(
    tmp_path: Path, load: bytes | None, outcome: str
) -> None:
    packets = _calm()
    for number in range(LOOKUPS):
        packets.append((number * 3.0, _query(number)))
        if load is not None:
            said = Raw(struct.pack(">H", number + 1) + load)
            packets.append((number * 3.0 + 0.002, _said(number, said)))
    facts = facts_of(tmp_path, packets)
    assert _outcomes(facts) == {"answered": LOOKUPS, outcome: LOOKUPS}
    assert bool(run_detectors(facts).findings) == (load is None)


def test_a_second_query_of_a_socket_whose_answer_was_copied_is_unanswered(tmp_path: Path) -> None:
    packets = _calm()
    for number in range(LOOKUPS):
        other = DNS(id=900 + number, rd=1, qd=DNSQR(qname=_name(number), qtype="AAAA"))
        aaaa = Ether() / IP(src=CLIENT, dst=RESOLVER) / UDP(sport=20_000 + number, dport=53) / other
        at = number * 3.0
        packets += [(at, _query(number)), (at + 0.0005, aaaa)]
        packets += [(at + 0.002, _answer(number)), (at + 0.00201, _answer(number))]
    facts = facts_of(tmp_path, packets)
    assert _outcomes(facts) == {"answered": LOOKUPS, "unanswered": LOOKUPS}


@pytest.mark.parametrize(
    ("code", "outcome", "words"),
    [
        (3, "port-unreachable", "ICMP errors"),
        (1, "unreachable", "ICMP errors"),
        (4, "unanswered", "no response"),
    ],
)
def test_a_query_that_an_icmp_error_answers_was_not_lost(
    tmp_path: Path, code: int, outcome: str, words: str
) -> None:
    packets = _calm()
    for number in range(LOOKUPS):
        query = _query(number)
        error = Ether() / IP(src=RESOLVER, dst=CLIENT) / ICMP(type=3, code=code) / query[IP]
        packets += [(number * 3.0, query), (number * 3.0 + 0.001, error)]
    facts = facts_of(tmp_path, packets)
    assert _outcomes(facts) == {"answered": LOOKUPS, outcome: LOOKUPS}
    detected = run_detectors(facts)
    (cause,) = (d for d in diagnose(facts, detected.cases).diagnoses if d.cause == "resolver-unresponsive")
    assert words in cause.statement
    (finding,) = (f for f in detected.findings if f.kind == "dns-delay")
    assert finding.measures["lost_at"] == ([] if code != 4 else ["unknown (one vantage point only)"])


def test_an_error_about_an_answer_turns_no_query_away(tmp_path: Path) -> None:
    packets = _calm()
    for number in range(LOOKUPS):
        error = Ether() / IP(src=CLIENT, dst=RESOLVER) / ICMP(type=3, code=3) / _answer(number)[IP]
        packets += [(number * 3.0, _query(number)), (number * 3.0 + 0.001, error)]
    assert _outcomes(facts_of(tmp_path, packets)) == {"answered": LOOKUPS, "unanswered": LOOKUPS}


def _over_tcp(at: float, number: int, answers: bool, refused: bool) -> list[Timed]:
    """The question once more over TCP; the answer's bytes come in two segments."""
    port, isn, other = 30_000 + number, 1_000, 9_000
    message = bytes(DNS(id=500 + number, rd=1, qd=DNSQR(qname=_name(number))))
    record = [DNSRR(rrname=_name(number), rdata=f"192.0.2.{n}") for n in range(60)]
    said = bytes(DNS(id=500 + number, qr=1, rd=1, qd=DNSQR(qname=_name(number)), an=record))
    query, answer = struct.pack(">H", len(message)) + message, struct.pack(">H", len(said)) + said

    def forth(flags: str, sequence: int, acknowledged: int, load: bytes = b"") -> Packet:
        ends = TCP(sport=port, dport=53, flags=flags, seq=sequence, ack=acknowledged)
        return Ether() / IP(src=CLIENT, dst=RESOLVER) / ends / Raw(load)

    def back(flags: str, sequence: int, acknowledged: int, load: bytes = b"") -> Packet:
        ends = TCP(sport=53, dport=port, flags=flags, seq=sequence, ack=acknowledged)
        return Ether() / IP(src=RESOLVER, dst=CLIENT) / ends / Raw(load)

    packets: list[Timed] = [(at, forth("S", isn, 0))]
    if refused:
        return [*packets, (at + 0.001, back("RA", 0, isn + 1))]
    asked = isn + 1 + len(query)
    packets += [(at + 0.001, back("SA", other, isn + 1)), (at + 0.0011, forth("A", isn + 1, other + 1))]
    packets += [
        (at + 0.0012, forth("PA", isn + 1, other + 1, query)),
        (at + 0.002, back("A", other + 1, asked)),
    ]
    if answers:
        packets += [(at + 0.003, back("A", other + 1, asked, answer[:500]))]
        packets += [(at + 0.0031, back("PA", other + 501, asked, answer[500:]))]
    return packets


@pytest.mark.parametrize(
    ("answers", "refused", "snap_bytes", "outcome", "failed"),
    [
        (True, False, 262_144, "truncated-then-tcp", 0),
        (True, False, 96, "undecoded-answer", 0),
        (False, False, 262_144, "unanswered", LOOKUPS),
        (False, True, 262_144, "truncated", LOOKUPS),
    ],
)
def test_a_truncated_answer_is_followed_over_tcp(
    tmp_path: Path, answers: bool, refused: bool, snap_bytes: int, outcome: str, failed: int
) -> None:
    packets = _calm()
    for number in range(LOOKUPS):
        truncated = DNS(id=number + 1, qr=1, rd=1, tc=1, qd=DNSQR(qname=_name(number)))
        at = number * 3.0
        packets += [(at, _query(number)), (at + 0.001, _said(number, truncated))]
        packets += _over_tcp(at + 0.002, number, answers, refused)
    facts = facts_of(tmp_path, packets, snap_bytes=snap_bytes)
    assert _outcomes(facts) == {"answered": LOOKUPS, outcome: LOOKUPS}
    (part,) = (part for part in describe_outcomes(facts) if part.what == "lookups")
    assert part.failed == failed


@pytest.mark.parametrize(("inside_s", "lookups"), [(0.0001, LOOKUPS), (-0.0001, 2 * LOOKUPS)])
def test_a_retry_that_one_vantage_point_sees_before_and_behind_nat_is_counted_once(
    tmp_path: Path, inside_s: float, lookups: int
) -> None:
    """Two hosts that ask with one id are told from one by the order of their answers."""
    packets: list[Timed] = []
    for number in range(LOOKUPS):
        for at in (number * 7.0, number * 7.0 + 5.005):
            packets.append((at, _query(number)))
            packets.append((at + 0.0001, _query(number, source=TRANSLATED, port=50_000)))
        packets.append((number * 7.0 + 5.008, _answer(number)))
        packets.append((number * 7.0 + 5.008 - inside_s, _answer(number, to=TRANSLATED, port=50_000)))
    facts = facts_of(tmp_path, packets)
    assert sum(_outcomes(facts).values()) == lookups
    (finding,) = (f for f in run_detectors(facts).findings if f.kind == "dns-delay")
    assert (finding.count, finding.measures["retries"]) == (lookups, lookups)


@pytest.mark.parametrize(
    ("server", "cause"),
    [
        ("0.0.0.0", "no-name-server"),
        ("10.0.0.255", "no-name-server"),
        ("10.0.255.255", "no-name-server"),
        ("10.0.1.255", "resolver-unresponsive"),  # of another network of that length
        ("10.0.0.254", "resolver-unresponsive"),
    ],
)
def test_a_broadcast_address_is_no_name_server(tmp_path: Path, server: str, cause: str) -> None:
    packets = [(at, _query(n, server=server)) for n in range(3) for at in (n * 20.0, n * 20.0 + 5.0)]
    packets.append((80.0, _query(99)))
    facts = facts_of(tmp_path, [*packets, (80.01, _answer(99))])
    found = diagnose(facts, run_detectors(facts).cases).diagnoses
    assert [d.cause for d in found if d.confidence >= 0.5] == [cause]
