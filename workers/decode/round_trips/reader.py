"""Round trips of a capture: samples batch by batch, and keeps the rows for this process or in a Parquet file."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa

from backend.forensics.messages import HeldMessages, MessageTable
from backend.forensics.round_trips import ROUND_TRIP_SCHEMA
from workers.decode.growing import GrowingRecords, Records, fill_columns
from workers.decode.messages.reader import Output, StoredMessages
from workers.decode.round_trips.record_file import RecordFile
from workers.decode.round_trips.sampling import SAMPLER_DTYPE, sample_rows

_NAME: Final = "round_trips"
_SPLIT: Final = {field.name: "BYTE_STREAM_SPLIT" for field in ROUND_TRIP_SCHEMA if field.type.bit_width > 8}
"""As for the packet table: a third of the time that dictionaries take, and smaller."""


def load_round_trips(folder: Path) -> MessageTable:
    """The table that decoding left in `folder`; an empty one where an earlier version left none."""
    path = folder / f"{_NAME}.parquet"
    return StoredMessages(path) if path.is_file() else HeldMessages(ROUND_TRIP_SCHEMA.empty_table())


class RoundTripReader:
    """Takes the samples of a capture, one batch of packet rows after the other."""

    def __init__(self, folder: Path | None) -> None:
        """`folder` receives the Parquet file; without it the table is kept for this process only."""
        self._memory = GrowingRecords(SAMPLER_DTYPE, 1)
        self._output = RecordFile() if folder is None else _ParquetFile(folder)

    def take(self, rows: Records, connections: Records) -> None:
        """Samples a batch, in file order, before its rows are given away."""
        sampler = self._memory.array
        sample_rows(sampler, rows, connections)
        count = int(sampler[0]["samples"])
        if count:
            self._output.append(sampler["rows"][0][:count])
            sampler["samples"] = 0

    def finish(self) -> MessageTable:
        """The complete table."""
        return self._output.finish() if isinstance(self._output, _ParquetFile) else self._output

    def abandon(self) -> None:
        """Leaves no file."""
        self._output.close()


class _ParquetFile:
    """The table on its way into a folder."""

    def __init__(self, folder: Path) -> None:
        self._output = Output(_NAME, ROUND_TRIP_SCHEMA, folder, split=_SPLIT)

    def append(self, records: Records) -> None:
        """Turns records into columns."""
        columns = {name: np.empty(len(records), records.dtype[name]) for name in ROUND_TRIP_SCHEMA.names}
        fill_columns(columns, 0, records)
        arrays = [pa.array(column) for column in columns.values()]
        self._output.add(pa.RecordBatch.from_arrays(arrays, schema=ROUND_TRIP_SCHEMA))

    def finish(self) -> MessageTable:
        """The complete table."""
        return self._output.finish()

    def close(self) -> None:
        """Leaves no file."""
        self._output.abandon()
