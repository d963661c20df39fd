"""The tests are scipy's; what is computed around them is held against published examples."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from backend.forensics.comparison.statistics import difference_interval, fisher_p, holm, rank_shift, rate_p

VALUES = some.lists(some.floats(0, 1000), min_size=2, max_size=30).map(np.array)


def test_a_shifted_sample_is_shifted_by_what_was_added() -> None:
    first = np.random.default_rng(1).gamma(2, 3, 400)
    found = rank_shift(first, np.random.default_rng(2).gamma(2, 3, 300) + 5)
    assert found.low < found.shift < found.high
    assert found.low < 5 < found.high
    assert found.high - found.low < 2
    assert found.p_value < 1e-9
    assert 0 < found.cliffs_delta < 1


@given(VALUES, VALUES)
def test_the_other_way_round_everything_changes_its_sign(
    first: "np.ndarray[tuple[int], np.dtype[np.float64]]",
    second: "np.ndarray[tuple[int], np.dtype[np.float64]]",
) -> None:
    there, back = rank_shift(first, second), rank_shift(second, first)
    assert there.shift == pytest.approx(-back.shift)
    assert [there.low, there.high] == pytest.approx([-back.high, -back.low])
    assert there.cliffs_delta == pytest.approx(-back.cliffs_delta)
    assert there.p_value == pytest.approx(back.p_value)


def test_the_interval_covers_a_true_shift_as_often_as_it_says() -> None:
    chance = np.random.default_rng(3)
    covered = 0
    for _ in range(400):
        found = rank_shift(chance.exponential(1, 40), chance.exponential(1, 60) + 0.7)
        covered += found.low <= 0.7 <= found.high
    assert 0.91 <= covered / 400 <= 0.99


def test_two_of_the_same_value_differ_by_nothing() -> None:
    found = rank_shift(np.ones(20), np.ones(30))
    assert (found.shift, found.cliffs_delta, found.p_value) == (0.0, 0.0, 1.0)


def test_newcombes_example() -> None:
    # Newcombe 1998, Interval estimation for the difference, table II: 56/70 - 48/80, method 10.
    low, high = difference_interval((48, 80), (56, 70))
    assert (round(low, 4), round(high, 4)) == (0.0524, 0.3339)


def test_holms_steps() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_rates_are_compared_by_the_time_they_took() -> None:
    assert rate_p((10, 10.0), (100, 100.0)) == pytest.approx(1.0)
    assert rate_p((10, 10.0), (100, 10.0)) < 1e-9
    assert rate_p((0, 10.0), (0, 10.0)) == 1.0


def test_shares_are_compared_by_their_counts() -> None:
    assert fisher_p((0, 360), (29, 600)) < 1e-5
    assert fisher_p((1, 100), (2, 100)) == pytest.approx(1.0)
