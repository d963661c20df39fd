"""How much room the disk has, and who may take how much of it.

Uploads stop at the reserve; what analyses write stops at half of it, so that the database always finds room for rows.
"""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from backend.errors import DiskFull

_SHARE_OF_DISK: Final = 20
_RESERVE_AT_MOST_BYTES: Final = 4 << 30
FULL: Final = "The disk is full"
_NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT})


@dataclass(frozen=True)
class Room:
    """The disk of one folder."""

    total_bytes: int
    free_bytes: int
    """As far as this user may use it."""
    reserve_bytes: int

    @property
    def is_low(self) -> bool:
        """Whether uploads are refused."""
        return self.free_bytes < self.reserve_bytes

    def require(self, needed_bytes: int) -> None:
        """Raises DiskFull where an upload of that size would leave less than the reserve."""
        if self.free_bytes - needed_bytes < self.reserve_bytes:
            raise _disk_full("The disk has no room for this", self, needed_bytes, self.reserve_bytes)

    def lack_for_work(self, needed_bytes: int = 0) -> str:
        """For what an analysis writes, which may take half of the reserve: why it may not, empty when it may."""
        floor_bytes = self.reserve_bytes // 2
        if self.free_bytes - needed_bytes >= floor_bytes:
            return ""
        return f"{FULL} ({_numbers(self, needed_bytes or None, floor_bytes)})."


def room_at(folder: Path, reserve_bytes: int = 0) -> Room:
    """Of the disk that `folder` is on; a reserve of 0 is a twentieth of that disk, at most 4 GiB."""
    usage = os.statvfs(folder)
    total_bytes = usage.f_blocks * usage.f_frsize
    reserve_bytes = reserve_bytes or min(total_bytes // _SHARE_OF_DISK, _RESERVE_AT_MOST_BYTES)
    return Room(total_bytes, usage.f_bavail * usage.f_frsize, reserve_bytes)


def is_disk_full(error: BaseException) -> bool:
    """Whether the system refused to write for want of room."""
    if isinstance(error, OSError) and error.errno in _NO_ROOM:
        return True
    # DuckDB and Arrow give the system's words without its number.
    return os.strerror(errno.ENOSPC) in str(error)


def full_disk(room: Room) -> DiskFull:
    """The error for a write that the system refused."""
    return _disk_full(FULL, room, None, room.reserve_bytes)


def size_text(size_bytes: int) -> str:
    """Bytes in the unit that gives the fewest digits before the point."""
    size = float(size_bytes)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(size) < 1024:
            return f"{size:,.0f} {unit}" if unit == "B" else f"{size:,.1f} {unit}"
        size /= 1024
    return f"{size:,.1f} TiB"


def says_disk_full(sentence: str) -> bool:
    """Whether work ended for want of room; from a child comes a sentence alone."""
    return FULL in sentence


def _numbers(room: Room, needed_bytes: int | None, floor_bytes: int) -> str:
    needs = "" if needed_bytes is None else f"{size_text(needed_bytes)} needed, "
    return f"{needs}{size_text(room.free_bytes)} free, {size_text(floor_bytes)} reserved"


def _disk_full(what: str, room: Room, needed_bytes: int | None, floor_bytes: int) -> DiskFull:
    numbers = _numbers(room, needed_bytes, floor_bytes)
    return DiskFull(
        f"{what} ({numbers}). Delete investigations, or free space on the server's disk, and try again.",
        needed_bytes=needed_bytes,
        free_bytes=room.free_bytes,
        reserve_bytes=floor_bytes,
    )
