"""What waits for a timer is told; what is repaired at once is not."""

from __future__ import annotations

import pytest

from backend.forensics.captures import Capture
from backend.forensics.detection.contract import Detection
from backend.forensics.detectors.data_retransmission.detector import detect
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.packets import MARK_SPURIOUS_RETRANSMISSION
from backend.forensics.signals import FIRST_COPY, SENT_AGAIN
from backend.forensics.tests.build_anomalies import StumbleBuilder
from backend.forensics.tests.build_capture import MS


def found(*captures: Capture) -> Detection:
    return detect(gather_facts(list(captures), []))


def waiting(connections: int, waits: int, *, wait_ms: int = 400, healthy: int = 0) -> StumbleBuilder:
    capture = StumbleBuilder()
    numbers = [capture.connection() for _ in range(connections)]
    for _ in range(healthy):
        capture.connection()
    for n in range(waits):
        capture.signal(
            numbers[n % connections], n * MS, SENT_AGAIN, silence_ns=wait_ms * MS, payload_bytes=500
        )
    return capture


@pytest.mark.parametrize(("wait_ms", "status"), [(149, None), (150, "info")])
def test_a_wait_is_what_the_timer_makes(wait_ms: int, status: str | None) -> None:
    findings = found(waiting(1, 1, wait_ms=wait_ms).build()).findings
    assert [f.severity for f in findings] == ([status] if status else [])


@pytest.mark.parametrize(
    ("connections", "waits", "wait_ms", "healthy", "severity"),
    [
        (3, 5, 400, 0, "warning"),
        (3, 4, 400, 0, "info"),
        (2, 5, 400, 0, "info"),
        (3, 5, 199, 0, "info"),
        (3, 5, 400, 297, "warning"),
        (3, 5, 400, 298, "info"),
    ],
)
def test_notable_needs_number_connections_time_and_share(
    connections: int, waits: int, wait_ms: int, healthy: int, severity: str
) -> None:
    (finding,) = found(waiting(connections, waits, wait_ms=wait_ms, healthy=healthy).build()).findings
    assert (finding.severity, finding.count) == (severity, waits)
    assert finding.time_lost_s == pytest.approx(waits * wait_ms / 1000)


def test_what_the_receiver_had_already_costs_nobody_time() -> None:
    capture = StumbleBuilder()
    wait = {"silence_ns": 400 * MS, "payload_bytes": 9, "marks": MARK_SPURIOUS_RETRANSMISSION}
    capture.signal(capture.connection(), 0, SENT_AGAIN, **wait)
    assert found(capture.build()).findings == ()


@pytest.mark.parametrize(
    ("answer", "findings"),
    [
        ({"from_client": 1, "acknowledgement": 509}, 0),
        ({"from_client": 1, "acknowledgement": 508}, 1),
        ({"from_client": 0, "acknowledgement": 509}, 1),
        ({"from_client": 1, "acknowledgement": 509, "at_ns": -MS}, 1),
        ({"from_client": 1, "acknowledgement": 509, "other": True}, 1),
    ],
)
def test_a_late_acknowledgement_of_the_first_copy_shows_that_nothing_was_lost(
    answer: dict[str, int], findings: int
) -> None:
    capture = StumbleBuilder()
    one, other = capture.connection(), capture.connection()
    capture.signal(one, 0, SENT_AGAIN, silence_ns=400 * MS, sequence=500, payload_bytes=9)
    its = {key: value for key, value in answer.items() if key in ("from_client", "acknowledgement")}
    capture.signal(other if "other" in answer else one, answer.get("at_ns", MS), FIRST_COPY, **its)
    assert len(found(capture.build()).findings) == findings


def test_two_vantage_points_count_once() -> None:
    capture = StumbleBuilder(places=("eth0", "cni0"))
    for place in ("eth0", "cni0"):
        number = capture.connection("10.0.0.1:40000", place=place, syns=0)
        capture.signal(number, 0, SENT_AGAIN, silence_ns=400 * MS, payload_bytes=9)
    (finding,) = found(capture.build()).findings
    assert (finding.count, finding.measures["connections_total"]) == (1, 1)


def test_classes_add_up() -> None:
    capture = waiting(3, 6)
    capture.signal(0, 900 * MS, SENT_AGAIN, silence_ns=300 * MS, payload_bytes=9, last_of_all=1)
    (finding,) = found(capture.build()).findings
    assert (finding.measures["timeouts"], finding.measures["tail"], finding.count) == (6, 1, 7)
