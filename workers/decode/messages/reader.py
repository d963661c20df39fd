"""Messages of a capture: reads what the loop noticed, and keeps the rows in memory or in Parquet files."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from backend.forensics.messages import (
    DTYPES,
    HeldMessages,
    Messages,
    MessageTable,
    message_schema,
)
from workers.decode.growing import Records
from workers.decode.loop.message_records import BATCH, TEXT_NAMES, TEXT_PLACES
from workers.decode.messages.entry import read_messages
from workers.decode.tables import Tables

if TYPE_CHECKING:
    import pyarrow.parquet as pq

HELD_BYTES: Final = 16 << 20
"""Tables up to this size stay in memory when no folder is given; larger ones go to a temporary file."""
_FILES: Final = {name: f"{name}.parquet" for name in DTYPES}


def _split(schema: pa.Schema) -> dict[str, str]:
    """Encodings: a third of the time that dictionaries take, and smaller."""
    return {
        each.name: "BYTE_STREAM_SPLIT"
        for each in schema
        if pa.types.is_integer(each.type) and each.type.bit_width > 8
    }


class StoredMessages:
    """A table in a Parquet file, read in columns and parts."""

    def __init__(self, path: Path, keeps: object = None) -> None:
        import pyarrow.parquet as pq

        self._path = path
        self._keeps = keeps  # a temporary folder lives as long as its tables
        self._rows = int(pq.ParquetFile(path).metadata.num_rows)

    @property
    def rows(self) -> int:
        """How many there are."""
        return self._rows

    def read(self, columns: Sequence[str]) -> pa.Table:
        """These columns of all rows."""
        import pyarrow.parquet as pq

        return pq.ParquetFile(self._path).read(columns=list(columns))

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """The same in parts."""
        import pyarrow.parquet as pq

        yield from pq.ParquetFile(self._path).iter_batches(columns=list(columns))


def load_messages(folder: Path) -> Messages:
    """The tables that decoding left in `folder`; empty ones where an earlier version left none."""
    stored = {name: folder / file for name, file in _FILES.items()}
    return Messages(**{name: StoredMessages(path) for name, path in stored.items() if path.is_file()})


class Scratch:
    """A temporary folder that is removed when nobody needs it any more, at the latest when the process ends."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="stallscope-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


class Output:
    """One table on its way: batches in memory until they are many, then a file."""

    def __init__(self, name: str, schema: pa.Schema, folder: Path | None) -> None:
        """Such tables may have a row for every packet, and are written and compressed as quickly as can be: numbers
        in split bytes in place of dictionaries. Of frames there are statistics: rows are looked up by them."""
        self._options: dict[str, Any] = {
            "compression": "lz4", "column_encoding": _split(schema),
            "use_dictionary": [each.name for each in schema if pa.types.is_string(each.type)],
            "write_statistics": [each.name for each in schema if each.name.endswith("frame")],
        }  # fmt: skip
        self._file = f"{name}.parquet"
        self._folder = folder
        self._schema = schema
        self._held: list[pa.RecordBatch] = []
        self._held_bytes = 0
        self._writer: pq.ParquetWriter | None = None
        self._temporary: Scratch | None = None
        self._path = Path()

    def add(self, batch: pa.RecordBatch) -> None:
        """Takes a batch, which must not change afterwards."""
        if batch.num_rows == 0:
            return
        self._held.append(batch)
        self._held_bytes += batch.nbytes
        if self._held_bytes > HELD_BYTES:
            self._write()

    def _write(self) -> None:
        import pyarrow.parquet as pq

        if self._writer is None:
            folder = self._folder
            if folder is None:
                self._temporary = Scratch()
                folder = self._temporary.path
            self._path = folder / self._file
            self._writer = pq.ParquetWriter(self._path, self._schema, **self._options)
        self._writer.write_table(pa.Table.from_batches(self._held, self._schema))
        self._held, self._held_bytes = [], 0

    def finish(self) -> MessageTable:
        """The complete table."""
        if self._folder is None and self._writer is None:
            return HeldMessages(pa.Table.from_batches(self._held, self._schema))
        self._write()
        assert self._writer is not None
        self._writer.close()
        return StoredMessages(self._path, self._temporary)

    def abandon(self) -> None:
        """Leaves no file."""
        if self._writer is not None:
            self._writer.close()
            self._path.unlink(missing_ok=True)


class MessageReader:
    """Reads messages batch by batch and collects their rows."""

    def __init__(self, tables: Tables, folder: Path | None) -> None:
        """`folder` receives a Parquet file a kind of message; None keeps them in memory or a temporary file."""
        self._tables = tables
        self._outputs = {name: Output(name, message_schema(name), folder) for name in DTYPES}

    @property
    def _state(self) -> np.void:
        state: np.void = self._tables.memory["states"][0, 0]
        return state

    def _rows(self, name: str) -> Records:
        """The filled rows of a table."""
        rows: Records = self._tables.memory[name][0][: int(self._state[name])]
        return rows

    def read(self, buffer: NDArray[np.uint8]) -> None:
        """Reads what the loop has noticed in `buffer`; to be called before buffer or rows change."""
        self._take("icmp_errors")
        self._take("neighbors")
        self._take("wrong_checksums")
        if self._state["pieces"]:
            self._read(buffer, False)

    def _read(self, buffer: NDArray[np.uint8], is_end: bool) -> None:
        tables = self._tables
        read_messages(tables.memory, buffer, tables.rows, tables.connections, is_end)
        while self._state["full"]:
            self._empty()
            read_messages(tables.memory, buffer, tables.rows, tables.connections, is_end)

    def _empty(self) -> None:
        """Moves the filled rows to the outputs."""
        for name in DTYPES:
            self._take(name)

    def _take(self, name: str) -> None:
        rows = self._rows(name)
        if len(rows):
            self._outputs[name].add(self._batch(name, rows))
            self._state[name] = 0

    def _batch(self, name: str, rows: Records) -> pa.RecordBatch:
        columns = [pa.array(np.ascontiguousarray(rows[field])) for field in rows.dtype.names or ()]
        for number, (table, _) in enumerate(TEXT_NAMES):
            if table == name:
                columns.append(self._texts(number, len(rows)))
        return pa.RecordBatch.from_arrays(columns, schema=message_schema(name))

    def _texts(self, column: int, rows: int) -> pa.Array:
        """A text column: the offsets and bytes are those that the loop wrote, moved as a whole."""
        offsets = self._tables.memory["offsets"][0, column, : rows + 1].copy()
        start = BATCH * int(TEXT_PLACES[column])
        data = self._tables.memory["arena"][0, start : start + int(offsets[-1])].tobytes()
        return pa.StringArray.from_buffers(rows, pa.py_buffer(offsets), pa.py_buffer(data))

    def finish(self) -> Messages:
        """Ends what is open; the tables."""
        self._read(np.zeros(1, np.uint8), True)
        self._empty()
        return Messages(**{name: output.finish() for name, output in self._outputs.items()})

    def abandon(self) -> None:
        """Leaves no file."""
        for output in self._outputs.values():
            output.abandon()

    def warnings(self) -> list[str]:
        """Sentences for the user about messages that are missing from the tables."""
        state = self._state
        said = []
        if state["forgotten"]:
            said.append(
                f"{int(state['forgotten']):,} HTTP requests were not matched with their responses: more were "
                "pending at once than are tracked."
            )
        if state["malformed_dns"]:
            said.append(f"{int(state['malformed_dns']):,} messages on port 53 are not well-formed DNS.")
        return said
