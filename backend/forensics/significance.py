"""Exact tests and a robust slope, as small as `analyze` needs them: importing scipy.stats takes longer than reading
a capture of a hundred thousand packets. The tests compare every function with SciPy's.

Tails are sums of probabilities that are built from ratios of neighbours, outwards from the likeliest, so that no
factorial of a large number is subtracted from another.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_TIE_RATIO = 1 + 1e-7
"""Tables this much likelier than the one seen count as equally likely, as in R's fisher.test."""
_NORMAL_975 = 1.959963984540054
_TERMS = 64
"""Standard deviations of a Poisson variable within which terms are summed: the rest is far below 1e-300 of it."""


def fisher_exact_p(
    table: tuple[tuple[int, int], tuple[int, int]], alternative: Literal["greater", "two-sided"]
) -> float:
    """Fisher's exact test of a 2 x 2 table of counts; "greater": the first row leans to the first column."""
    (a, b), (c, d) = ((int(value) for value in row) for row in table)
    row, column, total = a + b, a + c, a + b + c + d
    if min(row, column, total - row, total - column) == 0:
        return 1.0
    low, high = max(0, row + column - total), min(row, column)
    k = np.arange(low, high, dtype=np.float64)
    ratios = np.log((row - k) * (column - k)) - np.log((k + 1) * (total - row - column + k + 1))
    likely = _from_ratios(ratios)
    if alternative == "greater":
        return min(1.0, float(likely[a - low :].sum()))
    return min(1.0, float(likely[likely <= likely[a - low] * _TIE_RATIO].sum()))


def binomial_tail(at_least: int, trials: int, probability: float) -> float:
    """Probability of `at_least` or more successes."""
    if at_least <= 0 or probability >= 1:
        return 1.0 if at_least <= trials else 0.0
    if at_least > trials or probability <= 0:
        return 0.0
    k = np.arange(trials, dtype=np.float64)
    odds = math.log(probability) - math.log1p(-probability)
    return min(1.0, float(_from_ratios(np.log(trials - k) - np.log(k + 1) + odds)[at_least:].sum()))


def poisson_tail(at_least: int, expected: float) -> float:
    """Probability of `at_least` or more events where `expected` are."""
    if at_least <= 0:
        return 1.0
    if expected <= 0:
        return 0.0
    if at_least <= expected:
        return max(0.0, 1.0 - _poisson_up_to(at_least - 1, expected))
    terms = int(_TERMS * (math.sqrt(at_least) + 10))
    ratios = math.log(expected) - np.log(at_least + 1 + np.arange(terms, dtype=np.float64))
    first = math.exp(_log_poisson(at_least, expected))
    return min(1.0, first * (1.0 + float(np.exp(np.cumsum(ratios)).sum())))


def chi_square_tail(value: float, half_degrees: int) -> float:
    """Probability that chi-square with 2 x `half_degrees` degrees of freedom is at least `value`: that of fewer than
    `half_degrees` Poisson events."""
    if value <= 0:
        return 1.0
    if half_degrees <= value / 2:
        return _poisson_up_to(half_degrees - 1, value / 2)
    return max(0.0, 1.0 - poisson_tail(half_degrees, value / 2))


def _poisson_up_to(most: int, expected: float) -> float:
    """Probability of `most` events or fewer, where `most` is below the expected number."""
    if most < 0:
        return 0.0
    k = np.arange(most, 0, -1, dtype=np.float64)
    ratios = np.log(k) - math.log(expected)
    return math.exp(_log_poisson(most, expected)) * (1.0 + float(np.exp(np.cumsum(ratios)).sum()))


def _log_poisson(events: int, expected: float) -> float:
    return events * math.log(expected) - expected - math.lgamma(events + 1)


def _from_ratios(log_ratios: Floats) -> Floats:
    """Probabilities 0 … n, of the logarithms of each one's ratio to the one before."""
    logs = np.concatenate([[0.0], np.cumsum(log_ratios)])
    likely = np.exp(logs - logs.max())
    probabilities: Floats = likely / likely.sum()
    return probabilities


@dataclass(frozen=True)
class Slope:
    """A slope with its 95 % interval."""

    slope: float
    low: float
    high: float


def median_slope(y: Floats, x: Floats) -> Slope:
    """Median of the slopes between all pairs of points (Theil, Sen); the interval is Sen's 1968, with ties."""
    first, second = np.triu_indices(len(x), 1)
    apart = x[second] - x[first]
    unequal = apart != 0
    slopes = np.sort((y[second] - y[first])[unequal] / apart[unequal])
    if not len(slopes):
        return Slope(0.0, -math.inf, math.inf)
    spread = _NORMAL_975 * math.sqrt(max(0.0, _kendall(len(x)) - _ties(x) - _ties(y)) / 18)
    low = max(round((len(slopes) - spread) / 2) - 1, 0)
    high = min(round((len(slopes) + spread) / 2), len(slopes) - 1)
    return Slope(float(np.median(slopes)), float(slopes[low]), float(slopes[high]))


def _kendall(count: int) -> float:
    return float(count * (count - 1) * (2 * count + 5))


def _ties(values: Floats) -> float:
    return sum(_kendall(int(count)) for count in np.unique(values, return_counts=True)[1])
