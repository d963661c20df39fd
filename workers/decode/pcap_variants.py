"""The kinds of classic pcap file: byte orders, time units, and the record headers of patched libpcaps.

As Wireshark distinguishes them (wiretap/libpcap.c), for there are files that no magic number gives away.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from workers.decode.interfaces import snap_limit

HEADER_BYTES: Final = 24
_STANDARD: Final = (0xA1B2C3D4, 0xA1B23C4D)
_NANOSECONDS: Final = 0xA1B23C4D
_MODIFIED: Final = 0xA1B2CD34
_IXIA: Final = (0x1C0001AC, 0x1C0001AB)
PCAP_MAGICS: Final = {
    struct.pack(order + "I", magic): (order == ">", magic)
    for magic in (*_STANDARD, _MODIFIED, *_IXIA)
    for order in "<>"
}
"""First bytes of a classic pcap file -> (big-endian, magic number)."""

_DG_UX_VERSION: Final = 543
_AIX_MINOR_VERSION: Final = 2
_AIX_LINK_TYPES: Final = {6: 1, 9: 6, 15: 10, 24: 0}
"""AIX writes interface types of RFC 1573: Ethernet, Token Ring, FDDI, loopback -> LINKTYPE_ numbers."""

_RECORDS_TRIED: Final = 10
_LARGEST_ORIGINAL: Final = 64 << 20
"""Offloads make frames of some 100 kB; a length beyond this is no length."""

Swapped = Literal["no", "yes", "maybe"]


@dataclass(frozen=True)
class PcapVariant:
    """How the records of one file are laid out."""

    name: str
    """As in reports: ``pcap``, or ``pcap (modified)`` and the like."""
    big: bool
    fraction_ns: int
    """Nanoseconds per unit of the time stamps' fraction: 1,000 or 1."""
    link_type: int
    snap_length: int
    first_record: int = HEADER_BYTES
    """Byte at which the first record begins."""
    record_header: int = 16
    """Bytes before each packet; patched libpcaps put interface, protocol and packet type behind the lengths."""
    lengths_swapped: Swapped = "no"
    """The captured length comes second; ``maybe``: where that makes it the smaller of the two."""

    @property
    def is_usual(self) -> bool:
        """Whether the loop reads the records as they are."""
        return self.record_header == 16 and self.lengths_swapped == "no"


def read_variant(head: memoryview) -> PcapVariant:
    """The variant of a file that begins with `head`: its whole header, and records to judge by."""
    big, magic = PCAP_MAGICS[bytes(head[:4])]
    major, minor, snap_length, link_type = struct.unpack_from((">" if big else "<") + "HH8xII", head, 4)
    # The upper half of the field may show the length of the frame check sequence.
    variant = PcapVariant("pcap", big, 1000, link_type & 0xFFFF, snap_length)
    longest = snap_limit(snap_length)
    if magic == _NANOSECONDS:
        return replace(variant, fraction_ns=1)
    if magic in _IXIA:
        return replace(variant, name="pcap (Ixia)", first_record=HEADER_BYTES + 4)
    if magic == _MODIFIED:
        modified = replace(variant, name="pcap (modified)", record_header=24)
        return _most_plausible((modified, replace(modified, record_header=28)), head, longest)
    if minor == _AIX_MINOR_VERSION and variant.link_type in _AIX_LINK_TYPES:
        link = _AIX_LINK_TYPES[variant.link_type]
        return replace(variant, name="pcap (AIX)", fraction_ns=1, link_type=link, lengths_swapped="yes")
    variant = replace(variant, lengths_swapped=_lengths_swapped(major, minor))
    patched = replace(variant, name="pcap (modified)", record_header=24)
    nokia = replace(variant, name="pcap (Nokia)", record_header=20)
    return _most_plausible((variant, patched, nokia), head, longest)


def _lengths_swapped(major: int, minor: int) -> Swapped:
    """libpcap before 0.4 and DG/UX had the two lengths the other way round."""
    if major == _DG_UX_VERSION or (major == 2 and minor < 3):
        return "yes"
    return "maybe" if (major, minor) == (2, 3) else "no"


def _most_plausible(variants: tuple[PcapVariant, ...], head: memoryview, longest: int) -> PcapVariant:
    """The first is what the file says that it is; another has to explain more records, and two at least."""
    counts = [_plausible_records(variant, head, longest) for variant in variants]
    best = max(counts)
    return variants[counts.index(best)] if best > 1 else variants[0]


def _plausible_records(variant: PcapVariant, head: memoryview, longest: int) -> int:
    """How many of the first records could be records when they are read so, up to the first that could not."""
    count = 0
    for fraction, captured, original in _records(variant, head):
        if not 0 < captured <= longest or original > _LARGEST_ORIGINAL or captured > original > 0:
            break
        if fraction * variant.fraction_ns >= 1_000_000_000:
            break
        count += 1
    return count


def _records(variant: PcapVariant, head: memoryview) -> Iterator[tuple[int, int, int]]:
    order = ">" if variant.big else "<"
    at = variant.first_record
    for _ in range(_RECORDS_TRIED):
        if at + variant.record_header > len(head):
            return
        fraction, captured, original = struct.unpack_from(order + "4xIII", head, at)
        if variant.lengths_swapped == "yes" or (variant.lengths_swapped == "maybe" and captured > original):
            captured, original = original, captured
        yield fraction, captured, original
        at += variant.record_header + captured
