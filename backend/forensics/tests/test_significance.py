"""Every function against SciPy's."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from scipy import stats

from backend.forensics.significance import (
    binomial_tail,
    chi_square_tail,
    fisher_exact_p,
    median_slope,
    poisson_tail,
)

COUNTS = some.one_of(some.integers(0, 12), some.integers(0, 20_000))
TINY = 1e-250
"""Below this SciPy's own functions begin to disagree with one another."""


def as_scipy(value: float) -> object:
    return pytest.approx(value, rel=1e-7, abs=TINY)


@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_fishers_test_is_scipys(a: int, b: int, c: int, d: int) -> None:
    one_sided = float(stats.fisher_exact(np.array([[a, b], [c, d]]), alternative="greater").pvalue)
    assert fisher_exact_p(((a, b), (c, d)), "greater") == as_scipy(one_sided)
    two_sided = float(stats.fisher_exact(np.array([[a, b], [c, d]])).pvalue)
    assert fisher_exact_p(((a, b), (c, d)), "two-sided") == as_scipy(two_sided)


def test_the_tea_lady() -> None:
    # Fisher 1935, The Design of Experiments, chapter II: three of four cups told, p = 17/70.
    assert fisher_exact_p(((3, 1), (1, 3)), "greater") == pytest.approx(17 / 70)
    assert fisher_exact_p(((4, 0), (0, 4)), "greater") == pytest.approx(1 / 70)
    assert fisher_exact_p(((3, 1), (1, 3)), "two-sided") == pytest.approx(34 / 70)


def test_a_million_connections() -> None:
    table = ((400, 99_600), (2_900, 897_100))
    assert fisher_exact_p(table, "greater") == as_scipy(
        float(stats.fisher_exact(np.array(table), "greater").pvalue)
    )


@given(COUNTS, COUNTS, some.floats(0, 1))
def test_the_binomial_tail_is_scipys(at_least: int, trials: int, probability: float) -> None:
    expected = float(stats.binom.sf(at_least - 1, trials, probability))
    assert binomial_tail(at_least, trials, probability) == pytest.approx(expected, rel=1e-6, abs=1e-200)


@given(COUNTS, some.floats(0, 20_000))
def test_the_poisson_tail_is_scipys(at_least: int, expected: float) -> None:
    found = poisson_tail(at_least, expected)
    assert found == pytest.approx(float(stats.poisson.sf(at_least - 1, expected)), rel=1e-6, abs=1e-12)


@given(some.integers(3, 60), some.floats(1e-6, 0.5))
def test_a_rare_run_keeps_its_order_of_magnitude(at_least: int, expected: float) -> None:
    found = poisson_tail(at_least, expected)
    assert found == pytest.approx(float(stats.poisson.sf(at_least - 1, expected)), rel=1e-9)


@given(some.floats(0, 5_000), some.integers(1, 2_000))
def test_the_chi_square_tail_is_scipys(value: float, half_degrees: int) -> None:
    expected = float(stats.chi2.sf(value, 2 * half_degrees))
    assert chi_square_tail(value, half_degrees) == pytest.approx(expected, rel=1e-6, abs=1e-12)


@given(some.integers(0, 10_000), some.integers(2, 60), some.booleans())
def test_the_median_slope_is_scipys(seed: int, points: int, tied: bool) -> None:
    chance = np.random.default_rng(seed)
    x = np.sort(chance.integers(0, 8, points) if tied else chance.random(points)).astype(np.float64)
    y = 0.3 * x + np.round(chance.normal(0, 1, points), 1 if tied else 9)
    if len(np.unique(x)) < 2:
        assert median_slope(y, x).slope == 0.0
        return
    theirs, ours = stats.theilslopes(y, x), median_slope(y, x)
    expected = (theirs.slope, theirs.low_slope, theirs.high_slope)
    assert (ours.slope, ours.low, ours.high) == pytest.approx(expected)


def test_nothing_is_certain_and_nothing_is_impossible() -> None:
    assert fisher_exact_p(((0, 0), (3, 4)), "greater") == 1.0
    assert fisher_exact_p(((3, 0), (4, 0)), "two-sided") == 1.0
    assert binomial_tail(1, 5, 0.0) == 0.0
    assert binomial_tail(5, 5, 1.0) == 1.0
    assert poisson_tail(1, 0.0) == 0.0
    assert chi_square_tail(0.0, 3) == 1.0
    assert median_slope(np.array([1.0]), np.array([1.0])).low == -math.inf
