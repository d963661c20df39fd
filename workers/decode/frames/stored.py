"""Frames of a plain pcap or pcapng file by their numbers, with what their interfaces and options say."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from workers.decode.frame_places import NotWalkable
from workers.decode.interfaces import Interface
from workers.decode.pcap_variants import HEADER_BYTES, read_variant
from workers.decode.pcapng_blocks import (
    INTERFACE,
    SECTION_HEADER,
    TAKES_A_FRAME_NUMBER,
    options,
    read_interface,
)

_OBSOLETE, _SIMPLE, _ENHANCED = 2, 3, 6
_VARIANT_BYTES: Final = 1 << 20
NS_PER_S: Final = 1_000_000_000

Option = tuple[int, bytes]


@dataclass(frozen=True)
class StoredInterface:
    """An interface of the file and its options, numbers in them little-endian."""

    interface: Interface
    options: tuple[Option, ...] = ()


@dataclass(frozen=True)
class StoredFrame:
    """One frame as it lies in the file."""

    number: int
    interface: StoredInterface
    ticks: int
    """Time stamp in units of the interface's resolution."""
    original_bytes: int
    data: bytes
    options: tuple[Option, ...] = ()

    @property
    def time_ns(self) -> int:
        """UTC, ns since 1970."""
        resolution = self.interface.interface.resolution
        exponent = resolution & 0x7F
        units = 1 << exponent if resolution & 0x80 else 10**exponent
        whole = self.ticks * NS_PER_S // units
        return whole + self.interface.interface.offset_s * NS_PER_S


_NUMERIC: Final = {
    "interface": {8: 8, 13: 1, 14: 8, 16: 8, 17: 8},
    "frame": {2: 4, 4: 8, 5: 8, 6: 4},
}
"""Options that are one number: code -> bytes (draft-ietf-opsawg-pcapng)."""


def _little(found: Iterator[Option], kind: str, order: str) -> tuple[Option, ...]:
    sizes = _NUMERIC[kind]
    return tuple(
        (code, value[::-1] if order == ">" and sizes.get(code) == len(value) else value)
        for code, value in found
    )


@contextmanager
def mapped(path: Path) -> Iterator[mmap.mmap]:
    """The bytes of a file; raises NotWalkable for an empty one."""
    if path.stat().st_size == 0:
        raise NotWalkable("the file is empty")
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        yield data


def frames_at(data: mmap.mmap, wanted: Sequence[int]) -> Iterator[StoredFrame]:
    """The frames with these numbers (ascending); ends at the first damage, or behind the last of them."""
    if not wanted:
        return
    numbers = iter(wanted)
    following = next(numbers)
    for frame in _walk(data, _Wanted(wanted)):
        if frame.number == following:
            yield frame
            following = next(numbers, -1)
            if following < 0:
                return


@dataclass
class _Wanted:
    """Whether a frame is to be read: those between are passed by."""

    numbers: Sequence[int]
    at: int = 0

    def __contains__(self, number: int) -> bool:
        while self.at < len(self.numbers) and self.numbers[self.at] < number:
            self.at += 1
        return self.at < len(self.numbers) and self.numbers[self.at] == number


def _walk(data: mmap.mmap, wanted: _Wanted) -> Iterator[StoredFrame]:
    if data[:4] == b"\x0a\x0d\x0d\x0a":
        return _Pcapng(data, wanted).walk()
    return _walk_pcap(data, wanted)


def _walk_pcap(data: mmap.mmap, wanted: _Wanted) -> Iterator[StoredFrame]:
    if len(data) < HEADER_BYTES:
        return
    variant = read_variant(memoryview(data[:_VARIANT_BYTES]))
    units = NS_PER_S // variant.fraction_ns
    interface = Interface(
        0, 0, variant.link_type, variant.snap_length, resolution=6 if units == 1_000_000 else 9
    )
    interface.stated_snap_length = variant.snap_length
    stored = StoredInterface(interface)
    read = struct.Struct((">" if variant.big else "<") + "IIII").unpack_from
    at, number, size = variant.first_record, 0, len(data)
    while at + 16 <= size:
        seconds, fraction, captured, original = read(data, at)
        begin, at = at + 16, at + 16 + captured
        if at > size:
            return
        number += 1
        if number in wanted:
            yield StoredFrame(number, stored, seconds * units + fraction, original, data[begin:at])


@dataclass
class _Pcapng:
    data: mmap.mmap
    wanted: _Wanted
    order: str = "<"
    interfaces: list[StoredInterface] = field(default_factory=list)
    """Of the present section."""
    count: int = 0
    """Interfaces of all sections so far."""

    def walk(self) -> Iterator[StoredFrame]:
        data, at, number, size = self.data, 0, 0, len(self.data)
        while at + 12 <= size:
            if data[at : at + 4] == b"\x0a\x0d\x0d\x0a":
                self.order = "<" if data[at + 8 : at + 12] == b"\x4d\x3c\x2b\x1a" else ">"
            kind, length = struct.unpack_from(self.order + "II", data, at)
            if length < 12 or length % 4 or at + length > size:
                return
            if kind in (_ENHANCED, _OBSOLETE, _SIMPLE):
                number += 1
                if number in self.wanted:
                    yield self._frame(kind, number, at + 8, at + length - 4)
            elif kind in TAKES_A_FRAME_NUMBER:
                number += 1
            elif kind in (SECTION_HEADER, INTERFACE):
                self._take(kind, data[at + 8 : at + length - 4])
            at += length

    def _take(self, kind: int, body: bytes) -> None:
        if kind == SECTION_HEADER:
            self.interfaces = []
        elif len(body) >= 8:
            interface = read_interface(body, self.order, self.count, 0)
            found = _little(options(body[8:], self.order), "interface", self.order)
            self.interfaces.append(StoredInterface(interface, found))
            self.count += 1

    def _frame(self, kind: int, number: int, at: int, end: int) -> StoredFrame:
        if kind == _SIMPLE:
            original = struct.unpack_from(self.order + "I", self.data, at)[0]
            return StoredFrame(
                number, self._interface(0), 0, original, self.data[at + 4 : min(end, at + 4 + original)]
            )
        form = "I" if kind == _ENHANCED else "Hxx"
        index, high, low, captured, original = struct.unpack_from(f"{self.order}{form}IIII", self.data, at)
        begin = at + 20
        stop = min(begin + captured, end)
        found = _little(
            options(self.data[begin + (captured + 3 & ~3) : end], self.order), "frame", self.order
        )
        return StoredFrame(
            number, self._interface(index), high << 32 | low, original, self.data[begin:stop], found
        )

    def _interface(self, index: int) -> StoredInterface:
        if index >= len(self.interfaces):
            raise NotWalkable(f"a frame names interface {index}, which the file does not describe")
        return self.interfaces[index]
