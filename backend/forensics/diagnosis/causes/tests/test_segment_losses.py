"""Lost data: between two vantage points, at the receiver, or from one point only."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from backend.forensics.captures import Capture
from backend.forensics.detection.run import run_detectors
from backend.forensics.diagnosis.run import diagnose
from backend.forensics.dumps import CounterRow, Dump, InterfaceAddress
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.packets import ACK, MARK_SPURIOUS_RETRANSMISSION, SYN
from backend.forensics.report import DiagnosisPart
from backend.forensics.signals import SENT_AGAIN
from backend.forensics.tests.build_anomalies import StumbleBuilder
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder

WAY_NS = 5 * MS


def view(
    name: str, *, beyond_ns: int, late_ns: int, again: range, marks: int = 0, connections: int = 20
) -> Capture:
    """One vantage point's view of connections whose clients sent a segment again; `beyond_ns` is the round trip from
    there to the server."""
    capture = StumbleBuilder(name, places=("eth0",))
    packets = CaptureBuilder(name, ("eth0",))
    for n in range(connections):
        begin_ns = T0_NS + n * 500 * MS
        ends = (f"10.0.0.1:{40_000 + n}", "192.0.2.10:443")
        syn: dict[str, Any] = {
            "syn_ns": begin_ns + late_ns,
            "syn_ack_ns": begin_ns + late_ns + beyond_ns,
            "isn": 7_000 + n,
        }
        capture.connection(
            ends[0], ends[1], first_ns=begin_ns, established_ns=begin_ns + late_ns + beyond_ns, **syn
        )
        marked: dict[str, Any] = {"ip_id": 1 + n, "timestamp_value": 9 + n, "options_hash": 77}
        packets.packet("eth0", begin_ns + late_ns, *ends, tcp_flags=SYN, sequence=7_000 + n, **marked)
        packets.packet(
            "eth0",
            begin_ns + late_ns + beyond_ns,
            ends[1],
            ends[0],
            tcp_flags=SYN | ACK,
            sequence=99,
            acknowledgement=7_001 + n,
        )
        if n in again:
            wait = {"silence_ns": 300 * MS, "payload_bytes": 700, "from_client": 1, "sequence": 8_000 + n}
            capture.signal(n, n * 500 * MS + 400 * MS, SENT_AGAIN, marks=marks, **wait)
    built, seen = capture.build(), packets.build()
    return replace(built, handshakes=seen.handshakes)


def diagnoses(far: Capture | None, *dumps: DumpInput) -> dict[str, DiagnosisPart]:
    near = view("a.pcap", beyond_ns=WAY_NS, late_ns=0, again=range(10))
    facts = gather_facts([near, far] if far else [near], dumps)
    detected = run_detectors(facts)
    assert {f.severity for f in detected.findings if f.kind == "data-retransmission"} == {"warning"}
    return {d.cause: d for d in diagnose(facts, detected.cases).diagnoses}


def at_server(again: range, *, beyond_ns: int = MS // 10, marks: int = 0) -> Capture:
    return view("b.pcap", beyond_ns=beyond_ns, late_ns=(WAY_NS - beyond_ns) // 2, again=again, marks=marks)


def test_segments_that_do_not_arrive_are_lost_on_the_way() -> None:
    found = diagnoses(at_server(range(0)))
    assert found["path-loss"].verdict == "likely"
    assert "lost on the path, between eth0 and eth0" in found["path-loss"].statement
    assert {r.cause: r.status for r in found["path-loss"].rivals} == {"receiver-drop": "ruled-out"}
    assert "receiver-drop" not in found


def test_segments_that_arrive_each_time_are_dropped_by_the_receiver() -> None:
    found = diagnoses(at_server(range(10)))
    assert found["receiver-drop"].verdict == "likely"
    assert found["path-loss"].verdict == "cannot-tell"
    assert found["path-loss"].contradicting


def test_the_receiver_s_own_counters_confirm_it() -> None:
    dumps = []
    for n, value in enumerate((3, 40)):
        row = CounterRow(line=1, cpu=None, counters={"TcpExtTCPBacklogDrop": value})
        dump = Dump(kind="nstat", lines=1, lines_not_understood=(), captured_at_ns=T0_NS + n, counters=(row,))
        dumps.append(DumpInput(f"{n}.txt", None, dump))
    found = diagnoses(at_server(range(10)), *dumps)["receiver-drop"]
    assert any("TcpExtTCPBacklogDrop rose by 37" in text for text in found.supporting)
    assert found.confidence > diagnoses(at_server(range(10)))["receiver-drop"].confidence


def counted(rise: int, *, address: str = "192.0.2.10", name: str = "TcpInCsumErrors") -> list[DumpInput]:
    """nstat of a host before and after, with the addresses that it has."""
    return [
        DumpInput(
            f"{n}.txt",
            "server",
            Dump(
                "nstat",
                1,
                (),
                counters=(CounterRow(line=1, cpu=None, counters={name: 3 + n * rise}),),
                addresses=(InterfaceAddress(2, "eth0", address, 24),),
            ),
        )
        for n in range(2)
    ]


@pytest.mark.parametrize(("rise", "named"), [(5, True), (4, False)])
def test_as_many_drops_as_half_the_segments_are_these_segments(rise: int, named: bool) -> None:
    found = diagnoses(None, *counted(rise))
    assert ("receiver-drop" in found) == named
    if named:
        assert found["receiver-drop"].confidence > 0.5 > found["path-loss"].confidence
        assert any(f"rose by {rise}" in text for text in found["receiver-drop"].supporting)
        assert "checksum" in found["receiver-drop"].remedies[0].what


def test_counters_of_another_host_tell_nothing_of_the_receiver() -> None:
    assert "receiver-drop" not in diagnoses(None, *counted(37, address="192.0.2.77"))


def test_an_acknowledgement_that_is_lost_is_the_path_s() -> None:
    found = diagnoses(at_server(range(10), marks=MARK_SPURIOUS_RETRANSMISSION))
    assert "receiver-drop" not in found
    assert any("the ACK was lost" in text for text in found["path-loss"].supporting)


@pytest.mark.parametrize(("beyond_ns", "accused"), [(WAY_NS // 4, True), (WAY_NS // 4 + 100_000, False)])
def test_a_second_interface_of_the_sender_s_host_accuses_no_receiver(beyond_ns: int, accused: bool) -> None:
    found = diagnoses(at_server(range(10), beyond_ns=beyond_ns))
    assert ("receiver-drop" in found) == accused
    if not accused:
        assert found["path-loss"].confidence <= 0.5


def test_from_one_vantage_point_it_is_even_odds_at_most() -> None:
    found = diagnoses(None)
    assert "receiver-drop" not in found
    assert found["path-loss"].confidence <= 0.5
    assert {r.cause: r.status for r in found["path-loss"].rivals} == {"receiver-drop": "cannot-tell"}
    assert any("both ends" in m.what for m in found["path-loss"].missing)


@pytest.mark.parametrize(
    ("hosts", "blamed"), [(("n1", "n1"), False), (("n1", "n2"), True), ((None, None), True)]
)
def test_segments_that_vanish_inside_one_node_are_not_lost_on_the_way(
    hosts: tuple[str | None, str | None], blamed: bool
) -> None:
    near = replace(view("a.pcap", beyond_ns=WAY_NS, late_ns=0, again=range(10)), host=hosts[0])
    facts = gather_facts([near, replace(at_server(range(0)), host=hosts[1])], ())
    detected = run_detectors(facts)
    found = {d.cause: d for d in diagnose(facts, detected.cases).diagnoses}
    assert (found["path-loss"].confidence >= 0.5) == blamed
    assert any("inside the node" in text for text in found["path-loss"].contradicting) != blamed
