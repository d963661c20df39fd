"""Questions to the packet tables of one investigation: DuckDB over Parquet, and nothing but that folder.

Each request gets a connection of its own, in memory, that can read this investigation's folder and no other file,
load no extension, and change none of these settings. Values reach a query as bound parameters only. The requests
of one investigation share an instance: its threads and its memory.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

from backend.errors import Outdated

MEMORY_LIMIT = "512MB"
THREADS = 2
INSTANCES = 8
"""How many investigations' instances are kept open."""

_LACKING = (
    "No files found",
    "Referenced column",
    "not found in FROM clause",
    "cannot be referenced before it is defined",
    "aliases cannot be used as part of an expression",
)
"""How DuckDB names a file and a column that is not there; the last two where the query makes one of that name."""


class _Columns(dict[str, Any]):
    """A row by column name; a column that an older version did not write is reported as such."""

    def __missing__(self, name: str) -> Any:
        raise Outdated()


Row = tuple[Any, ...]
Value = int | float | str | None | Sequence[int] | Sequence[str]


class PacketQuery:
    """An open connection; table arguments are paths of Parquet files below the folder."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def rows(self, sql: str, parameters: Sequence[Value] = ()) -> list[Row]:
        """All rows of an answer; `sql` is text of this package, never of a request."""
        return self._execute(sql, parameters).fetchall()

    def dicts(self, sql: str, parameters: Sequence[Value] = ()) -> list[dict[str, Any]]:
        """All rows of an answer by column name; asking a row for another column raises Outdated."""
        found = self._execute(sql, parameters)
        names = [column[0] for column in found.description or ()]
        return [_Columns(zip(names, row, strict=True)) for row in found.fetchall()]

    def value(self, sql: str, parameters: Sequence[Value] = ()) -> Any:
        """The single value of an answer, None when there is no row."""
        found = self.rows(sql, parameters)
        return found[0][0] if found else None

    def _execute(self, sql: str, parameters: Sequence[Value]) -> duckdb.DuckDBPyConnection:
        """Raises Outdated where the folder lacks a table, or the table a column."""
        try:
            return self._connection.execute(sql, list(parameters))
        except (duckdb.IOException, duckdb.BinderException) as error:
            if any(sign in str(error) for sign in _LACKING):
                raise Outdated() from error
            raise


class _Instances:
    """DuckDB instances kept for the folders asked last: opening one costs more than most questions."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._held: OrderedDict[Path, duckdb.DuckDBPyConnection] = OrderedDict()

    def cursor(self, folder: Path) -> duckdb.DuckDBPyConnection:
        """A connection of its own, with the settings of the folder's instance."""
        with self._lock:
            instance = self._held.pop(folder, None) or _locked_instance(folder)
            self._held[folder] = instance
            if len(self._held) > self._limit:
                # Not closed, for that would close its cursors too: it ends with the last of them.
                self._held.popitem(last=False)
            return instance.cursor()


_instances = _Instances(INSTANCES)


def _locked_instance(folder: Path) -> duckdb.DuckDBPyConnection:
    instance = duckdb.connect(":memory:")
    allowed = str(folder).replace("'", "''")
    for setting in (
        f"allowed_directories=['{allowed}/']",
        "enable_external_access=false",
        "autoinstall_known_extensions=false",
        "autoload_known_extensions=false",
        # The operating system keeps the files' pages already, and knows when one was replaced.
        "enable_external_file_cache=false",
        f"threads={THREADS}",
        f"memory_limit='{MEMORY_LIMIT}'",
        "lock_configuration=true",
    ):
        instance.execute(f"SET {setting}")
    return instance


@contextmanager
def open_packets(folder: Path) -> Iterator[PacketQuery]:
    """A connection that can read this folder only."""
    connection = _instances.cursor(folder.resolve())
    try:
        yield PacketQuery(connection)
    finally:
        connection.close()
