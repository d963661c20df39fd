"""A pcapng file for each section of a printed text: its packets, one frame each, rebuilt from the fields shown.

What the text does not show is 0 in the frame (checksums, hardware addresses) or cut off (payload). The section header
says that the file was made from a text, and the decoder reads it as such.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Final

from backend.forensics.captures import PRINTED_BY
from workers.decode.printed.bodies import Bodies
from workers.decode.printed.clocks import Clock
from workers.decode.printed.columns import Columns
from workers.decode.printed.headers import (
    COOKED,
    ETHERNET,
    RAW_IP,
    cooked_header,
    ethernet_header,
    link_address,
)
from workers.decode.printed.heads import Head, read_head
from workers.decode.printed.lines import PrintedPacket, Section, is_tshark
from workers.decode.printed.names import Names
from workers.decode.printed.plain_tcp import read_plain_tcp

_NO_TIME_S: Final = (1 << 63) - 1
"""if_tsoffset of packets without a time: far beyond every clock."""
_PACKET: Final = struct.Struct("<IIIIIII")
_ETHER: Final = {"IP": 0x0800, "IP6": 0x86DD, "ARP": 0x0806}
_REQUEST = re.compile(
    r"(?:Ethernet .{0,40}, )?Request who-has (?P<target>\S{1,64})(?: \([^)]{1,40}\))? tell (?P<sender>[^\s,]{1,64})"
)
_REPLY = re.compile(r"(?:Ethernet .{0,40}, )?Reply (?P<sender>\S{1,64}) is-at (?P<at>[0-9a-fA-F:]{11,17})")
_HEX_LINE = re.compile(r"\s*(?:>\s?)?0x([0-9a-fA-F]{4,5}):\s{1,4}((?:[0-9a-fA-F]{2,4} ?){1,8})")
_NAMES_A_BLOCK: Final = 64
LOW_FIDELITY: Final = (
    "The packets were rebuilt from printed text: checksums and most of the payload are not known, nor are TTL, "
    "hardware addresses and windows where the text does not show them. A capture (tcpdump -w) shows more."
)
_FLUSH_BYTES: Final = 1 << 20


class SectionFile:
    """Writes the packets of one section."""

    def __init__(self, section: Section, path: Path, names: Names, *, since_first: bool) -> None:
        self.section, self.path = section, path
        self.packets = 0
        self.not_rebuilt = 0
        """Packets whose transport the text does not show well enough."""
        self.clock = Clock(since_first=since_first)
        self._names = names
        self._bodies, self._columns = Bodies(names), Columns(names)
        self._interfaces: dict[tuple[str, int, bool], int] = {}
        self._made = bytearray(_section_header())
        self._file: IO[bytes] = path.open("wb")

    def add(self, packet: PrintedPacket) -> None:
        """The next frame; one for every printed packet, so that frames and packets have the same numbers."""
        if packet.lines == 1 and (plain := read_plain_tcp(packet.text, self._bodies.sequences)) is not None:
            clock, data, length = plain
            self._bodies.remember(data)
            time_ns = self.clock.ns(clock, set_in=False)
            self._write(self._interface(self.section.interface, RAW_IP, True), time_ns, data, length)
            return
        if is_tshark(packet.text):
            self._add_columns(packet)
            return
        head = read_head(packet.whole)
        time_ns = self.clock.ns(head.clock, set_in=head.set_in)
        link_type, frame, length = self._frame(head, packet)
        interface = self._interface(head.interface or self.section.interface, link_type, bool(head.clock))
        self._write(interface, time_ns, frame, length)

    def _add_columns(self, packet: PrintedPacket) -> None:
        made = self._columns.read(packet.whole)
        if made is None:
            self.not_rebuilt += 1
            self._write(
                self._interface(self.section.interface, RAW_IP, True), self.clock.ns("", set_in=False), b"", 0
            )
            return
        clock, data, length, known = made
        self.not_rebuilt += not known
        self._write(
            self._interface(self.section.interface, RAW_IP, True), self.clock.after_ns(clock), data, length
        )

    def _frame(self, head: Head, packet: PrintedPacket) -> tuple[int, bytes, int]:
        """(link type, bytes, original length) of a packet."""
        network = self._network(head, packet)
        data, length, known = network if network is not None else (b"", 0, False)
        self.not_rebuilt += not known
        ether = _ETHER.get(head.kind, 0xFFFF)
        if head.destination:
            link = ethernet_header(head.source, head.destination, ether, head.vlans)
            return ETHERNET, link + data, max(head.frame_bytes or 0, len(link) + length)
        if head.direction or head.source:
            link = cooked_header(head.direction or "P", head.source, ether)
            return COOKED, link + data, len(link) + length
        return RAW_IP, data if head.kind != "ARP" else b"", length

    def _network(self, head: Head, packet: PrintedPacket) -> tuple[bytes, int, bool] | None:
        if head.kind == "ARP":
            return _arp(head.rest)
        shown = _bytes_shown(packet.hexadecimal, head)
        if shown is not None:
            return shown, max(len(shown), head.ip_bytes or _stated_length(shown)), True
        if head.kind not in ("IP", "IP6"):
            return None
        return self._bodies.ip(head, packet.inner)

    def _interface(self, name: str, link_type: int, timed: bool) -> int:
        key = name, link_type, timed
        number = self._interfaces.get(key)
        if number is None:
            number = self._interfaces[key] = len(self._interfaces)
            self._made += _interface_block(name, link_type, timed=timed)
        return number

    def _write(self, interface: int, time_ns: int, frame: bytes, length: int) -> None:
        self.packets += 1
        size = len(frame)
        whole = 32 + size + (-size % 4)
        self._made += _PACKET.pack(
            6, whole, interface, time_ns >> 32 & 0xFFFFFFFF, time_ns & 0xFFFFFFFF, size, max(length, size)
        )
        self._made += frame + b"\x00" * (-size % 4) + whole.to_bytes(4, "little")
        if len(self._made) > _FLUSH_BYTES:
            self._file.write(self._made)
            self._made.clear()

    def sentences(self) -> list[str]:
        """What is to be said of this capture."""
        said = [LOW_FIDELITY]
        if self.not_rebuilt:
            said.append(
                f"{self.not_rebuilt:,} printed packets are of other protocols, or too short to rebuild."
            )
        if self.clock.undated:
            said.append("The printed times have no date: 1970-01-01 stands for the day.")
        if self.clock.untimed:
            said.append(
                f"{self.clock.untimed:,} printed packets have no time: no duration is taken from them."
            )
        if self._names.hosts:
            said.append(
                f"Hosts are printed by name ({len(self._names.hosts):,}): addresses stand for them here, whose names "
                "are listed."
            )
        return said

    def close(self, sentences: Sequence[str] = ()) -> None:
        """Writes the end: what the kernel dropped, and what is to be said, with the first interface."""
        if self._interfaces:
            body = struct.pack("<III", 0, 0, 0)
            if self.section.dropped is not None:
                body += struct.pack("<HHQ", 7, 8, self.section.dropped)
            body += b"".join(
                _option(1, sentence.encode("utf-8", "replace")[:4_096]) for sentence in sentences
            )
            self._made += _block(5, body + b"\x00" * 4) + _name_blocks(self._names)
        self._file.write(self._made)
        self._file.close()


def _block(kind: int, body: bytes) -> bytes:
    length = 12 + len(body)
    return struct.pack("<II", kind, length) + body + struct.pack("<I", length)


def _option(code: int, value: bytes) -> bytes:
    return struct.pack("<HH", code, len(value)) + value + b"\x00" * (-len(value) % 4)


def _section_header() -> bytes:
    fixed = struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)
    return _block(0x0A0D0D0A, fixed + _option(4, PRINTED_BY.encode()) + b"\x00" * 4)


def _interface_block(name: str, link_type: int, *, timed: bool) -> bytes:
    options = _option(2, name.encode("utf-8", "replace")[:64]) if name else b""
    options += _option(9, b"\x09")
    if not timed:
        options += _option(14, struct.pack("<q", _NO_TIME_S))
    return _block(1, struct.pack("<HHI", link_type, 0, 0) + options + b"\x00" * 4)


def _name_blocks(names: Names) -> bytes:
    """Name resolution blocks (draft-ietf-opsawg-pcapng, section 4.5): the address that stands for each name."""
    records = [
        _option(1 if len(packed) == 4 else 2, packed + name.encode() + b"\x00")
        for name, packed in names.hosts.items()
    ]
    pieces = (b"".join(records[at : at + _NAMES_A_BLOCK]) for at in range(0, len(records), _NAMES_A_BLOCK))
    return b"".join(_block(4, piece + b"\x00" * 4) for piece in pieces)


def _arp(text: str) -> tuple[bytes, int, bool] | None:
    """A request or an answer of ARP (RFC 826) with the addresses that are shown."""
    from workers.decode.printed.headers import packed_address

    request, reply = _REQUEST.match(text), _REPLY.match(text)
    found = request or reply
    sender = packed_address(found["sender"]) if found else None
    if found is None or sender is None or len(sender) != 4:
        return None
    target = packed_address(request["target"]) if request else b"\x00" * 4
    at = link_address(reply["at"]) if reply else b"\x00" * 6
    fixed = struct.pack(">HHBBH", 1, 0x0800, 6, 4, 1 if request else 2)
    return fixed + at + sender + b"\x00" * 6 + (target or b"\x00" * 4)[:4].ljust(4, b"\x00"), 28, True


def _bytes_shown(lines: list[str], head: Head) -> bytes | None:
    """The bytes in hexadecimal from the IP header on (`-x`, `-X`; of `-xx` without the link header), as far as they
    follow each other; None where not even the headers are there."""
    data = bytearray()
    for line in lines:
        found = _HEX_LINE.match(line)
        if found is None or int(found[1], 16) != len(data):
            break
        data += bytes.fromhex(found[2].replace(" ", "")[: 2 * (len(found[2].replace(" ", "")) // 2)])
    version = {"IP": 4, "IP6": 6}.get(head.kind)
    for skipped in (0, 14, 16, 18, 20):
        rest = bytes(data[skipped:])
        if version is not None and len(rest) >= 28 and rest[0] >> 4 == version and _agrees(rest, version):
            return rest
    return None


def _agrees(data: bytes, version: int) -> bool:
    """Whether these bytes begin an IP header and not, by chance, something else."""
    return _stated_length(data) >= 28 and (data[0] == 0x60 or version == 6 or data[0] & 0x0F >= 5)


def _stated_length(data: bytes) -> int:
    if data[0] >> 4 == 4:
        return int.from_bytes(data[2:4], "big")
    return 40 + int.from_bytes(data[4:6], "big")
