"""The pcapng blocks that are no packets: what is taken from them, and what is only counted.

Block types and options as in draft-ietf-opsawg-pcapng; types of vendors as in Wireshark (wiretap/pcapng.h).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from ipaddress import ip_address
from typing import Final

from backend.forensics.captures import PRINTED_BY
from backend.forensics.dumps import AddressName
from workers.decode.interfaces import LARGEST_PACKET, Interface
from workers.decode.loop.records import LATEST_NS

SECTION_HEADER: Final = 0x0A0D0D0A
DECRYPTION_SECRETS: Final = 10
INTERFACE: Final = 1
STATISTICS: Final = 5
NAME_RESOLUTION: Final = 4
_NAME_RECORDS: Final = {1: 4, 2: 16}
"""Bytes of the address of an nrb_record_ipv4 and an nrb_record_ipv6."""

_COMMENT = 1
SHB_USERAPPL: Final = 4
MERGED_BY: Final = b"Mergecap"
_IF_NAME, _IF_DESCRIPTION, _IF_TSRESOL, _IF_FILTER, _IF_TSOFFSET = 2, 3, 9, 11, 14
_ISB_IFDROP, _ISB_OSDROP = 5, 7
_LIBPCAP_TEXT: Final = 0
_COMMENT_LIMIT: Final = 1_024
_COMMENTS_READ: Final = 8
_TEXT_LIMIT: Final = 256
"""Characters kept of a name, a description or a filter."""
_LARGEST_OFFSET_S: Final = LATEST_NS // 1_000_000_000
_NO_TIMES_S: Final = -_LARGEST_OFFSET_S - 1
"""Stands for every offset beyond: with it no time stamp is a time."""

_SECRETS: Final = 10
_SKIPPED: Final = {
    7: "IRIG time stamps",
    8: "Arinc 429 messages",
    9: "systemd journal entries",
    0xBAD: "custom data",
    0x40000BAD: "custom data",
    **dict.fromkeys((513, 514, 515, 517, 518, 519), "sysdig information"),
    **dict.fromkeys((516, 520, 534, 535, 545), "sysdig events"),
}
TAKES_A_FRAME_NUMBER: Final = frozenset({9, 0xBAD, 0x40000BAD, 0x204, 0x208, 0x216, 0x217, 0x221})
"""Wireshark shows these as frames, so the packets behind them have higher numbers."""


def options(body: bytes, order: str) -> Iterator[tuple[int, bytes]]:
    """(code, value) of each option in `body`."""
    at = 0
    while at + 4 <= len(body):
        code, length = struct.unpack_from(order + "HH", body, at)
        if code == 0 or at + 4 + length > len(body):
            return
        yield code, body[at + 4 : at + 4 + length]
        at += 4 + (length + 3 & ~3)


def read_comments(body: bytes, order: str) -> list[str]:
    """The comments among the options."""
    values = [value for code, value in options(body, order) if code == _COMMENT]
    return [value.decode("utf-8", "replace")[:_COMMENT_LIMIT] for value in values[:_COMMENTS_READ]]


def comments_in(body: bytes, order: str) -> int:
    """How many comments the options hold."""
    return sum(code == _COMMENT for code, _ in options(body, order))


def is_printed(body: bytes, order: str) -> bool:
    """Whether the options of a section header say that its packets were rebuilt from a printed text."""
    return any(code == SHB_USERAPPL and value == PRINTED_BY.encode() for code, value in options(body, order))


def is_merged(body: bytes, order: str) -> bool:
    """Whether the options of a section header name Wireshark's mergecap: its interfaces come from several files."""
    return any(code == SHB_USERAPPL and value.startswith(MERGED_BY) for code, value in options(body, order))


def _text(value: bytes) -> str:
    return value.split(b"\x00")[0].decode("utf-8", "replace").strip()[:_TEXT_LIMIT]


def read_interface(body: bytes, order: str, number: int, section: int) -> Interface:
    """An interface description of at least 8 bytes."""
    link_type, _, snap_length = struct.unpack_from(order + "HHI", body)
    interface = Interface(number, section, link_type, min(snap_length, LARGEST_PACKET))
    interface.stated_snap_length = snap_length
    for code, value in options(body[8:], order):
        if code == _IF_NAME:
            interface.name = _text(value)
        elif code == _IF_DESCRIPTION:
            interface.description = _text(value)
        elif code == _IF_FILTER and value[:1] == bytes([_LIBPCAP_TEXT]):
            interface.filter = _text(value[1:])
        elif code == _IF_TSRESOL and value:
            interface.resolution = value[0]
        elif code == _IF_TSOFFSET and len(value) == 8:
            offset_s = struct.unpack(order + "q", value)[0]
            interface.offset_s = offset_s if abs(offset_s) < _LARGEST_OFFSET_S else _NO_TIMES_S
    return interface


def read_drops(body: bytes, order: str) -> int | None:
    """Packets that interface and system dropped, of the options of an interface statistics block; None when it
    does not say."""
    drops = [
        int(struct.unpack(order + "Q", value)[0])
        for code, value in options(body, order)
        if code in (_ISB_IFDROP, _ISB_OSDROP) and len(value) == 8
    ]
    return sum(drops) if drops else None


def read_names(body: bytes, order: str) -> Iterator[AddressName]:
    """The records of a name resolution block: the first name of each address."""
    at = 0
    while at + 4 <= len(body):
        kind, length = struct.unpack_from(order + "HH", body, at)
        address_bytes = _NAME_RECORDS.get(kind)
        value = body[at + 4 : at + 4 + length]
        if kind == 0 or len(value) < length:
            return
        name = "" if address_bytes is None else _text(value[address_bytes:])
        if name and address_bytes is not None:
            yield AddressName(0, str(ip_address(value[:address_bytes])), name, "host")
        at += 4 + (length + 3 & ~3)


def describe_skipped(counts: dict[int, int]) -> list[str]:
    """A sentence for each kind of block that was left out; name resolution that is too large to be read is one in
    silence."""
    notes: dict[str, int] = {}
    for kind, count in sorted(counts.items()):
        if kind == NAME_RESOLUTION:
            continue
        what = _SKIPPED.get(kind, f"the unknown type 0x{kind:08x}")
        if kind == _SECRETS:
            what = "decryption secrets (nothing of them is kept)"
        notes[what] = notes.get(what, 0) + count
    return [f"{count:,} block{'s' if count > 1 else ''} skipped: {what}." for what, count in notes.items()]


def describe_comments(count: int) -> list[str]:
    """Comments are for people; how many there are is said, so that somebody looks."""
    if not count:
        return []
    what = "1 comment, which was" if count == 1 else f"{count:,} comments, which were"
    return [f"The capture holds {what} not read; Wireshark shows comments."]
