"""Records that grow in memory and then in a file."""

from __future__ import annotations

import numpy as np
import pytest

from workers.decode.growing import RecordList

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
