"""Large segments that do not pass, and what is no limit of size."""

from __future__ import annotations

from typing import Any

import pytest

from backend.forensics.connections import NEVER
from backend.forensics.detection.contract import Detection
from backend.forensics.detectors.path_mtu.detector import detect
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.packets import MARK_SPURIOUS_RETRANSMISSION
from backend.forensics.signals import PASSED, SENT_AGAIN
from backend.forensics.tests.build_anomalies import StumbleBuilder
from backend.forensics.tests.build_capture import MS, T0_NS


def stuck(
    connections: int = 2, *, repeats: int = 3, size: int = 1448, passed: int = 200, **more: Any
) -> StumbleBuilder:
    """Connections with one large segment that is repeated."""
    capture = StumbleBuilder()
    marks = more.pop("marks", 0)
    for _ in range(connections):
        number = capture.connection(**more)
        for n in range(repeats):
            row = {"sequence": 5, "payload_bytes": size, "passed_bytes": passed, "marks": marks}
            capture.signal(number, (n + 1) * 400 * MS, SENT_AGAIN, **row)
    return capture


def found(capture: StumbleBuilder) -> Detection:
    return detect(gather_facts([capture.build()], []))


@pytest.mark.parametrize(("connections", "severity"), [(1, "info"), (2, "warning")])
def test_two_connections_are_notable(connections: int, severity: str) -> None:
    (finding,) = found(stuck(connections)).findings
    assert (finding.severity, finding.count) == (severity, connections)
    assert finding.measures["failing_segment_bytes"] == 1448
    assert "no ICMP message" in finding.summary


@pytest.mark.parametrize(
    ("capture", "told"),
    [
        (stuck(repeats=2), 0),
        (stuck(size=999, passed=10), 0),
        (stuck(size=1_000, passed=10), 1),
        (stuck(passed=1448), 0),
        (stuck(passed=1447), 1),
        (stuck(marks=MARK_SPURIOUS_RETRANSMISSION), 0),
        (stuck(passed=0, established_ns=NEVER), 0),
        (stuck(passed=1, established_ns=NEVER), 1),
        (stuck(client_packets=1), 0),
        (stuck(client_packets=2), 1),
    ],
)
def test_size_repeats_and_a_living_peer_are_needed(capture: StumbleBuilder, told: int) -> None:
    assert len(found(capture).findings) == told


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"passed": 0}, "The handshake passed."),
        ({"passed": 1}, "The handshake and segments up to 1 byte passed."),
        ({"passed": 200, "established_ns": NEVER}, "Segments up to 200 bytes passed."),
    ],
)
def test_only_what_was_seen_is_said_to_have_passed(more: dict[str, int], words: str) -> None:
    (finding,) = found(stuck(**more)).findings
    assert words in finding.summary


@pytest.mark.parametrize(("acknowledged", "told"), [(5 + 1448, 0), (5 + 1447, 1)])
def test_a_segment_that_passes_in_the_end_is_loss(acknowledged: int, told: int) -> None:
    capture = stuck(1)
    capture.signal(0, 1_700 * MS, PASSED, acknowledgement=acknowledged, from_client=1)
    assert len(found(capture).findings) == told


def passed_smaller(
    *, smaller: int = 1_024, mss: int = 1_460, others: int = 1, other_bytes: int = 300, begun_ms: int = 500
) -> StumbleBuilder:
    """A server sends 1,448 bytes in vain, then `smaller` of them, and all are acknowledged; `others` are carried."""
    capture = stuck(1, client_mss=mss, server_mss=mss)
    capture.signal(0, 1_700 * MS, SENT_AGAIN, sequence=5, payload_bytes=smaller)
    capture.signal(0, 1_710 * MS, PASSED, acknowledgement=5 + 1448, from_client=1)
    begun: dict[str, Any] = {"first_ns": T0_NS + begun_ms * MS, "last_ns": T0_NS + (begun_ms + 100) * MS}
    for _ in range(others):
        capture.connection(**begun, client_bytes=80, server_bytes=other_bytes, server_packets=5)
    return capture


def test_the_same_bytes_that_pass_in_smaller_segments_are_a_limit_of_size() -> None:
    (finding,) = found(passed_smaller()).findings
    assert (finding.measures["smaller_connections"], finding.measures["smaller_segment_bytes"]) == (1, 1_024)
    assert (
        "In 1 connection the same bytes passed afterwards, in segments of up to 1,024 bytes."
        in finding.summary
    )


@pytest.mark.parametrize(
    "capture",
    [
        passed_smaller(others=0),  # the path may have been down for packets of any size
        passed_smaller(begun_ms=1_300),  # it may have come back in the meantime
        passed_smaller(other_bytes=5 * 1_200),  # segments of more than 1,024 bytes passed
        passed_smaller(smaller=1_448 - 40),  # TCP's options may take so much
        passed_smaller(mss=1_400),  # what segmentation offload divides later
        passed_smaller(mss=0),  # a handshake before the capture
    ],
)
def test_smaller_segments_alone_do_not_show_a_limit_of_size(capture: StumbleBuilder) -> None:
    assert found(capture).findings == ()


def test_an_icmp_message_that_is_not_obeyed_makes_one_connection_notable() -> None:
    capture = stuck(1)
    capture.told_too_big(0, 1_400)
    (finding,) = found(capture).findings
    assert (finding.severity, finding.measures["icmp_mtu_bytes"]) == ("warning", 1_400)
    assert "ignored an ICMP message" in finding.summary


def test_an_icmp_message_that_is_obeyed_is_no_finding() -> None:
    capture = StumbleBuilder()
    capture.told_too_big(capture.connection(), 1_400)
    detection = found(capture)
    assert (detection.status, "were obeyed" in detection.why) == ("clear", True)
