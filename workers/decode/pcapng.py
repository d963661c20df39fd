"""pcapng: sections in either byte order, several interfaces with their own clocks, blocks of many kinds."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

from workers.decode.interfaces import LARGEST_PACKET, Interface
from workers.decode.loop.records import BAD_INTERFACE, BAD_LENGTH, NEED_BYTES, OTHER_BLOCK
from workers.decode.loop.walk import walk_pcapng
from workers.decode.reading import Reading

_SECTION_HEADER: Final = 0x0A0D0D0A
_INTERFACE: Final = 1
_STATISTICS: Final = 5
_IF_NAME, _IF_TSRESOL, _IF_TSOFFSET = 2, 9, 14
_ISB_IFDROP = 5
_MAX_INTERFACES: Final = 65536


def _options(body: bytes, order: str) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 4 <= len(body):
        code, length = struct.unpack_from(order + "HH", body, at)
        if code == 0 or at + 4 + length > len(body):
            return
        yield code, body[at + 4 : at + 4 + length]
        at += 4 + (length + 3 & ~3)


class PcapngReader:
    """Reads one pcapng file into a Reading."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.big = False
        self.section = -1
        self.interfaces: list[Interface] = []
        """Of the current section."""

    @property
    def order(self) -> str:
        """Byte order of the current section, for struct."""
        return ">" if self.big else "<"

    def read(self) -> None:
        """Reads all blocks to the end of the file or to where it is damaged."""
        reading, window = self.reading, self.reading.window
        window.refill(0)
        while True:
            walk_pcapng(window.buffer, window.end, self.big, LARGEST_PACKET, *reading.tables.arguments())
            reason = reading.state["reason"]
            if reason == NEED_BYTES:
                if not reading.read_on():
                    reading.check_tail()
                    return
            elif reason == OTHER_BLOCK:
                if not self._other_block():
                    return
            elif reason in (BAD_LENGTH, BAD_INTERFACE):
                self._damaged(int(reason))
                return
            else:
                reading.make_room()

    def _damaged(self, reason: int) -> None:
        if reason == BAD_LENGTH:
            self.reading.damaged_length()
        else:
            number = int(self.reading.state["detail"])
            self.reading.damaged(f"names interface {number:,}, which the file does not describe,")

    def _other_block(self) -> bool:
        """Reads the block at the current position; False when the file ends or is damaged there."""
        reading = self.reading
        at = int(reading.state["position"])
        kind = int.from_bytes(reading.window.buffer[at : at + 4].tobytes(), "big" if self.big else "little")
        if kind == _SECTION_HEADER and not self._set_order(at):
            reading.damaged("is a section header of no known byte order")
            return False
        length = self._length(at)
        if length < 12 or length & 3:
            reading.damaged(f"is in a block that claims {length:,} bytes")
            return False
        if kind not in (_SECTION_HEADER, _INTERFACE, _STATISTICS) or length > LARGEST_PACKET:
            return reading.skip(length)
        if at + length > reading.window.end:
            if not reading.read_on():
                reading.check_tail()
                return False
            return True
        self._take(kind, reading.window.buffer[at + 8 : at + length - 4].tobytes())
        reading.state["position"] = at + length
        return True

    def _length(self, at: int) -> int:
        data = self.reading.window.buffer[at + 4 : at + 8].tobytes()
        return int.from_bytes(data, "big" if self.big else "little")

    def _set_order(self, at: int) -> bool:
        magic = self.reading.window.buffer[at + 8 : at + 12].tobytes()
        if magic not in (b"\x1a\x2b\x3c\x4d", b"\x4d\x3c\x2b\x1a"):
            return False
        self.big = magic == b"\x1a\x2b\x3c\x4d"
        return True

    def _take(self, kind: int, body: bytes) -> None:
        if kind == _SECTION_HEADER:
            self.section += 1
            self.interfaces = []
            self.reading.begin_section()
        elif kind == _INTERFACE:
            self._take_interface(body)
        else:
            self._take_statistics(body)

    def _take_interface(self, body: bytes) -> None:
        if len(body) < 8 or len(self.interfaces) >= _MAX_INTERFACES:
            return
        link_type, _, snap_length = struct.unpack_from(self.order + "HHI", body)
        number = len(self.reading.interfaces)
        interface = Interface(number, max(self.section, 0), link_type, min(snap_length, LARGEST_PACKET))
        for code, value in _options(body[8:], self.order):
            if code == _IF_NAME:
                interface.name = value.rstrip(b"\x00").decode("utf-8", "replace").strip()
            elif code == _IF_TSRESOL and value:
                interface.resolution = value[0]
            elif code == _IF_TSOFFSET and len(value) == 8:
                interface.offset_s = struct.unpack(self.order + "q", value)[0]
        self.interfaces.append(interface)
        self.reading.add_interface(interface)

    def _take_statistics(self, body: bytes) -> None:
        """Interface statistics are totals: the latest block of an interface counts."""
        if len(body) < 12:
            return
        number = struct.unpack_from(self.order + "I", body)[0]
        if number >= len(self.interfaces):
            return
        for code, value in _options(body[12:], self.order):
            if code == _ISB_IFDROP and len(value) == 8:
                self.interfaces[number].dropped = struct.unpack(self.order + "Q", value)[0]


def read_pcapng(reading: Reading) -> None:
    """Reads all packets of a pcapng file."""
    PcapngReader(reading).read()
