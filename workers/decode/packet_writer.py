"""Writes the packet table to Parquet in a thread of its own, while the loop (which holds no lock) goes on."""

from __future__ import annotations

import queue
import threading
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa

from backend.forensics.packets import PACKET_DTYPE
from workers.decode.growing import Columns, Records

_GROUP_ROWS: Final = 1 << 19
"""Rows per row group."""

_PAGE_BYTES: Final = 1 << 18

_NAMES: Final = PACKET_DTYPE.names or ()

PACKET_SCHEMA: Final = pa.schema(
    [pa.field(name, pa.from_numpy_dtype(PACKET_DTYPE[name]), nullable=False) for name in _NAMES]
)
"""No value is ever missing, so none is written that says which are there."""

_ENCODING: Final = {name: "BYTE_STREAM_SPLIT" for name in _NAMES if PACKET_DTYPE[name].itemsize > 1}
"""The bytes of one place side by side: a third less time than dictionaries, and smaller. DuckDB reads it."""

_STATISTICS: Final = (
    "frame", "time_ns", "vantage", "connection", "source_high", "source_low", "destination_high",
    "destination_low", "source_port", "destination_port", "protocol", "layers", "tcp_flags", "tunnel", "marks",
)  # fmt: skip
"""Columns whose smallest and largest value a question may use to leave out row groups. Finding them costs time."""


class _RowGroup:
    """Columns of one row group, filled from batches of rows; the arrays are used again for the next."""

    def __init__(self) -> None:
        self._columns = Columns(PACKET_DTYPE, _NAMES, _GROUP_ROWS)
        self.used = 0

    def take(self, rows: Records) -> int:
        """Copies as many rows as there is room for; returns how many."""
        count = min(len(rows), _GROUP_ROWS - self.used)
        self._columns.fill(self.used, rows[:count])
        self.used += count
        return count

    def table(self) -> pa.Table:
        """The rows so far, without copying; empties the group."""
        arrays = [pa.array(column) for column in self._columns.arrays(self.used)]
        self.used = 0
        return pa.Table.from_arrays(arrays, schema=PACKET_SCHEMA)

    @property
    def full(self) -> bool:
        """Whether it must be written before it can take more."""
        return self.used == _GROUP_ROWS


class PacketWriter:
    """Takes batches of rows and hands back emptied arrays. `path` appears only once it is complete."""

    def __init__(self, path: Path, spare: Records) -> None:
        import pyarrow.parquet as pq

        self._path = path
        self._partial = path.with_name(f".{path.name}.partial")
        self._batches: queue.Queue[tuple[Records, int] | None] = queue.Queue(maxsize=1)
        self._empty: queue.Queue[Records] = queue.Queue()
        self._empty.put(spare)
        self._group = _RowGroup()
        self._error: BaseException | None = None
        self._writer = pq.ParquetWriter(
            self._partial,
            PACKET_SCHEMA,
            compression="lz4",  # zstd at its quickest level: 40 % more time for all of it, a fifth smaller
            use_dictionary=False,
            column_encoding=_ENCODING,
            write_statistics=list(_STATISTICS),
            data_page_size=_PAGE_BYTES,
        )
        self._thread = threading.Thread(target=self._run, name="packet-writer", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while True:
            item = self._batches.get()
            if item is None:
                return
            rows, used = item
            if self._error is None:
                try:
                    self._write(rows[:used])
                except BaseException as error:  # handed to the decoding thread
                    self._error = error
            rows[:used].view(np.uint8).fill(0)
            self._empty.put(rows)

    def _write(self, rows: Records) -> None:
        while len(rows):
            rows = rows[self._group.take(rows) :]
            if self._group.full:
                self._writer.write_table(self._group.table())

    def swap(self, rows: Records, used: int) -> Records:
        """Queues `rows[:used]` and returns a zeroed array as large; raises what the writing raised."""
        if self._error is not None:
            raise self._error
        self._batches.put((rows, used))
        return self._empty.get()

    def _stop(self, complete: bool = False) -> None:
        self._batches.put(None)
        self._thread.join()
        try:
            if complete and self._error is None and self._group.used:
                self._writer.write_table(self._group.table())
        finally:
            self._writer.close()

    def finish(self) -> None:
        """Waits for what is queued and puts the file in its place."""
        self._stop(complete=True)
        if self._error is not None:
            self._partial.unlink(missing_ok=True)
            raise self._error
        self._partial.replace(self._path)

    def abandon(self) -> None:
        """Stops and leaves no file."""
        self._stop()
        self._partial.unlink(missing_ok=True)
