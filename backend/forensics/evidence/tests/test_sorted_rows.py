"""What NumPy's general functions give, whatever the order and the repeats of the values."""

import numpy as np
import pytest

from backend.forensics.evidence.sorted_rows import (
    distinct,
    first_rows,
    place_in,
    renumbered,
    stable_order,
    taken,
)


@pytest.mark.parametrize("different", [1, 2, 10, 1_000_000])
@pytest.mark.parametrize("size", [0, 1, 2, 50, 5000])
def test_results_are_those_of_numpy(size: int, different: int) -> None:
    random = np.random.default_rng(size + different)
    first, second, third = (random.integers(0, different, size) for _ in range(3))
    for middle in (second, np.sort(second)):
        assert np.array_equal(stable_order(first, (middle, third)), np.lexsort((third, middle, first)))
    assert np.array_equal(renumbered(first), np.unique(first, return_inverse=True)[1])
    assert np.array_equal(first_rows(first), np.unique(first, return_index=True)[1])
    assert np.array_equal(distinct(first), np.unique(first))


def test_rows_that_are_in_order_already_stay() -> None:
    number, time = np.array([1, 0, 1, 0, 1]), np.arange(5)
    assert stable_order(number, (time,)).tolist() == [1, 3, 0, 2, 4]
    assert stable_order(number, (-time,)).tolist() == [3, 1, 4, 2, 0]


@pytest.mark.parametrize("wanted", [[], [3], [5, 0, 5, 2], list(range(100, 0, -3))])
def test_taken_rows_of_a_column_are_those_of_numpy(wanted: list[int]) -> None:
    table = np.zeros(101, [("a", "<u8"), ("b", "<u2")])
    table["b"] = np.arange(101)[::-1]
    rows = np.array(wanted, np.int64)
    assert taken(table["b"], rows).tolist() == table["b"][rows].tolist()


@pytest.mark.parametrize("ordered", [[], [4], [1, 1, 2, 7, 7, 9]])
def test_values_are_placed_where_numpy_finds_them(ordered: list[int]) -> None:
    values, wanted = np.array(ordered, np.uint64), np.array([9, 0, 7, 3, 1, 10], np.uint64)
    assert place_in(values, wanted).tolist() == np.searchsorted(values, wanted).tolist()
