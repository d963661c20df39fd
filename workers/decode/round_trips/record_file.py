"""Samples as the compiled pass leaves them: in memory while they are few, then in a file without a name.

Turning millions of rows into columns and those into Parquet took twice the time of finding them. A table that only
this process reads, and of which it asks a few columns once or twice, needs neither."""

from __future__ import annotations

import tempfile
import threading
import weakref
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import pyarrow as pa

from backend.forensics.round_trips import ROUND_TRIP_DTYPE
from workers.decode.growing import Records, fill_columns
from workers.decode.messages.reader import HELD_BYTES

BATCH_ROWS: Final = 1 << 16


class RecordFile:
    """A table of ROUND_TRIP_DTYPE records, appended in batches and then read in columns."""

    def __init__(self, held_bytes: int = HELD_BYTES) -> None:
        """Up to `held_bytes` stay in memory."""
        # It has no name: at the latest the process takes it along when it ends.
        self._file = tempfile.SpooledTemporaryFile(max_size=held_bytes)  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self._lock = threading.Lock()  # between moving to a place and reading there
        self._rows = 0

    def append(self, records: Records) -> None:
        """Copies the records, which lie in one piece. Raises OSError, for instance when the disk is full."""
        self._file.write(records.view(np.uint8).data)
        self._rows += len(records)

    @property
    def rows(self) -> int:
        """How many there are."""
        return self._rows

    def _records(self, first: int) -> Records:
        size = ROUND_TRIP_DTYPE.itemsize
        with self._lock:
            self._file.seek(first * size)
            read = self._file.read(min(BATCH_ROWS, self._rows - first) * size)
        return np.frombuffer(read, ROUND_TRIP_DTYPE)

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """These columns in parts."""
        for first in range(0, self._rows, BATCH_ROWS):
            records = self._records(first)
            filled = {name: np.empty(len(records), records.dtype[name]) for name in columns}
            fill_columns(filled, 0, records)
            yield pa.RecordBatch.from_arrays([pa.array(c) for c in filled.values()], names=list(columns))

    def read(self, columns: Sequence[str]) -> pa.Table:
        """These columns of all rows."""
        fields = [(name, pa.from_numpy_dtype(ROUND_TRIP_DTYPE[name])) for name in columns]
        return pa.Table.from_batches(self.batches(columns), pa.schema(fields))

    def close(self) -> None:
        """Gives up memory and file."""
        self._file.close()
