"""Writes frames as one pcapng section: interfaces, time stamps and comments as they were. Decryption secrets, names
and statistics of the sources are left out."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import BinaryIO, Final

from workers.decode.frames.stored import Option, StoredFrame, StoredInterface

_UNKNOWN_LENGTH: Final = 0xFFFFFFFFFFFFFFFF
_USER_APPLICATION, _NAME, _DESCRIPTION, _RESOLUTION = 4, 2, 3, 9
_MICROSECONDS: Final = 6


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def options_bytes(found: Iterable[Option]) -> bytes:
    listed = b"".join(struct.pack("<HH", code, len(value)) + _padded(value) for code, value in found)
    return listed + bytes(4) if listed else b""


def block(kind: int, body: bytes) -> bytes:
    length = len(body) + 12
    return struct.pack("<II", kind, length) + body + struct.pack("<I", length)


class PcapngFile:
    """A file that is being written; interfaces are described when their first frame comes."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._numbers: dict[tuple[str, int], int] = {}
        self.frames = 0
        head = struct.pack("<IHHQ", 0x1A2B3C4D, 1, 0, _UNKNOWN_LENGTH)
        file.write(block(0x0A0D0D0A, head + options_bytes([(_USER_APPLICATION, b"Stallscope")])))

    def write(self, source: str, frame: StoredFrame, notes: Sequence[str] = ()) -> None:
        """One frame of the file called `source`; notes become comments behind its own."""
        number = self._interface(source, frame.interface)
        head = struct.pack(
            "<IIIII",
            number,
            frame.ticks >> 32,
            frame.ticks & 0xFFFFFFFF,
            len(frame.data),
            max(frame.original_bytes, len(frame.data)),
        )
        listed = [*frame.options, *((1, note.encode()) for note in notes)]
        self._file.write(block(6, head + _padded(frame.data) + options_bytes(listed)))
        self.frames += 1

    def _interface(self, source: str, stored: StoredInterface) -> int:
        key = (source, stored.interface.number)
        if key not in self._numbers:
            self._numbers[key] = len(self._numbers)
            self._file.write(block(1, _description(source, stored)))
        return self._numbers[key]


def _description(source: str, stored: StoredInterface) -> bytes:
    interface = stored.interface
    found = list(stored.options)
    codes = {code for code, _ in found}
    if not codes & {_NAME, _DESCRIPTION}:
        found.insert(0, (_NAME, source.encode()))
    if _RESOLUTION not in codes and interface.resolution != _MICROSECONDS:
        found.append((_RESOLUTION, bytes([interface.resolution])))
    return struct.pack("<HHI", interface.link_type, 0, interface.stated_snap_length) + options_bytes(found)
