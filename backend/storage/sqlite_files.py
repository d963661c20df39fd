"""The files of an SQLite database."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_BESIDE: Final = ("-wal", "-shm", "-journal")
"""Rows that are not in the file yet, their index, and rows as they were (sqlite.org/tempfiles.html)."""


def sqlite_file(url: str) -> Path | None:
    """What an SQLAlchemy address names, None for a server's."""
    if not url.startswith("sqlite"):
        return None
    return Path(url.partition(":///")[2].partition("?")[0].removeprefix("file:"))


def sqlite_files(url: str) -> tuple[Path, ...]:
    """That file and those that SQLite writes beside it, there or not; none for a server's."""
    file = sqlite_file(url)
    if file is None:
        return ()
    return (file, *(file.with_name(file.name + end) for end in _BESIDE))
