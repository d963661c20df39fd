"""Counters of a host that name what dropped its packets: queues of the CPUs, the cloud's allowances."""

from __future__ import annotations

import pytest

from backend.forensics.diagnosis.causes.tests.dump_cases import confidence, ethtool, softnet

QUEUE, CLOUD = "backlog-drop", "cloud-allowance"
IDLE = (1_000, 0, 0)


@pytest.mark.parametrize(("drops", "named"), [(9, False), (10, True)])
def test_drops_between_two_listings(drops: int, named: bool) -> None:
    listed = [softnet(1, IDLE, IDLE), softnet(2, (50_000, drops, 0), (40_000, 0, 0))]
    assert (confidence(QUEUE, listed) > 0.5) is named


def test_drops_since_boot_need_a_ratio() -> None:
    assert confidence(QUEUE, [softnet(1, (1_000_000, 100, 0), (0, 0, 0))]) > 0.5
    assert confidence(QUEUE, [softnet(1, (1_000_000, 99, 0), (0, 0, 0))]) < 0.5


def test_old_drops_are_none_of_the_time_between_the_listings() -> None:
    listed = [softnet(1, (90_000, 70, 0), IDLE), softnet(2, (99_000, 70, 0), IDLE)]
    assert confidence(QUEUE, listed) == 0.0


@pytest.mark.parametrize(("busiest", "named"), [(800_000, True), (780_000, False)])
def test_one_cpu_that_does_not_keep_up_is_named_without_a_drop(busiest: int, named: bool) -> None:
    rest = (1_000_000 - busiest) // 3
    others = [(rest, 0, 0)] * 3
    assert (confidence(QUEUE, [softnet(1, (busiest, 0, 5_000), *others)]) > 0.5) is named


def test_one_cpu_that_keeps_up_is_none() -> None:
    assert confidence(QUEUE, [softnet(1, (900_000, 0, 3), IDLE, IDLE, IDLE)]) == 0.0


def test_two_cpus_or_few_packets_are_no_imbalance() -> None:
    assert confidence(QUEUE, [softnet(1, (900_000, 0, 5_000), IDLE)]) == 0.0
    assert confidence(QUEUE, [softnet(1, (9_000, 0, 5_000), (0, 0, 0), (0, 0, 0), (0, 0, 0))]) == 0.0


@pytest.mark.parametrize(("by", "named"), [(0, False), (9, False), (10, True)])
def test_an_allowance_that_is_exceeded_between_the_listings(by: int, named: bool) -> None:
    listed = [
        ethtool(1, conntrack_allowance_exceeded=500),
        ethtool(2, conntrack_allowance_exceeded=500 + by),
    ]
    assert (confidence(CLOUD, listed) > 0.5) is named


def test_an_allowance_exceeded_some_time_since_boot_names_nothing() -> None:
    assert confidence(CLOUD, [ethtool(1, bw_in_allowance_exceeded=90_000)]) < 0.5


def test_other_counters_of_the_driver_are_none() -> None:
    assert confidence(CLOUD, [ethtool(1, rx_drops=0), ethtool(2, rx_drops=900)]) == 0.0
