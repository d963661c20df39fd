"""Intervals in intervals, against the plain definition."""

from __future__ import annotations

import numpy as np
import pytest

from backend.forensics.evidence.requests.nesting import CANDIDATES, Intervals, covered_ns, find_containing


def _random(seed: int, number: int, keys: int, longest: int) -> Intervals:
    rng = np.random.default_rng(seed)
    start = rng.integers(0, 2_000, number)
    return Intervals(rng.integers(0, keys, number), start, start + rng.integers(0, longest, number))


@pytest.mark.parametrize("seed", range(30))
def test_pairs_and_cover_are_those_of_the_definition(seed: int) -> None:
    outer, inner = _random(seed, 40, 3, 400), _random(seed + 1_000, 60, 4, 90)
    pairs = find_containing(outer, inner)
    expected = {
        (o, i)
        for o in range(len(outer))
        for i in range(len(inner))
        if outer.key[o] == inner.key[i]
        and outer.start_ns[o] <= inner.start_ns[i]
        and outer.end_ns[o] >= inner.end_ns[i]
    }
    assert set(zip(*(column.tolist() for column in pairs), strict=True)) == expected
    covered = covered_ns(outer, inner, pairs)
    for o in range(len(outer)):
        moments = {t for a, i in expected if a == o for t in range(inner.start_ns[i], inner.end_ns[i])}
        assert covered[o] == len(moments)


def test_an_interval_contains_one_with_its_own_bounds() -> None:
    outer = Intervals(np.array([1]), np.array([10]), np.array([20]))
    for start, end, is_inside in ((10, 20, True), (9, 20, False), (10, 21, False)):
        inner = Intervals(np.array([1]), np.array([start]), np.array([end]))
        assert (len(find_containing(outer, inner)[0]) == 1) == is_inside


@pytest.mark.parametrize(("later", "pairs"), [(CANDIDATES - 1, 1), (CANDIDATES, 0)])
def test_so_many_that_began_later_hide_an_interval(later: int, pairs: int) -> None:
    start = np.concatenate([[0], np.full(later, 10)])
    end = np.concatenate([[1_000], np.full(later, 11)])
    outer = Intervals(np.zeros(later + 1, np.int64), start, end)
    inner = Intervals(np.zeros(1, np.int64), np.array([50]), np.array([60]))
    assert len(find_containing(outer, inner)[0]) == pairs


def test_nothing_holds_nothing() -> None:
    nothing = Intervals(*(np.zeros(0, np.int64) for _ in range(3)))
    assert [len(column) for column in find_containing(nothing, nothing)] == [0, 0]
    assert len(covered_ns(nothing, nothing, find_containing(nothing, nothing))) == 0
