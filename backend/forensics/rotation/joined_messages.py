"""Message tables of parts, one after the other, read with the joined capture's numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pyarrow as pa

from backend.forensics.messages import MessageTable


class JoinedMessages:
    """A MessageTable; nothing is held in memory that its parts do not hold."""

    def __init__(
        self, tables: Sequence[MessageTable], renumber: Sequence[Callable[[pa.RecordBatch], pa.RecordBatch]]
    ) -> None:
        """`renumber` is beside `tables`; who sent a message is known only together with its connection."""
        self._tables = tables
        self._renumber = renumber

    @property
    def rows(self) -> int:
        """How many there are."""
        return sum(table.rows for table in self._tables)

    def read(self, columns: Sequence[str]) -> pa.Table:
        """These columns of all rows."""
        wanted = list(columns)
        tables = [
            pa.Table.from_batches([made(batch) for batch in read.to_batches()], schema=read.schema)
            for table, made in zip(self._tables, self._renumber, strict=True)
            for read in [table.read(_asked(wanted))]
        ]
        return pa.concat_tables(tables).select(wanted)

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """The same in parts."""
        wanted = list(columns)
        for table, made in zip(self._tables, self._renumber, strict=True):
            for batch in table.batches(_asked(wanted)):
                yield made(batch).select(wanted)


def _asked(columns: list[str]) -> list[str]:
    if "from_client" in columns and "connection" not in columns:
        return [*columns, "connection"]
    return columns
