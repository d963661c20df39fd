"""Record arrays that grow in place, so that the peak is not old and new side by side."""

from __future__ import annotations

import mmap
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

Records = NDArray[np.void]


_BLOCK_ROWS: Final = 2048
"""Records turned into columns at a time: what fits the processor's cache."""


def fill_columns(columns: Mapping[str, NDArray[Any]], at: int, records: Records) -> None:
    """Copies each field of `records` into the column of its name, from index `at` on."""
    for start in range(0, len(records), _BLOCK_ROWS):
        block = records[start : start + _BLOCK_ROWS]
        first = at + start
        for name, column in columns.items():
            column[first : first + len(block)] = block[name]


class GrowingRecords:
    """Zeroed records in private anonymous memory. Pages that are never touched cost nothing.

    Growing moves pages, not bytes, as long as nobody else holds a view of the array; where that is impossible
    (a view is held, or the system has no mremap) the records are copied.
    """

    def __init__(self, dtype: DTypeLike, capacity: int) -> None:
        self._dtype = np.dtype(dtype)
        self._memory = self._map(capacity)
        self.array: Records = np.frombuffer(self._memory, self._dtype, capacity)

    def _map(self, capacity: int) -> mmap.mmap:
        size = max(capacity, 1) * self._dtype.itemsize
        return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)

    def grow(self, capacity: int) -> None:
        """Makes room for `capacity` records; the new ones are zero."""
        used = len(self.array)
        self.array = np.zeros(0, self._dtype)
        try:
            self._memory.resize(capacity * self._dtype.itemsize)
        except (BufferError, SystemError, OSError):
            old = np.frombuffer(self._memory, self._dtype, used)
            self._memory = self._map(capacity)
            self.array = np.frombuffer(self._memory, self._dtype, capacity)
            self.array[:used] = old
            return
        self.array = np.frombuffer(self._memory, self._dtype, capacity)


class RecordList:
    """Records appended in batches."""

    def __init__(self, dtype: DTypeLike) -> None:
        self._records = GrowingRecords(dtype, 1 << 14)
        self._used = 0

    def _room(self, count: int) -> Records:
        """The next `count` records, to be filled."""
        used = self._used + count
        if used > len(self._records.array):
            self._records.grow(max(used, 2 * len(self._records.array)))
        room = self._records.array[self._used : used]
        self._used = used
        return room

    def extend(self, batch: Records) -> None:
        """Appends a copy of `batch`."""
        self._room(len(batch))[:] = batch

    def extend_by(self, batch: Records, picked: NDArray[np.int64]) -> None:
        """Appends copies of the records of `batch` with these numbers."""
        # As bytes: numpy copies records field by field.
        whole = np.dtype((np.void, batch.dtype.itemsize))
        np.take(batch.view(whole), picked, out=self._room(len(picked)).view(whole), mode="clip")

    def view(self) -> Records:
        """All records, without copying."""
        return self._records.array[: self._used]
