"""Record arrays that grow in place, so that the peak is not old and new side by side."""

from __future__ import annotations

import mmap
import tempfile
import weakref
from collections.abc import Collection, Sequence
from functools import partial
from typing import IO, Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

from backend.forensics.record_columns import Forget, RecordColumns
from workers.decode.loop.columns import FIELD_DTYPE, gather

Records = NDArray[np.void]

_ALIGNED: Final = 64
_HELD_BYTES: Final = 8 << 20
_PIECE_BYTES: Final = 1 << 20
"""Written to a file at a time."""


def _offset(dtype: np.dtype[Any], name: str) -> int:
    assert dtype.fields is not None
    return dtype.fields[name][1]


class Columns:
    """Columns side by side in one piece of memory."""

    def __init__(self, dtype: np.dtype[Any], names: Sequence[str], capacity: int) -> None:
        """`names` are fields of `dtype`, of one to eight bytes each."""
        kinds = [dtype[name] for name in names]
        self._dtype, self._capacity = dtype, capacity
        sizes = [-(-capacity * kind.itemsize // _ALIGNED) * _ALIGNED for kind in kinds]
        self._fields: Records = np.zeros(len(names), FIELD_DTYPE)
        self._fields["offset"] = [_offset(dtype, name) for name in names]
        self._fields["width"] = [kind.itemsize for kind in kinds]
        self._fields["at"] = np.cumsum([0, *sizes])[: len(names)]
        self._memory: NDArray[np.uint8] = np.empty(sum(sizes), np.uint8)
        self._arrays = [
            self._memory[at : at + capacity * kind.itemsize].view(kind)
            for at, kind in zip(self._fields["at"].tolist(), kinds, strict=True)
        ]

    def fill(self, first: int, records: Records) -> None:
        """Copies records, which lie in one piece, into rows from `first` on. Raises ValueError without room."""
        if (
            first < 0
            or first + len(records) > self._capacity
            or records.dtype.itemsize != self._dtype.itemsize
        ):
            raise ValueError(f"{len(records)} records have no room after {first} of {self._capacity}")
        octets = records.view(np.uint8)
        gather(octets, self._dtype.itemsize, len(records), self._fields, self._memory, first)

    def arrays(self, count: int) -> list[NDArray[Any]]:
        """The first rows of each column, without copying."""
        return [array[:count] for array in self._arrays]


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

    def to_file(self, used: int) -> tuple[Records, Forget]:
        """The first `used` records in a file without a name, and their memory given back while they are written; the
        array is gone. Raises OSError, for instance when the disk is full."""
        file = tempfile.TemporaryFile()  # noqa: SIM115
        octets = self.array[:used].view(np.uint8)
        for first in range(0, len(octets), _PIECE_BYTES):
            piece = octets[first : first + _PIECE_BYTES]
            file.write(piece.data)
            _forget(self._memory, first, len(piece))
        self.array = np.zeros(0, self._dtype)
        with file:
            return _mapped(file, self._dtype)


class RecordList:
    """Records appended in batches: in memory while they are few, then in a file without a name, which the system
    keeps in memory as far as there is room. One row in ten thousand packets or one in three: both must be possible."""

    def __init__(
        self, dtype: DTypeLike, held_bytes: int = _HELD_BYTES, *, kept: Collection[str] = ()
    ) -> None:
        """Up to `held_bytes` stay in memory. `kept` are columns that the analysis reads (`RecordColumns`)."""
        self._kept = kept
        self._records = GrowingRecords(dtype, 1 << 10)
        self._dtype = np.dtype(dtype)
        self._limit = held_bytes // self._dtype.itemsize
        self._used = 0
        self._file: IO[bytes] | None = None

    def _room(self, count: int) -> Records:
        """The next `count` records, to be filled."""
        if self._used and self._used + count > self._limit:
            self._store()
        used = self._used + count
        if used > len(self._records.array):
            self._records.grow(max(used, min(2 * len(self._records.array), self._limit)))
        room = self._records.array[self._used : used]
        self._used = used
        return room

    def _store(self) -> None:
        """Moves the records from memory to the file. Raises OSError, for instance when the disk is full."""
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115
            weakref.finalize(self, self._file.close)  # what `view` gave stays
            self._limit = max(1, _PIECE_BYTES // self._dtype.itemsize)
        self._file.write(self._records.array[: self._used].view(np.uint8).data)
        self._used = 0

    def extend(self, batch: Records) -> None:
        """Appends a copy of `batch`."""
        self._room(len(batch))[:] = batch

    def extend_by(self, batch: Records, picked: NDArray[np.int64]) -> None:
        """Appends copies of the records of `batch` with these numbers."""
        # As bytes: numpy copies records field by field.
        whole = np.dtype((np.void, self._dtype.itemsize))
        np.take(batch.view(whole), picked, out=self._room(len(picked)).view(whole), mode="clip")

    def view(self) -> Records:
        """All records, without copying."""
        if self._file is None:
            return self._records.array[: self._used]
        self._store()
        records, forget = _mapped(self._file, self._dtype)
        return RecordColumns.of(records, self._kept, forget)


def _mapped(file: IO[bytes], dtype: np.dtype[Any]) -> tuple[Records, Forget]:
    """The records of a file, without copying, and what lets go of their memory."""
    file.flush()
    # Written to by nobody but, perhaps, the reader: such pages become memory of its own.
    mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    return np.frombuffer(mapped, dtype), partial(_forget, mapped)


def _forget(mapped: mmap.mmap, first: int, count: int) -> None:
    """Lets go of whole pages up to the end of these bytes; they are in a file."""
    page = mmap.PAGESIZE
    begin, end = first // page * page, (first + count) // page * page
    if end > begin and hasattr(mmap, "MADV_DONTNEED"):
        mapped.madvise(mmap.MADV_DONTNEED, begin, end - begin)
