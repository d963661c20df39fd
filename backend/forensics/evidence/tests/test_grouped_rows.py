"""Rows looked up are those that a search of the whole table finds."""

import numpy as np

from backend.forensics.evidence.clocks.grouped_rows import GroupedRows, by_value, is_among


def test_rows_are_those_of_a_search_in_the_order_of_the_table() -> None:
    random = np.random.default_rng(7)
    columns = [
        random.integers(0, 5, 300).astype(np.uint64) + np.uint64(2**64 - 5),
        random.integers(-2, 3, 300),
        random.integers(0, 4, 300).astype(np.uint16),
    ]
    grouped = GroupedRows(*columns)
    for row in (*zip(*(column.tolist() for column in columns), strict=True), (0, 0, 0)):
        same = np.logical_and.reduce([column == value for column, value in zip(columns, row, strict=True)])
        assert grouped.of(*row).tolist() == np.flatnonzero(same).tolist()


def test_an_empty_table_has_no_rows() -> None:
    assert not len(GroupedRows(np.zeros(0, np.uint64)).of(1))


def test_membership_is_that_of_isin() -> None:
    random = np.random.default_rng(8)
    values = random.integers(0, 50, 200).astype(np.uint64)
    for count in (0, 1, 20):
        wanted = np.unique(random.integers(10, 40, count).astype(np.uint64))
        assert is_among(values, wanted).tolist() == np.isin(values, wanted).tolist()


def test_rows_by_value_are_those_of_a_search() -> None:
    random = np.random.default_rng(9)
    rows, values = random.permutation(100), random.integers(0, 7, 100)
    found = by_value(rows, values)
    assert list(found) == sorted(set(values.tolist()))
    assert all(found[value].tolist() == rows[values == value].tolist() for value in found)
    assert by_value(rows[:0], values[:0]) == {}
