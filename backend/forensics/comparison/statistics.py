"""Rank tests, effect sizes and corrections. The tests are scipy's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Values = NDArray[np.float64]

EXACT_UP_TO = 1_000
"""Product of the sample sizes up to which the exact distribution of U is used; above, the normal one is good."""
Z_95 = 1.959963984540054
"""Normal quantile of a two-sided 95 % interval."""


@dataclass(frozen=True)
class Shift:
    """How a second sample lies against a first."""

    shift: float
    """Hodges-Lehmann estimate: median of all differences second - first."""
    low: float
    high: float
    """95 % interval of the shift, by inverting the Mann-Whitney test (Hollander, Wolfe 1999, 4.3)."""
    cliffs_delta: float
    p_value: float


def rank_shift(first: Values, second: Values) -> Shift:
    """Mann-Whitney, two-sided, with its effect sizes. Both samples must have values."""
    pairs = len(first) * len(second)
    ties = len(np.unique(np.concatenate([first, second]))) < len(first) + len(second)
    method: Literal["exact", "asymptotic"] = "exact" if pairs <= EXACT_UP_TO and not ties else "asymptotic"
    if np.ptp(np.concatenate([first, second])) == 0:
        return Shift(0.0, 0.0, 0.0, 0.0, 1.0)
    tested = stats.mannwhitneyu(second, first, alternative="two-sided", method=method)
    differences = np.subtract.outer(second, first).ravel()
    # The interval ends at the k-th smallest and largest difference.
    half_width = Z_95 * np.sqrt((len(first) + len(second) + 1) / (12 * pairs))
    low, middle, high = np.quantile(
        differences, [max(0.5 - half_width, 0.0), 0.5, min(0.5 + half_width, 1.0)]
    )
    delta = 2 * float(tested.statistic) / pairs - 1
    return Shift(float(middle), float(low), float(high), delta, float(tested.pvalue))


def fisher_p(first: tuple[int, int], second: tuple[int, int]) -> float:
    """Two-sided p of two (count, out of)."""
    table = np.array([[first[0], first[1] - first[0]], [second[0], second[1] - second[0]]])
    return float(stats.fisher_exact(table).pvalue)


def rate_p(first: tuple[int, float], second: tuple[int, float]) -> float:
    """Two-sided p of two (events, seconds): given their sum, events fall to a side by its share of the time."""
    total = first[0] + second[0]
    seconds = first[1] + second[1]
    if not total or not seconds:
        return 1.0
    return float(stats.binomtest(second[0], total, second[1] / seconds).pvalue)


def difference_interval(first: tuple[int, int], second: tuple[int, int]) -> tuple[float, float]:
    """95 % interval of second - first of two (count, out of): Newcombe 1998, method 10 (from Wilson's)."""
    (low_1, high_1), (low_2, high_2) = (
        stats.binomtest(*each).proportion_ci(0.95, method="wilson") for each in (first, second)
    )
    share_1, share_2 = first[0] / first[1], second[0] / second[1]
    low = share_2 - share_1 - np.hypot(share_2 - low_2, high_1 - share_1)
    high = share_2 - share_1 + np.hypot(high_2 - share_2, share_1 - low_1)
    return float(low), float(high)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted so that the chance of any false one among them stays below the limit (Holm 1979)."""
    order = np.argsort(p_values, kind="stable")
    scaled = np.asarray(p_values)[order] * np.arange(len(p_values), 0, -1)
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(np.maximum.accumulate(scaled), 1.0)
    return [float(p) for p in adjusted]
