"""The blocks of an anonymised pcapng that are no packets (draft-ietf-opsawg-pcapng)."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Final

from workers.decode.anonymise.listing_text import interface_name, line_text
from workers.decode.anonymise.pseudonyms import Pseudonyms
from workers.decode.frames.pcapng_file import block, options_bytes
from workers.decode.interfaces import Interface
from workers.decode.pcapng_blocks import (
    INTERFACE,
    MERGED_BY,
    SECTION_HEADER,
    SHB_USERAPPL,
    STATISTICS,
    options,
)

_UNKNOWN_LENGTH: Final = 0xFFFFFFFFFFFFFFFF
_NAME, _DESCRIPTION, _RESOLUTION, _FILTER, _CHECK_BYTES, _OFFSET = 2, 3, 9, 11, 13, 14
_MICROSECONDS: Final = 6
_COUNTS: Final = (2, 3, 4, 5, 6, 7, 8)
"""Begin and end, and how many packets were received, dropped, filtered, delivered."""


def section_block(*, merged: bool = False) -> bytes:
    """A section header that says nothing about who captured, only whether mergecap merged it of several files."""
    head = struct.pack("<IHHQ", 0x1A2B3C4D, 1, 0, _UNKNOWN_LENGTH)
    return block(SECTION_HEADER, head + (options_bytes([(SHB_USERAPPL, MERGED_BY)]) if merged else b""))


def interface_block(
    interface: Interface, pseudonyms: Pseudonyms, body: bytes = b"", order: str = "<"
) -> bytes:
    """Link type, snap length, clock; name and filter in other words. `body`: of the block in the source."""
    found: list[tuple[int, bytes]] = []
    for code, text in ((_NAME, interface.name), (_DESCRIPTION, interface.description)):
        if text:
            found.append((code, interface_name(text, pseudonyms).encode()))
    if interface.resolution != _MICROSECONDS:
        found.append((_RESOLUTION, bytes([interface.resolution])))
    if interface.filter:
        found.append((_FILTER, b"\0" + line_text(interface.filter, pseudonyms).encode()))
    found += _numbers(options(body[8:], order), order)
    head = struct.pack("<HHI", interface.link_type, 0, interface.stated_snap_length)
    return block(INTERFACE, head + options_bytes(found))


def _numbers(given: Iterable[tuple[int, bytes]], order: str) -> list[tuple[int, bytes]]:
    found = []
    for code, value in given:
        if code == _CHECK_BYTES and len(value) == 1:
            found.append((code, value))
        elif code == _OFFSET and len(value) == 8:
            found.append((code, struct.pack("<q", *struct.unpack(order + "q", value))))
    return found


def shown_statistics(body: bytes, order: str) -> bytes:
    """What an interface counted."""
    head = struct.pack("<III", *struct.unpack_from(order + "III", body))
    found = []
    for code, value in options(body[12:], order):
        if code in _COUNTS and len(value) == 8:
            form = "II" if code in (2, 3) else "Q"  # times are two words, the high one first
            found.append((code, struct.pack("<" + form, *struct.unpack(order + form, value))))
    return block(STATISTICS, head + options_bytes(found))
