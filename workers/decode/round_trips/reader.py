"""Round trips of a capture: samples batch by batch, and keeps the rows for this process or in a Parquet file."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pyarrow as pa

from backend.forensics.messages import HeldMessages, MessageTable
from backend.forensics.round_trips import ROUND_TRIP_SCHEMA
from workers.decode.growing import Records
from workers.decode.loop.records import BATCH_ROWS
from workers.decode.messages.reader import Output, StoredMessages
from workers.decode.round_trips.packed_file import UNPACKED_ROWS, PackedFile, Unpacker, wholes_in
from workers.decode.tables import Tables

_NAME: Final = "round_trips"


def load_round_trips(folder: Path) -> MessageTable:
    """The table that decoding left in `folder`; an empty one where an earlier version left none."""
    path = folder / f"{_NAME}.parquet"
    return StoredMessages(path) if path.is_file() else HeldMessages(ROUND_TRIP_SCHEMA.empty_table())


class RoundTripReader:
    """Takes away the samples that the loop has found."""

    def __init__(self, tables: Tables, folder: Path | None) -> None:
        """`folder` receives the Parquet file; without it the table is kept for this process only."""
        self._tables = tables
        self._output = PackedFile() if folder is None else _ParquetFile(folder)

    def take(self) -> None:
        """To be called once a batch, before the loop goes on: it needs room for one sample a packet."""
        if int(self._tables.sampler[0]["samples"]) + len(self._tables.rows) > BATCH_ROWS:
            self._empty()

    def _empty(self) -> None:
        sampler = self._tables.sampler
        packed, whole = (
            sampler[name][0][: int(sampler[0][count])]
            for name, count in (("rows", "samples"), ("whole", "wholes"))
        )
        self._output.append(packed, whole, self._tables.connections)
        sampler["samples"] = sampler["wholes"] = 0

    def finish(self) -> MessageTable:
        """The complete table; its rows name connections of the table as it is now."""
        self._empty()
        if isinstance(self._output, _ParquetFile):
            return self._output.finish()
        self._tables.finish_connections()
        return self._output.finish(self._tables.used_connections())

    def abandon(self) -> None:
        """Leaves no file."""
        self._output.close()


class _ParquetFile:
    """The table on its way into a folder."""

    def __init__(self, folder: Path) -> None:
        self._output = Output(_NAME, ROUND_TRIP_SCHEMA, folder)
        self._unpacker = Unpacker()

    def append(self, packed: Records, whole: Records, connections: Records) -> None:
        """Turns samples into columns."""
        for first in range(0, len(packed), UNPACKED_ROWS):
            part = packed[first : first + UNPACKED_ROWS]
            columns = self._unpacker.columns(part, whole, connections, ROUND_TRIP_SCHEMA.names)
            whole = whole[wholes_in(part) :]
            arrays = [pa.array(column) for column in columns]
            self._output.add(pa.RecordBatch.from_arrays(arrays, schema=ROUND_TRIP_SCHEMA))

    def finish(self) -> MessageTable:
        """The complete table."""
        return self._output.finish()

    def close(self) -> None:
        """Leaves no file."""
        self._output.abandon()
