"""A black hole: what shows it, what makes it sure, what is none."""

from __future__ import annotations

from backend.forensics.detection.run import run_detectors
from backend.forensics.diagnosis.causes.path_mtu import CAUSE
from backend.forensics.diagnosis.run import diagnose
from backend.forensics.dumps import Dump, Interface
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.report import DiagnosisPart
from backend.forensics.signals import SENT_AGAIN
from backend.forensics.tests.build_anomalies import StumbleBuilder
from backend.forensics.tests.build_capture import MS


def diagnoses(
    *, connections: int = 3, told: bool = False, tunnel_mtu: int | None = None, kind: str = "vxlan", passed: int = 500
) -> dict[str, DiagnosisPart]:  # fmt: skip
    """The server sends 1,460 bytes again and again to one client."""
    capture = StumbleBuilder()
    for n in range(connections):
        connection = capture.connection()
        for again in range(4):
            sent = {"payload_bytes": 1_460, "passed_bytes": passed, "sequence": 5_000, "silence_ns": 300 * MS}
            capture.signal(connection, (n * 9 + again) * 400 * MS, SENT_AGAIN, **sent)
        if told and not n:
            capture.told_too_big(connection, 1_450)
    dumps = []
    if tunnel_mtu is not None:
        interface = Interface(line=3, index=4, name="flannel.1", master="", kind=kind, mtu_bytes=tunnel_mtu)
        dump = Dump(kind="ip-link", lines=4, lines_not_understood=(), interfaces=(interface,))
        dumps.append(DumpInput("link.txt", None, dump))
    facts = gather_facts([capture.build()], dumps)
    detected = run_detectors(facts)
    return {d.cause: d for d in diagnose(facts, detected.cases).diagnoses}


def test_large_segments_in_vain_are_a_black_hole() -> None:
    found = diagnoses()[CAUSE]
    assert found.verdict == "likely"
    assert found.statement == (
        "Packets of 1,500 bytes from 192.0.2.10 to 10.0.0.1 do not pass, smaller ones do, and the sender "
        "gets no ICMP message."
    )
    assert {r.cause: r.status for r in found.rivals}["path-loss"] == "ruled-out"
    assert all(r.check and r.proof and r.undo and r.side_effect for r in found.remedies)


def test_the_remedy_adds_up_the_headers() -> None:
    mtu = next(r for r in diagnoses()[CAUSE].remedies if "MTU of pods" in r.what)
    assert "1,500 + 50 for VXLAN or Geneve = 1,550" in mtu.what


def test_a_router_that_says_so_and_a_tunnel_that_takes_less_confirm_it() -> None:
    found = diagnoses(told=True, tunnel_mtu=1_450)[CAUSE]
    assert found.verdict == "confirmed"
    assert any("flannel.1 (vxlan) 1,450" in text for text in found.supporting)
    assert any("MTU of 1,450 bytes" in text for text in found.supporting)


def test_interfaces_that_take_the_packet_say_nothing() -> None:
    alone = diagnoses()[CAUSE].confidence
    assert diagnoses(tunnel_mtu=1_500)[CAUSE].confidence == alone
    assert diagnoses(tunnel_mtu=1_450, kind="veth")[CAUSE].confidence == alone
    assert diagnoses(tunnel_mtu=1_499)[CAUSE].confidence > alone


def test_one_connection_that_died_and_sizes_that_passed_have_no_cause() -> None:
    assert CAUSE not in diagnoses(connections=1)
    assert CAUSE not in diagnoses(passed=1_460)
