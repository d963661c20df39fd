"""What the headers of a capture file state that its format does not define: versions, and bits that are reserved.

Such a file may be damaged, or of a format that only looks like this one; it is read as what its magic number states."""

from __future__ import annotations

import struct
from typing import Final

_PCAP_VERSIONS: Final = frozenset({(2, minor) for minor in range(5)} | {(543, 0)})
"""draft-ietf-opsawg-pcap: 2.4, and what libpcap and DG/UX wrote before."""
_SECTION_VERSIONS: Final = frozenset({(1, 0), (1, 2)})
"""draft-ietf-opsawg-pcapng section 4.1: 1.0, and 1.2, which some programs wrote for it."""
_LINK_BITS: Final = 0x0000FFFF
_FRAME_CHECK_BITS: Final = 0xF4000000
"""Length of the frame check sequence, and that it is there."""


def pcap_remarks(head: bytes, *, big: bool) -> list[str]:
    """Of the header of a classic pcap file."""
    order = ">" if big else "<"
    major, minor, first, second, _, link = struct.unpack_from(order + "HHIIII", head, 4)
    found = []
    if (major, minor) not in _PCAP_VERSIONS:
        found.append(f"The file header states version {major}.{minor} of pcap; it was read as version 2.4.")
    if first or second:
        found.append(f"Reserved fields of the file header, which are 0, hold {first:#x} and {second:#x}.")
    reserved = link & ~(_LINK_BITS | _FRAME_CHECK_BITS)
    if reserved:
        found.append(f"Reserved bits of the file header's link type are set: {reserved:#010x}.")
    return found


def section_remarks(body: bytes, order: str) -> list[str]:
    """Of a section header block of pcapng, from its byte-order magic on."""
    if len(body) < 8:
        return []
    major, minor = struct.unpack_from(order + "HH", body, 4)
    if (major, minor) in _SECTION_VERSIONS:
        return []
    return [f"A section header states version {major}.{minor} of pcapng; it was read as version 1.0."]


def interface_remarks(body: bytes, order: str, number: int) -> list[str]:
    """Of the description of an interface."""
    (reserved,) = struct.unpack_from(order + "H", body, 2)
    return [f"Reserved bytes of interface {number:,}, which are 0, hold {reserved:#06x}."] if reserved else []
