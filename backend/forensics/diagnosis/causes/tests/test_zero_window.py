"""A receiver that does not read: what shows it, what makes it sure, what leaves it alone."""

from __future__ import annotations

from backend.forensics.detection.run import run_detectors
from backend.forensics.diagnosis.causes.zero_window import CAUSE
from backend.forensics.diagnosis.run import diagnose
from backend.forensics.dumps import Dump, TcpSocket
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.report import DiagnosisPart
from backend.forensics.signals import CLOSED, OPENED
from backend.forensics.tests.build_anomalies import StumbleBuilder
from backend.forensics.tests.build_capture import MS, S


def diagnoses(
    closed_ms: int = 3_000, *, times: int = 3, opens: bool = True, unread_bytes: int | None = None, probed: bool = True
) -> dict[str, DiagnosisPart]:  # fmt: skip
    """The client 10.0.0.1:40000 closes its window."""
    capture = StumbleBuilder()
    connection = capture.connection(zero_window_probes=int(probed))
    for n in range(times):
        capture.signal(connection, n * 10 * S, CLOSED, from_client=1)
        if opens:
            capture.signal(connection, n * 10 * S + closed_ms * MS, OPENED, from_client=1)
    dumps = []
    if unread_bytes is not None:
        socket = TcpSocket(2, "ESTAB", unread_bytes, 0, "10.0.0.1", 40_000, "192.0.2.10", 443)
        dump = Dump(kind="ss-sockets", lines=2, lines_not_understood=(), tcp_sockets=(socket,))
        dumps.append(DumpInput("ss.txt", None, dump))
    facts = gather_facts([capture.build()], dumps)
    detected = run_detectors(facts)
    return {d.cause: d for d in diagnose(facts, detected.cases).diagnoses}


def test_a_window_closed_again_and_again_is_a_reader_that_stops() -> None:
    found = diagnoses()[CAUSE]
    assert found.verdict == "likely"
    assert found.statement == (
        "The application at 10.0.0.1 did not read 3 times, for up to 3,000 ms: the sender waited with data."
    )
    assert {r.cause: r.status for r in found.rivals}["path-loss"] == "ruled-out"
    assert all(r.check and r.proof and r.undo and r.side_effect for r in found.remedies)


def test_unread_bytes_in_its_socket_confirm_it() -> None:
    found = diagnoses(unread_bytes=65_536)[CAUSE]
    assert found.verdict == "confirmed"
    assert any("65,536 bytes that the process has not read" in text for text in found.supporting)


def test_an_empty_queue_in_a_listing_says_nothing() -> None:
    assert diagnoses(unread_bytes=0)[CAUSE].confidence == diagnoses()[CAUSE].confidence


def test_once_is_less_sure_than_often() -> None:
    assert diagnoses(times=1)[CAUSE].confidence < diagnoses()[CAUSE].confidence


def test_a_window_that_never_opens_leaves_its_rival() -> None:
    found = diagnoses(times=1, opens=False)[CAUSE]
    assert {r.cause: r.status for r in found.rivals}["path-loss"] == "cannot-tell"


def test_short_closures_and_windows_nobody_wanted_have_no_cause() -> None:
    assert CAUSE not in diagnoses(900)
    assert CAUSE not in diagnoses(probed=False)
