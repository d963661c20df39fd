"""Where the frames of an uncompressed capture file are: pcap (RFC draft opsawg-pcap) and pcapng."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from typing import Final

from workers.decode.pcapng_blocks import DECRYPTION_SECRETS, TAKES_A_FRAME_NUMBER

_PCAP: Final = {
    b"\xd4\xc3\xb2\xa1": "<",
    b"\x4d\x3c\xb2\xa1": "<",
    b"\xa1\xb2\xc3\xd4": ">",
    b"\xa1\xb2\x3c\x4d": ">",
}
_SECTION: Final = b"\x0a\x0d\x0d\x0a"
_OBSOLETE, _SIMPLE, _ENHANCED = 2, 3, 6


class NotWalkable(ValueError):  # noqa: N818 - says what the file is
    """The frames have no place of their own in the file."""


def walk_frames(data: mmap.mmap) -> Iterator[tuple[int, int]]:
    """(first byte, end) of each frame, in order; ends at the first damage."""
    magic = data[:4]
    if magic in _PCAP:
        return _walk_pcap(data, _PCAP[magic])
    if magic == _SECTION:
        return _walk_pcapng(data)
    raise NotWalkable("its frames cannot be found in place (it is compressed, or of a rare format)")


def secret_blocks(data: mmap.mmap) -> Iterator[tuple[int, int]]:
    """(first byte, end) of keys for decryption that a pcapng file brings with it (draft-ietf-opsawg-pcapng 4.7)."""
    if data[:4] == _SECTION:
        for kind, at, length, _ in _blocks(data):
            if kind == DECRYPTION_SECRETS and length > 24:
                yield at + 16, at + length - 4


def _walk_pcap(data: mmap.mmap, order: str) -> Iterator[tuple[int, int]]:
    at, size = 24, len(data)
    length_of = struct.Struct(order + "8xI4x").unpack_from
    while at + 16 <= size:
        captured = length_of(data, at)[0]
        begin = at + 16
        if begin + captured > size:
            yield begin, size
            return
        yield begin, begin + captured
        at = begin + captured


def _blocks(data: mmap.mmap) -> Iterator[tuple[int, int, int, str]]:
    """(type, first byte, bytes, byte order) of each block; ends at the first damage."""
    at, size, order = 0, len(data), "<"
    while at + 12 <= size:
        if data[at : at + 4] == _SECTION:
            order = "<" if data[at + 8 : at + 12] == b"\x4d\x3c\x2b\x1a" else ">"
        kind, length = struct.unpack_from(order + "II", data, at)
        if length < 12 or length % 4 or at + length > size:
            return
        yield kind, at, length, order
        at += length


def _walk_pcapng(data: mmap.mmap) -> Iterator[tuple[int, int]]:
    for kind, at, length, order in _blocks(data):
        if kind in (_ENHANCED, _OBSOLETE):
            captured = struct.unpack_from(order + "I", data, at + 20)[0]
            yield at + 28, min(at + 28 + captured, at + length - 4)
        elif kind in TAKES_A_FRAME_NUMBER:
            yield at + length, at + length  # no packet, but those behind it are counted from it on
        elif kind == _SIMPLE:
            original = struct.unpack_from(order + "I", data, at + 8)[0]
            yield at + 12, min(at + 12 + original, at + length - 4)
