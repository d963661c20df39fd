"""Records that are read by columns: of many the columns are copied out once, as a column of records lies far apart in
memory, and reading it reads all of them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_FROM_RECORDS: Final = 1 << 14
_BLOCK_BYTES: Final = 1 << 20
"""Of records at a time: fits the processor's cache."""
_AROUND_BYTES: Final = 1 << 16
"""The system maps as much of a file around a page that is read (`fault_around_bytes` of Linux)."""
Forget = Callable[[int, int], None]
"""(first byte, number of bytes) of records whose memory is not needed before they are read again."""


class RecordColumns(np.ndarray[Any, np.dtype[np.void]]):
    """Records, not to be changed. ``records[name]`` of one of the kept columns is an array of its own."""

    _kept: Collection[str]
    _forget: Forget | None
    _columns: dict[str, NDArray[Any]]

    @classmethod
    def of(
        cls, records: NDArray[np.void], kept: Collection[str], forget: Forget | None = None
    ) -> NDArray[np.void]:
        """The same records; few are left as they are."""
        if len(records) < _FROM_RECORDS:
            return records
        made = records.view(cls)
        made._kept, made._forget, made._columns = kept, forget, {}
        return made

    def __array_finalize__(self, other: object) -> None:
        """A part of the records is read as NumPy does."""
        self._kept, self._forget, self._columns = (), None, {}

    def __getitem__(self, key: Any) -> Any:
        """As NumPy's."""
        if isinstance(key, str) and key in self._kept:
            if not self._columns:
                self._copy_columns()
            return self._columns[key]
        found = super().__getitem__(key)
        if isinstance(found, np.ndarray):
            found = found.view(np.ndarray)
            if self._forget is not None and not np.may_share_memory(found, self):
                self._forget(0, self.nbytes)
            return found
        return found if self._forget is None or not isinstance(found, np.void) else self._copied(found, key)

    def _copied(self, record: np.void, number: int) -> np.void:
        """One record. Reading it maps the pages around it, too, of which thousands of records would keep all."""
        copied = record.copy()
        if self._forget is not None:
            at = range(len(self))[number] * self.dtype.itemsize
            self._forget(max(0, at - _AROUND_BYTES), 2 * _AROUND_BYTES)
        return copied

    def _copy_columns(self) -> None:
        """All of them in one pass over the records."""
        plain, size = self.view(np.ndarray), self.dtype.itemsize
        columns = {name: _Column(plain, name) for name in self._kept}
        block_records = max(1, _BLOCK_BYTES // size)
        for first in range(0, len(plain), block_records):
            block = plain[first : first + block_records]
            for name, column in columns.items():
                column.fill(first, block[name])
            if self._forget is not None:
                self._forget(first * size, len(block) * size)
        self._columns = {name: column.finish() for name, column in columns.items()}


class _Column:
    """One column while it is copied. A column with one value everywhere, as the upper halves of IPv4 addresses have,
    stays that one value, which NumPy shows in every row."""

    def __init__(self, records: NDArray[np.void], name: str) -> None:
        self._rows = len(records)
        self._value = records[name][:1].copy()
        self._array: NDArray[Any] | None = None

    def fill(self, first: int, part: NDArray[Any]) -> None:
        if self._array is None:
            if (part == self._value).all():
                return
            self._array = np.empty(self._rows, self._value.dtype)
            self._array[:first] = self._value
        self._array[first : first + len(part)] = part

    def finish(self) -> NDArray[Any]:
        """The column, not to be changed."""
        if self._array is None:
            return np.broadcast_to(self._value, self._rows)
        self._array.flags.writeable = False
        return self._array
