"""What NumPy's general functions give, whatever the order and the repeats of the values."""

import numpy as np
import pytest
from numpy.typing import NDArray

from backend.forensics.evidence.clocks.sorted_rows import (
    as_int64,
    ascends,
    distinct,
    first_rows,
    lexsort,
    place_in,
    renumbered,
    stable_argsort,
    stable_order,
    taken,
    taken_records,
)


def test_rows_in_order_are_known_without_sorting() -> None:
    """The break at the end of a block of rows is seen, too."""
    values = np.arange(50_000)
    assert ascends(values)
    assert ascends(np.zeros(50_000))
    assert ascends(np.broadcast_to(np.int64(3), 5))
    assert ascends(values[:0])
    assert np.array_equal(stable_argsort(values), values)
    for at in (1, 1 << 14, (1 << 14) + 1, 49_999):
        turned = values.copy()
        turned[[at - 1, at]] = turned[[at, at - 1]]
        assert not ascends(turned)
        assert np.array_equal(stable_argsort(turned), np.argsort(turned, kind="stable"))


def test_one_value_for_all_rows_stays_one() -> None:
    assert as_int64(np.broadcast_to(np.uint32(7), 4)).strides == (0,)
    assert as_int64(np.broadcast_to(np.uint32(7), 4)).tolist() == [7] * 4
    assert as_int64(np.array([1, 2], np.uint32)).dtype == np.int64


def test_taken_records_are_those_of_numpy() -> None:
    table = np.zeros(7, [("a", "<u8"), ("b", "u1"), ("c", "<i4")])
    table["a"], table["b"], table["c"] = np.arange(7), np.arange(7) + 1, -np.arange(7)
    rows = np.array([6, 0, 0, 3])
    assert taken_records(table, rows).tolist() == table[rows].tolist()
    assert taken_records(table[::2], np.array([3, 1])).tolist() == table[::2][[3, 1]].tolist()
    assert taken_records(table, rows[:0]).dtype == table.dtype


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


SPANS = {
    "small": (0, 5),
    "bits": (0, 2),
    "negative": (-3, 4),
    "nanoseconds": (1_700_000_000_000_000_000, 1_700_000_000_000_000_000 + 10**9),
    "whole": (-(2**63), 2**63 - 1),
}


def column(span: str, size: int, seed: int) -> NDArray[np.int64]:
    """Half of the values come twice, and pairs differ in their last bits only."""
    values = np.random.default_rng(seed).integers(*SPANS[span], size)
    values[1::4] = values[::4][: len(values[1::4])]
    values[2::4] = values[::4][: len(values[2::4])] ^ 1
    return values


@pytest.mark.parametrize("size", [0, 1, 999, 5000])
@pytest.mark.parametrize("span", SPANS)
@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.int32, np.uint8, np.bool_, np.float64])
def test_a_column_is_sorted_as_by_numpy(span: str, size: int, dtype: type[np.generic]) -> None:
    values = column(span, size, 1).astype(dtype)
    assert np.array_equal(stable_argsort(values), np.argsort(values, kind="stable"))


@pytest.mark.parametrize("some", [[0.0], [0.0, -0.0], [0.5, -0.5], [np.nan, 1.0], [np.inf, 1.0]])
def test_fractions_are_sorted_as_by_numpy(some: list[float]) -> None:
    values = np.random.default_rng(1).random(5000)
    values[::3] = np.resize(some, len(values[::3]))
    few = np.arange(5000) % 7
    assert np.array_equal(stable_argsort(values), np.argsort(values, kind="stable"))
    assert np.array_equal(lexsort((values, few)), np.lexsort((values, few)))


@pytest.mark.parametrize("size", [0, 999, 5000])
@pytest.mark.parametrize(
    "spans",
    [
        ("small", "bits", "negative"),
        ("nanoseconds", "small", "nanoseconds"),
        ("whole", "small", "whole"),
        ("small", "whole", "bits"),
        ("bits", "small", "whole"),
    ],
)
def test_columns_are_sorted_as_by_numpy(spans: tuple[str, ...], size: int) -> None:
    keys = [column(span, size, seed) for seed, span in enumerate(spans)]
    assert np.array_equal(lexsort(keys), np.lexsort(tuple(keys)))
    as_others = (keys[0].astype(np.uint64), np.zeros(size, np.uint16), keys[1], keys[2] > 0)
    assert np.array_equal(lexsort(as_others), np.lexsort(as_others))
    table = np.zeros(size, [("a", "<i8"), ("b", "<u2")])
    table["a"] = keys[2]
    assert np.array_equal(lexsort((table["b"], table["a"])), np.lexsort((table["b"], table["a"])))
