"""Onsets that keep a period, and onsets that do not."""

from __future__ import annotations

import numpy as np
import pytest

from backend.forensics.evidence.kernel.onset_periods import find_period


@pytest.mark.parametrize("period_s", [0.1, 1.7, 10.0, 60.0])
def test_a_period_is_found(period_s: float) -> None:
    found = find_period(1.7e9 + 3.3 + period_s * np.arange(20))
    assert found is not None
    assert found.period_s == pytest.approx(period_s, rel=1e-4)


def test_onsets_that_are_missing_do_not_hide_it() -> None:
    kept = np.array([0, 1, 2, 4, 5, 8, 9, 10, 11, 13, 14, 17, 18])
    found = find_period(5.0 * kept + np.random.default_rng(1).normal(0, 0.05, len(kept)))
    assert found is not None
    assert found.period_s == pytest.approx(5.0, rel=0.01)


@pytest.mark.parametrize(("onsets", "told"), [(9, False), (10, True)])
def test_few_onsets_are_no_period(onsets: int, told: bool) -> None:
    assert (find_period(2.0 * np.arange(onsets)) is not None) is told


def test_random_onsets_have_none() -> None:
    random = np.random.default_rng(7)
    found = [find_period(np.sort(random.uniform(0, 100, 30))) for _ in range(300)]
    assert sum(f is not None for f in found) <= 3
