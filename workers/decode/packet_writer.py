"""Writes the packet table to Parquet in a thread of its own, while the loop (which holds no lock) goes on."""

from __future__ import annotations

import queue
import threading
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from backend.forensics.packets import PACKET_DTYPE
from workers.decode.tables import Records

_BLOCK_ROWS: Final = 2048
"""Rows turned into columns at a time: what fits the processor's cache."""

_DICTIONARY: Final = [
    "vantage", "source_high", "source_low", "destination_high", "destination_low", "destination_port",
    "protocol", "ip_version", "ttl", "layers", "tcp_flags", "options_hash", "mss", "icmp_type", "icmp_code", "vlan",
    "marks", "direction_hint",
]  # fmt: skip
"""Columns of few different values."""

PACKET_SCHEMA: Final = pa.schema(
    [(name, pa.from_numpy_dtype(PACKET_DTYPE[name])) for name in PACKET_DTYPE.names or ()]
)


def _columns(batch: Records) -> pa.Table:
    names = PACKET_DTYPE.names or ()
    columns = {name: np.empty(len(batch), PACKET_DTYPE[name]) for name in names}
    for start in range(0, len(batch), _BLOCK_ROWS):
        block = batch[start : start + _BLOCK_ROWS]
        for name in names:
            columns[name][start : start + len(block)] = block[name]
    return pa.Table.from_arrays([pa.array(columns[name]) for name in names], schema=PACKET_SCHEMA)


class PacketWriter:
    """Takes batches of rows and hands back emptied arrays to fill. `path` appears only once it is complete."""

    def __init__(self, path: Path, spare: Records) -> None:
        self._path = path
        self._partial = path.with_name(f".{path.name}.partial")
        self._batches: queue.Queue[tuple[Records, int] | None] = queue.Queue(maxsize=1)
        self._empty: queue.Queue[Records] = queue.Queue()
        self._empty.put(spare)
        self._error: BaseException | None = None
        self._writer = pq.ParquetWriter(
            self._partial,
            PACKET_SCHEMA,
            compression="zstd",
            compression_level=1,
            use_dictionary=_DICTIONARY,
            write_statistics=True,
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
                    self._writer.write_table(_columns(rows[:used]))
                except BaseException as error:  # handed to the decoding thread
                    self._error = error
            rows[:used].view(np.uint8).fill(0)
            self._empty.put(rows)

    def swap(self, rows: Records, used: int) -> Records:
        """Queues `rows[:used]` and returns a zeroed array of the same size; raises what the writing raised."""
        if self._error is not None:
            raise self._error
        self._batches.put((rows, used))
        return self._empty.get()

    def _stop(self) -> None:
        self._batches.put(None)
        self._thread.join()
        self._writer.close()

    def finish(self) -> None:
        """Waits for what is queued and puts the file in its place."""
        self._stop()
        if self._error is not None:
            self._partial.unlink(missing_ok=True)
            raise self._error
        self._partial.replace(self._path)

    def abandon(self) -> None:
        """Stops and leaves no file."""
        self._stop()
        self._partial.unlink(missing_ok=True)
