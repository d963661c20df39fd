"""Holes of a capture are counted where they are, and notable only beyond both limits."""

from __future__ import annotations

import pytest

from backend.forensics.captures import Capture
from backend.forensics.detection.contract import Detection
from backend.forensics.detectors.capture_loss.detector import detect
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, plain_path


def capture_with(holes: int, data: int = 1_000) -> Capture:
    builder = CaptureBuilder()
    for number in range(5):
        path = plain_path(f"10.0.0.1:{20_000 + number}", "192.0.2.1:80", "cni0", "eth0")
        builder.connect(T0_NS + number * MS, path, isn=number + 1)
    capture = builder.build(data=(data, 0))
    capture.connections["lost_segments"][0] = holes
    return capture


def detection(capture: Capture) -> Detection:
    return detect(gather_facts([capture], []))


def test_a_whole_capture_is_clear() -> None:
    assert detection(capture_with(0)).status == "clear"


@pytest.mark.parametrize(
    ("holes", "data", "notable"), [(4, 1_000, True), (3, 1_000, False), (4, 4_000, False)]
)
def test_holes_are_notable_beyond_both_limits(holes: int, data: int, notable: bool) -> None:
    (finding,) = detection(capture_with(holes, data)).findings
    assert (finding.severity == "warning") is notable
    assert (finding.count, finding.evidence[0].frames[0] > 0) == (holes, True)


@pytest.mark.parametrize(("elsewhere", "status"), [(0, "found"), (62, "clear")])
def test_data_that_left_by_the_other_uplink_is_no_hole(elsewhere: int, status: str) -> None:
    builder = CaptureBuilder(places=("eth0", "eth1"))
    for place in ("eth0", "eth1"):
        builder.connect(T0_NS, plain_path("10.0.0.1:20000", "192.0.2.1:80", place), isn=7)
    capture = builder.build()
    table = capture.connections
    table["client_bytes"], table["server_bytes"] = (0, elsewhere), (440, 0)
    table["lost_segments"], table["data_segments"] = (9, 0), (40, 40)
    assert detection(capture).status == status


def test_without_packets_it_cannot_be_checked() -> None:
    assert detect(gather_facts([], [])).status == "not-checkable"
