"""pcapng: sections in either byte order, several interfaces with their own clocks, blocks of many kinds."""

from __future__ import annotations

import struct
from itertools import islice
from typing import Final

from backend.forensics.captures import PRINTED
from workers.decode.interfaces import LARGEST_PACKET, MAX_INTERFACES, Interface
from workers.decode.loop.records import BAD_INTERFACE, BAD_LENGTH, NEED_BYTES, OTHER_BLOCK
from workers.decode.loop.walk import walk_pcapng
from workers.decode.pcapng_blocks import (
    DECRYPTION_SECRETS,
    INTERFACE,
    NAME_RESOLUTION,
    SECTION_HEADER,
    STATISTICS,
    TAKES_A_FRAME_NUMBER,
    comments_in,
    describe_comments,
    describe_skipped,
    is_merged,
    is_printed,
    read_comments,
    read_drops,
    read_interface,
    read_names,
)
from workers.decode.reading import Reading
from workers.decode.stated_headers import interface_remarks, section_remarks

_KINDS_NAMED: Final = 64
"""Different unknown block types that are counted one by one; a file that has more is noise."""
_TAKEN: Final = (SECTION_HEADER, INTERFACE, STATISTICS, NAME_RESOLUTION)
_NAMES_AT_MOST: Final = 100_000
_REMARKS_MOST: Final = 16
"""Sentences on headers: a damaged file may hold very many."""


class PcapngReader:
    """Reads one pcapng file into a Reading."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.big = False
        self.section = -1
        self._merged = False
        self.interfaces: list[Interface] = []
        """Of the current section."""
        self._skipped: dict[int, int] = {}
        self._comments = 0

    @property
    def order(self) -> str:
        """Byte order of the current section, for struct."""
        return ">" if self.big else "<"

    def read(self) -> None:
        """Reads all blocks to the end of the file or to where it is damaged."""
        self._read_blocks()
        self.reading.take_packet_options()
        comments = self._comments + self.reading.packet_comments
        self.reading.notes += [*describe_skipped(self._skipped), *describe_comments(comments)]

    def _read_blocks(self) -> None:
        reading, window = self.reading, self.reading.window
        window.refill(0)
        while True:
            walk_pcapng(window.buffer, window.end, self.big, LARGEST_PACKET, *reading.tables.arguments())
            reading.read_messages()
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
        stated = self._length(int(self.reading.state["position"]))
        if reason == BAD_LENGTH and stated == int(self.reading.state["detail"]):
            self._bad_block(stated)
        elif reason == BAD_LENGTH:
            self.reading.damaged_length()
        else:
            number = int(self.reading.state["detail"])
            self.reading.damaged(f"names interface {number:,}, which the file does not describe,")

    def _bad_block(self, length: int) -> None:
        self.reading.damaged(f"is in a block that claims {length:,} bytes, which no such block has,")

    def _other_block(self) -> bool:
        """Reads the block at the current position; False when the file ends or is damaged there."""
        reading = self.reading
        at = int(reading.state["position"])
        kind = int.from_bytes(reading.window.buffer[at : at + 4].tobytes(), "big" if self.big else "little")
        if kind == SECTION_HEADER and not self._set_order(at):
            reading.damaged("is a section header of no known byte order")
            return False
        length = self._length(at)
        if length < 12 or length & 3:
            self._bad_block(length)
            return False
        if kind not in _TAKEN or length > LARGEST_PACKET:
            return self._skip(kind, length)
        if at + length > reading.window.end:
            if not reading.read_on():
                reading.check_tail()
                return False
            return True
        if kind == INTERFACE and len(reading.interfaces) == MAX_INTERFACES:
            reading.too_many_interfaces()
            return False
        self._take(kind, reading.window.buffer[at + 8 : at + length - 4].tobytes())
        reading.state["position"] = at + length
        return True

    def _skip(self, kind: int, length: int) -> bool:
        if not self.reading.skip(length):
            return False
        if kind in self._skipped or len(self._skipped) < _KINDS_NAMED:
            self._skipped[kind] = self._skipped.get(kind, 0) + 1
        if kind in TAKES_A_FRAME_NUMBER:
            self.reading.pass_frame()
        if kind == DECRYPTION_SECRETS:
            self.reading.state["loose_credentials"] += 1
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
        if kind == SECTION_HEADER:
            self.section += 1
            self.interfaces = []
            self._comments += comments_in(body[16:], self.order)
            if is_printed(body[16:], self.order):
                self.reading.format_variant = PRINTED
            self._merged = is_merged(body[16:], self.order)
            self._remark(section_remarks(body, self.order))
            self.reading.begin_section()
        elif kind == INTERFACE:
            self._take_interface(body)
        elif kind == NAME_RESOLUTION:
            left = _NAMES_AT_MOST - len(self.reading.address_names)
            self.reading.address_names += islice(read_names(body, self.order), left)
        else:
            self._take_statistics(body)

    def _remark(self, remarks: list[str]) -> None:
        """Each once, and not of every section of a file that holds very many."""
        new = [remark for remark in remarks if remark not in self.reading.notes]
        self.reading.notes += new[: max(0, _REMARKS_MOST - len(self.reading.notes))]

    def _take_interface(self, body: bytes) -> None:
        if len(body) < 8:
            return
        self._comments += comments_in(body[8:], self.order)
        number = len(self.reading.interfaces)
        self._remark(interface_remarks(body, self.order, number))
        interface = read_interface(body, self.order, number, max(self.section, 0))
        interface.merged = self._merged
        self.interfaces.append(interface)
        self.reading.add_interface(interface)

    def _take_statistics(self, body: bytes) -> None:
        """Interface statistics are totals: the latest block of an interface counts."""
        if len(body) < 12:
            return
        number = struct.unpack_from(self.order + "I", body)[0]
        if number >= len(self.interfaces):
            return
        if self.reading.format_variant == PRINTED:
            self.reading.notes += read_comments(body[12:], self.order)
        drops = read_drops(body[12:], self.order)
        if drops is not None:
            self.interfaces[number].dropped = drops


def read_pcapng(reading: Reading) -> None:
    """Reads all packets of a pcapng file."""
    PcapngReader(reading).read()
