"""Questions to the packet tables of one investigation: DuckDB over Parquet, and nothing but that folder.

Each request gets a connection of its own, in memory, that can read this investigation's folder and no other file,
load no extension, and change none of these settings. Values reach a query as bound parameters only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

MEMORY_LIMIT = "512MB"
THREADS = 2

Row = tuple[Any, ...]
Value = int | float | str | None | Sequence[int] | Sequence[str]


class PacketQuery:
    """An open connection; table arguments are paths of Parquet files below the folder."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def rows(self, sql: str, parameters: Sequence[Value] = ()) -> list[Row]:
        """All rows of an answer; `sql` is text of this package, never of a request."""
        return self._connection.execute(sql, list(parameters)).fetchall()

    def dicts(self, sql: str, parameters: Sequence[Value] = ()) -> list[dict[str, Any]]:
        """All rows of an answer by column name."""
        found = self._connection.execute(sql, list(parameters))
        names = [column[0] for column in found.description or ()]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

    def value(self, sql: str, parameters: Sequence[Value] = ()) -> Any:
        """The single value of an answer, None when there is no row."""
        found = self.rows(sql, parameters)
        return found[0][0] if found else None


@contextmanager
def open_packets(folder: Path) -> Iterator[PacketQuery]:
    """A connection that can read this folder only."""
    connection = duckdb.connect(":memory:")
    try:
        allowed = str(folder.resolve()).replace("'", "''")
        for setting in (
            f"allowed_directories=['{allowed}/']",
            "enable_external_access=false",
            "autoinstall_known_extensions=false",
            "autoload_known_extensions=false",
            f"threads={THREADS}",
            f"memory_limit='{MEMORY_LIMIT}'",
            "lock_configuration=true",
        ):
            connection.execute(f"SET {setting}")
        yield PacketQuery(connection)
    finally:
        connection.close()
