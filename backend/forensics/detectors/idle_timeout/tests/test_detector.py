"""Which silences killed a connection, and which time-outs fit."""

from __future__ import annotations

import pytest

from backend.forensics.detection.contract import Detection
from backend.forensics.detectors.idle_timeout.detector import detect
from backend.forensics.detectors.idle_timeout.known import fitting
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.packets import ACK, MARK_KEEP_ALIVE, RST
from backend.forensics.signals import AFTER_SILENCE, REPLY, SENT_AGAIN
from backend.forensics.tests.build_anomalies import StumbleBuilder
from backend.forensics.tests.build_capture import MS, S

WAKE_NS = 900 * S


def waking(
    capture: StumbleBuilder, silence_s: int, answer: int | None, *, repeats: int = 0, **columns: int
) -> None:
    """Data after a silence, answered with these flags or not at all."""
    fins = columns.pop("fins", 0)
    connection = capture.connection(fins=fins)
    sent = {"silence_ns": silence_s * S, "payload_bytes": 200, "from_client": 1} | columns
    capture.signal(connection, WAKE_NS, AFTER_SILENCE, **sent)
    for n in range(repeats):
        again = {"silence_ns": 200 * MS, "payload_bytes": 200, "from_client": 1}
        capture.signal(connection, WAKE_NS + (n + 1) * 200 * MS, SENT_AGAIN, **again)
    if answer is not None:
        capture.signal(connection, WAKE_NS + 5 * S, REPLY, tcp_flags=answer)


def found(capture: StumbleBuilder, recorded_ns: int = 3_600 * S) -> Detection:
    return detect(gather_facts([capture.build(recorded_ns=recorded_ns)], []))


@pytest.mark.parametrize(("dead", "severity"), [(1, "info"), (2, "warning")])
def test_two_dead_connections_are_notable(dead: int, severity: str) -> None:
    capture = StumbleBuilder()
    for _ in range(dead):
        waking(capture, 400, RST)
    (finding,) = found(capture).findings
    assert (finding.severity, finding.count, finding.measures["fitting_timeout_s"]) == (severity, dead, 350.0)


@pytest.mark.parametrize(("repeats", "recorded_s", "dead"), [(1, 60, 0), (2, 60, 1), (2, 2, 0), (2, 3, 1)])
def test_nothing_needs_repeats_and_recording(repeats: int, recorded_s: int, dead: int) -> None:
    capture = StumbleBuilder()
    waking(capture, 400, None, repeats=repeats)
    assert len(found(capture, WAKE_NS + recorded_s * S).findings) == dead


def test_a_survivor_of_a_longer_silence_refutes_a_time_out() -> None:
    capture = StumbleBuilder()
    for _ in range(3):
        waking(capture, 400, RST)
    waking(capture, 500, ACK)
    assert found(capture).findings[0].severity == "info"


def test_who_had_closed_resets_on_purpose() -> None:
    capture = StumbleBuilder()
    for _ in range(3):
        waking(capture, 400, RST, fins=2)
    assert found(capture).findings == ()


@pytest.mark.parametrize("columns", [{"payload_bytes": 0}, {"marks": MARK_KEEP_ALIVE, "payload_bytes": 1}])
def test_only_data_counts(columns: dict[str, int]) -> None:
    capture = StumbleBuilder()
    for _ in range(3):
        waking(capture, 400, RST, **columns)
    assert found(capture).status == "clear"


@pytest.mark.parametrize(
    ("survived_s", "died_s", "named_s"),
    [
        (0, 239, None),
        (0, 240, 240.0),
        (200, 349, 240.0),
        (300, 350, 350.0),
        (349, 349.9, None),
        (350, 351, None),
        (880, 905, 900.0),
    ],
)
def test_a_known_time_out_lies_between_what_lived_and_what_died(
    survived_s: float, died_s: float, named_s: float | None
) -> None:
    known = fitting(survived_s, died_s)
    assert (known[0] if known else None) == named_s
