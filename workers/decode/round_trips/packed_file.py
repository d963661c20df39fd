"""Samples as the loop packs them: in memory while they are few, then in files without a name.

Turning millions of rows into columns and those into Parquet took twice the time of finding them. A table that only
this process reads, and of which it asks a few columns once or twice, needs neither."""

from __future__ import annotations

import tempfile
import threading
import weakref
from collections.abc import Iterator, Sequence
from typing import IO, Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from backend.forensics.round_trips import ROUND_TRIP_DTYPE
from workers.decode.growing import Columns, Records
from workers.decode.messages.reader import HELD_BYTES
from workers.decode.round_trips.packing import CHAIN_DTYPE, PACKED_DTYPE, unpack_samples

UNPACKED_ROWS: Final = 1 << 16
"""Samples unpacked at a time."""


def wholes_in(packed: Records) -> int:
    """How many of these samples are kept whole."""
    return int(np.count_nonzero(packed["packed_kind"] == 0))


class Unpacker:
    """Unpacks samples part by part, from the first on."""

    def __init__(self) -> None:
        self._chain: Records = np.zeros(1, CHAIN_DTYPE)
        self._records: Records = np.empty(0, ROUND_TRIP_DTYPE)

    def columns(
        self, packed: Records, whole: Records, connections: Records, names: Sequence[str]
    ) -> list[NDArray[Any]]:
        """These columns of the next samples."""
        if len(self._records) < len(packed):
            self._records = np.empty(len(packed), ROUND_TRIP_DTYPE)
        records = self._records[: len(packed)]
        unpack_samples(self._chain, packed, whole, connections, records)
        filled = Columns(ROUND_TRIP_DTYPE, names, len(records))
        filled.fill(0, records)
        return filled.arrays(len(records))


class _Pieces:
    """Records appended, and read at any place."""

    def __init__(self, dtype: np.dtype[Any], held_bytes: int) -> None:
        self._dtype = dtype
        # It has no name: at the latest the process takes it along when it ends.
        self.file: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=held_bytes)  # noqa: SIM115
        self._lock = threading.Lock()  # between moving to a place and reading there
        self.count = 0

    def append(self, records: Records) -> None:
        self.file.write(records.view(np.uint8).data)
        self.count += len(records)

    def read(self, first: int, count: int) -> Records:
        size = self._dtype.itemsize
        with self._lock:
            self.file.seek(first * size)
            read = self.file.read(min(count, self.count - first) * size)
        return np.frombuffer(read, self._dtype)


class PackedFile:
    """A table of ROUND_TRIP_DTYPE, appended in batches and then read in columns."""

    def __init__(self, held_bytes: int = HELD_BYTES) -> None:
        """Up to `held_bytes` stay in memory."""
        self._packed, self._whole = _Pieces(PACKED_DTYPE, held_bytes), _Pieces(ROUND_TRIP_DTYPE, held_bytes)
        for pieces in (self._packed, self._whole):
            weakref.finalize(self, pieces.file.close)
        self._connections: Records | None = None

    def append(self, packed: Records, whole: Records, _connections: Records) -> None:
        """Copies samples, which lie in one piece. Raises OSError, for instance when the disk is full."""
        self._packed.append(packed)
        self._whole.append(whole)

    def finish(self, connections: Records) -> PackedFile:
        """Makes it a table whose rows belong to these connections (TRACKED_DTYPE)."""
        self._connections = connections
        return self

    @property
    def rows(self) -> int:
        """How many there are."""
        return self._packed.count

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """These columns in parts."""
        assert self._connections is not None
        unpacker, wholes = Unpacker(), 0
        for first in range(0, self.rows, UNPACKED_ROWS):
            packed = self._packed.read(first, UNPACKED_ROWS)
            whole = self._whole.read(wholes, wholes_in(packed))
            wholes += len(whole)
            filled = unpacker.columns(packed, whole, self._connections, columns)
            yield pa.RecordBatch.from_arrays([pa.array(column) for column in filled], names=list(columns))

    def read(self, columns: Sequence[str]) -> pa.Table:
        """These columns of all rows."""
        fields = [(name, pa.from_numpy_dtype(ROUND_TRIP_DTYPE[name])) for name in columns]
        return pa.Table.from_batches(self.batches(columns), pa.schema(fields))

    def close(self) -> None:
        """Gives up memory and files."""
        self._packed.file.close()
        self._whole.file.close()
