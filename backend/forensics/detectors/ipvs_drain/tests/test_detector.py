"""From when on a server counts as drained, and which connections count as sent to it by IPVS."""

from __future__ import annotations

import pytest

from backend.forensics.detection.contract import Detection
from backend.forensics.detectors.ipvs_drain.detector import detect
from backend.forensics.detectors.ipvs_drain.thresholds import DEFAULT
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, S
from backend.forensics.tests.build_ipvs import OTHER, POD, listing, through

BOTH = ("vip", "cni0")
ZERO = {POD: 0, OTHER: 1}


def judge(
    connections: list[int], dumps: list[DumpInput], places: tuple[str, ...] = BOTH, lost: int = 0
) -> Detection:
    """Connections to the drained pod at these ms after T0, the last `lost` of them unanswered."""
    capture = CaptureBuilder(places=places)
    for number, ms in enumerate(connections):
        isn = 10_000 * (number + 1)
        if number >= len(connections) - lost:
            for late_ns in (0, 1_020 * MS, 3_030 * MS):
                capture.syn(T0_NS + ms * MS + late_ns, through(number), isn=isn)
        else:
            capture.connect(T0_NS + ms * MS, through(number), isn=isn)
    capture.connect(T0_NS + 100 * S, through(900, OTHER), isn=3)
    return detect(gather_facts([capture.build()], dumps))


def test_connections_before_the_listing_do_not_count() -> None:
    found = judge([100, 900, 1_100, 2_500, 3_500], [listing(T0_NS + S, ZERO)])
    assert [f.count for f in found.findings] == [3]
    assert found.findings[0].measures["real_server"] == POD
    assert found.findings[0].measures["weight"] == 0


def test_a_weight_that_comes_back_ends_the_drain() -> None:
    dumps = [listing(T0_NS, ZERO), listing(T0_NS + 3 * S, {POD: 1, OTHER: 1}, input_name="b.txt")]
    found = judge([500, 1_500, 2_500, 3_500, 4_500], dumps)
    assert [f.count for f in found.findings] == [3]


def test_a_server_that_is_no_longer_listed_counts_as_drained() -> None:
    dumps = [listing(T0_NS, {POD: 1, OTHER: 1}), listing(T0_NS + S, {OTHER: 1}, input_name="b.txt")]
    found = judge([500, 1_500, 2_500, 3_500], dumps)
    assert [f.count for f in found.findings] == [3]
    assert found.findings[0].measures["weight"] is None
    assert found.findings[0].measures["connections_after_removal"] == 3


def test_a_server_that_was_never_listed_is_not_drained() -> None:
    found = judge([500, 1_500, 2_500, 3_500], [listing(T0_NS, {OTHER: 1}), listing(T0_NS + S, {OTHER: 1})])
    assert found.status == "clear"


@pytest.mark.parametrize(
    ("connections", "severity"),
    [(DEFAULT.least_connections - 1, "info"), (DEFAULT.least_connections, "warning")],
)
def test_a_few_are_chance(connections: int, severity: str) -> None:
    found = judge([2_000 * (n + 1) for n in range(connections)], [listing(T0_NS, ZERO)])
    assert [f.severity for f in found.findings] == [severity]


@pytest.mark.parametrize(
    ("lost", "severity"),
    [(DEFAULT.critical_suffered - 1, "warning"), (DEFAULT.critical_suffered, "critical")],
)
def test_many_that_suffer_are_critical(lost: int, severity: str) -> None:
    found = judge([2_000 * (n + 1) for n in range(8)], [listing(T0_NS, ZERO)], lost=lost)
    assert [f.severity for f in found.findings] == [severity]
    assert found.findings[0].measures["suffered"] == lost


def test_without_a_capture_before_ipvs_it_may_be_direct_access() -> None:
    found = judge([1_000 * (n + 1) for n in range(8)], [listing(T0_NS, ZERO)], places=("cni0",))
    assert found.status == "clear"
    assert [f.severity for f in found.findings] == ["info"]
    assert "bypass" in found.findings[0].summary


def test_a_listing_without_a_time_decides_nothing() -> None:
    found = judge([1_000, 2_000, 3_000, 4_000], [listing(None, ZERO)])
    assert found.status == "not-checkable"
    assert "time" in found.why


def test_without_a_listing_it_cannot_be_checked() -> None:
    assert judge([1_000, 2_000, 3_000], []).status == "not-checkable"


def test_without_a_capture_behind_ipvs_it_cannot_be_checked() -> None:
    found = judge([1_000, 2_000, 3_000], [listing(T0_NS, ZERO)], places=("vip",))
    assert found.status == "not-checkable"
