"""Records that grow in memory and then in a file."""

from __future__ import annotations

import numpy as np
import pytest

from workers.decode.growing import Columns, GrowingRecords, RecordList

_DTYPE = np.dtype([("number", "<u4"), ("text", "S7")])


def _numbered(first: int, count: int) -> np.ndarray[tuple[int], np.dtype[np.void]]:
    records = np.zeros(count, _DTYPE)
    records["number"] = np.arange(first, first + count)
    records["text"] = b"text"
    return records


@pytest.mark.parametrize("held", [1, 100, 5000], ids=["file at once", "file later", "memory"])
@pytest.mark.parametrize("batches", [[0], [1], [99, 1], [100, 1], [101], [60, 60, 60, 3000, 0, 7]])
def test_what_was_appended_is_there(held: int, batches: list[int]) -> None:
    records = RecordList(_DTYPE, held * _DTYPE.itemsize)
    first = 0
    for count in batches:
        records.extend(_numbered(first, count))
        first += count
    assert np.array_equal(records.view(), _numbered(0, first))
    records.extend_by(_numbered(first - 1, 3), np.array([1, 2]))
    view = records.view()
    assert np.array_equal(view, _numbered(0, first + 2))
    view["number"] = 0  # whoever reads may change what it got
    del records
    assert not view["number"].any()


@pytest.mark.parametrize("count", [1, 1000, 300_000], ids=["one", "a part of a page", "several pieces"])
def test_records_move_to_a_file_with_the_room_to_grow_left_behind(count: int) -> None:
    records = GrowingRecords(_DTYPE, 400_000)
    records.array[:count] = _numbered(0, count)
    stored, forget = records.to_file(count)
    assert np.array_equal(stored, _numbered(0, count))
    assert not len(records.array)
    forget(0, stored.nbytes)
    assert np.array_equal(stored, _numbered(0, count))


@pytest.mark.parametrize("count", [0, 1, 127, 128, 300])
def test_records_become_columns(count: int) -> None:
    kinds = [("a", "u1"), ("b", "<u8"), ("unused", "<u4"), ("c", "<u2"), ("d", "<i4")]
    dtype = np.dtype(kinds)
    octets = np.random.default_rng(1).integers(0, 256, count * dtype.itemsize, np.uint8)
    records, names = octets.view(dtype), ("d", "a", "b", "c")
    columns = Columns(dtype, names, 2 + count)
    columns.fill(0, records[:2])
    columns.fill(min(2, count), records)
    for name, column in zip(names, columns.arrays(min(2, count) + count), strict=True):
        assert np.array_equal(column, [*records[name][:2], *records[name]])


def test_columns_have_no_room_for_more() -> None:
    columns = Columns(_DTYPE, ("number",), 4)
    columns.fill(2, _numbered(0, 2))
    for first, count in ((-1, 1), (3, 2), (0, 5)):
        with pytest.raises(ValueError, match="no room"):
            columns.fill(first, _numbered(0, count))
    with pytest.raises(ValueError, match="no room"):
        columns.fill(0, np.zeros(1, "<u4"))
