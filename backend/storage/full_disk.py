"""What a full disk is to a database, and a file that keeps room for its last rows."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import psycopg
from sqlalchemy.exc import DBAPIError

from backend.disk_space import full_disk, is_disk_full, room_at
from backend.errors import DiskFull
from backend.storage.sqlite_files import sqlite_file

_SQLITE_WITHOUT_ROOM: Final = frozenset(
    {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY}
)
"""Primary result codes of an index of the log that cannot grow, or files that cannot be made."""
_PRIMARY_CODE: Final = 0xFF
_POSTGRES_FULL: Final = "53100"
_NOTHING_BYTES: Final = 1 << 20
_SPARE_AT_MOST_BYTES: Final = 32 << 20
_SPARE_AT_LEAST_BYTES: Final = 2 << 20


def sqlite_folder(url: str) -> Path | None:
    """Of the file that an SQLAlchemy address names, None for a server's."""
    file = sqlite_file(url)
    return file.parent if file is not None else None


@contextmanager
def full_disk_reported(folder: Path | None) -> Iterator[None]:
    """Around a use of the database: raises DiskFull where that is why it failed. `folder` is that of an SQLite file."""
    try:
        yield
    except DBAPIError as error:
        if not _is_full(error.orig, folder):
            raise
        raise (DiskFull() if folder is None else full_disk(room_at(folder))) from error


def _is_full(cause: BaseException | None, folder: Path | None) -> bool:
    if isinstance(cause, psycopg.Error):
        return cause.sqlstate == _POSTGRES_FULL
    if not isinstance(cause, sqlite3.Error):
        return False
    code = getattr(cause, "sqlite_errorcode", 0) & _PRIMARY_CODE
    if code == sqlite3.SQLITE_FULL:
        return True
    if code not in _SQLITE_WITHOUT_ROOM or folder is None:
        return False
    try:
        return room_at(folder).free_bytes < _NOTHING_BYTES
    except OSError:
        return False  # a folder that is away is not full


class SpareRoom:
    """A file of nothing, given up where something is deleted on a full disk: deleting rows writes, too."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / "spare-room"

    def keep(self) -> bool:
        """Make the file where there is room for it; whether it is there."""
        size_bytes = self._size_bytes()
        with suppress(FileNotFoundError):
            if self._path.stat().st_size >= size_bytes:
                return True
        if room_at(self._folder).free_bytes < 2 * size_bytes:
            return False
        try:
            with self._path.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, size_bytes)
        except OSError as error:
            self._path.unlink(missing_ok=True)
            if not is_disk_full(error):
                raise
            return False
        return True

    @contextmanager
    def given_up(self) -> Iterator[None]:
        """Around what has to work on a full disk."""
        if room_at(self._folder).free_bytes < self._size_bytes():
            self._path.unlink(missing_ok=True)
        try:
            yield
        finally:
            self.keep()

    def _size_bytes(self) -> int:
        share = room_at(self._folder).total_bytes // 64
        return max(_SPARE_AT_LEAST_BYTES, min(share, _SPARE_AT_MOST_BYTES))
