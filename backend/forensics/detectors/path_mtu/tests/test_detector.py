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
from backend.forensics.tests.build_capture import MS


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
