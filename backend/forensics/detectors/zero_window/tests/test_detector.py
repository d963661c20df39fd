"""How long a window was closed, by whom, and whether anybody waited."""

from __future__ import annotations

import pytest

from backend.forensics.detection.contract import Detection
from backend.forensics.detectors.zero_window.detector import detect
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.signals import CLOSED, OPENED
from backend.forensics.tests.build_anomalies import StumbleBuilder
from backend.forensics.tests.build_capture import MS, S


def found(capture: StumbleBuilder) -> Detection:
    return detect(gather_facts([capture.build()], []))


@pytest.mark.parametrize(
    ("closed_ms", "severity"), [(199, None), (200, "info"), (999, "info"), (1_000, "warning")]
)
def test_severity_follows_the_longest(closed_ms: int, severity: str | None) -> None:
    capture = StumbleBuilder()
    connection = capture.connection(zero_window_probes=1)
    capture.signal(connection, 0, CLOSED)
    capture.signal(connection, closed_ms * MS, OPENED)
    assert [f.severity for f in found(capture).findings] == ([severity] if severity else [])


def test_the_receiver_is_who_closed_its_window() -> None:
    capture = StumbleBuilder()
    connection = capture.connection(windows_full=1)
    for side in (1, 0):
        capture.signal(connection, (2 - side) * S, CLOSED, from_client=side)
        capture.signal(connection, (2 - side) * S + 5 * S, OPENED, from_client=side)
    titles = {f.title for f in found(capture).findings}
    assert titles == {
        f"Zero window from {host} (receiver not reading)" for host in ("10.0.0.1", "192.0.2.10")
    }


def test_a_window_that_never_opens_counts_to_the_end_of_the_connection() -> None:
    capture = StumbleBuilder()
    capture.signal(capture.connection(zero_window_probes=3), 20 * S, CLOSED)
    (finding,) = found(capture).findings
    assert (finding.time_lost_s, finding.measures["never_opened"]) == (40.0, 1)
