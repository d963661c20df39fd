"""The back-off schedules and their tolerance: max(30 ms, 5 %) of each step."""

from __future__ import annotations

import pytest

from backend.forensics.detectors.syn_retransmission.marks import guide_times_s
from backend.forensics.detectors.syn_retransmission.schedules import (
    IRREGULAR,
    expected_times_s,
    fits,
    name_schedule,
)


@pytest.mark.parametrize(
    ("gap_s", "fitting"), [(1.05, True), (1.051, False), (0.95, True), (0.949, False), (1.0, True)]
)
def test_a_step_of_one_second_is_met_within_five_percent(gap_s: float, fitting: bool) -> None:
    assert fits([gap_s], "linux-exponential") is fitting


@pytest.mark.parametrize(("gap_s", "fitting"), [(3.15, True), (3.151, False), (2.85, True), (2.849, False)])
def test_a_step_of_three_seconds_is_met_within_five_percent(gap_s: float, fitting: bool) -> None:
    assert fits([gap_s], "three-second") is fitting


@pytest.mark.parametrize(
    ("gaps_s", "name"),
    [
        ([1.01], "linux-exponential"),
        ([1.01, 2.02, 4.03], "linux-exponential"),
        ([1.0, 1.0], "linux-linear"),
        ([1.0, 1.01, 1.02, 1.0, 1.03, 2.02], "linux-linear"),
        ([3.0, 6.0], "three-second"),
        ([0.2], IRREGULAR),
        ([1.0, 3.0], IRREGULAR),
        ([1, 2, 4, 8, 16, 32, 64], IRREGULAR),
    ],
)
def test_the_first_schedule_that_fits_is_named(gaps_s: list[float], name: str) -> None:
    assert name_schedule([gaps_s]) == name


def test_macos_has_the_first_steps_of_linear_linux() -> None:
    assert fits([1.0, 1.0, 1.0, 1.0, 1.0, 2.0], "macos")


def test_the_schedule_of_most_attempts_is_named() -> None:
    assert name_schedule([[3.0], [3.1], [0.4]]) == "three-second"
    assert name_schedule([[0.3], [0.4], [1.0]]) == IRREGULAR


def test_expected_times_add_up() -> None:
    assert expected_times_s("linux-exponential")[:3] == (1, 3, 7)
    assert expected_times_s(IRREGULAR) == ()


@pytest.mark.parametrize(("gap_s", "fitting"), [(4.5, True), (4.501, False), (3.8, True), (3.799, False)])
def test_a_long_step_may_be_late_by_an_eighth_and_early_by_a_twentieth(gap_s: float, fitting: bool) -> None:
    assert fits([1.0, 2.0, gap_s], "linux-exponential") is fitting


@pytest.mark.parametrize(
    ("gaps_s", "name"),
    [
        ([2.0, 4.0, 8.0], "linux-exponential"),
        ([2.0], "irregular"),
        ([3.0, 6.0], "three-second"),
        ([1, 1, 1, 1, 1, 2, 4, 8], "linux-linear"),
        ([1, 1, 1, 1, 2], "irregular"),
    ],
)
def test_shapes_seen_in_public_captures_have_names(gaps_s: list[float], name: str) -> None:
    assert name_schedule([gaps_s]) == name


@pytest.mark.parametrize(
    ("schedule", "times_s"),
    [
        ("linux-exponential", (1, 3, 7)),
        ("linux-linear", (1, 2, 3, 4, 5, 7)),
        ("three-second", (3, 9, 21)),
        (IRREGULAR, ()),
    ],
)
def test_guides_show_enough_to_tell_the_schedules_apart(schedule: str, times_s: tuple[float, ...]) -> None:
    assert guide_times_s(schedule) == times_s
