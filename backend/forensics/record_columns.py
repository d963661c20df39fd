"""Records that are read by columns: of many the columns are copied out once, as a column of records lies far apart in
memory, and reading it reads all of them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_FROM_RECORDS: Final = 1 << 18
_BLOCK_RECORDS: Final = 1 << 13
"""A megabyte: fits the processor's cache."""
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
        return found.view(np.ndarray) if isinstance(found, np.ndarray) else found

    def _copy_columns(self) -> None:
        """All of them in one pass over the records."""
        plain, size = self.view(np.ndarray), self.dtype.itemsize
        columns = {name: np.empty(len(plain), self.dtype[name]) for name in self._kept}
        for first in range(0, len(plain), _BLOCK_RECORDS):
            block = plain[first : first + _BLOCK_RECORDS]
            for name, column in columns.items():
                column[first : first + len(block)] = block[name]
            if self._forget is not None:
                self._forget(first * size, len(block) * size)
        for column in columns.values():
            column.flags.writeable = False
        self._columns = columns
