"""The bytes of one direction of a connection, put together from its segments, and what stands for some of them."""

from __future__ import annotations

import bisect
import mmap
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from workers.decode.anonymise.loop.checksums import folded

Ints = NDArray[np.int64]
Patch = tuple[int, bytes]
"""(first byte within the stream, what stands there)."""

MISSING: Final = b"\0"
"""Stands for bytes that were not captured."""


@dataclass(frozen=True)
class Stream:
    """Segments in order of their bytes. `start` counts from the first byte seen; places are those of the source and of
    what is written; `field` is the checksum's, or -1."""

    begin: int
    """Sequence number of the first byte seen."""
    start: list[int]
    at: list[int]
    length: list[int]
    place: list[int]
    field: list[int]
    frame: list[int]

    @cached_property
    def end(self) -> int:
        """Behind the last byte seen."""
        return max((start + length for start, length in zip(self.start, self.length, strict=True)), default=0)

    @cached_property
    def _longest(self) -> int:
        return max(self.length, default=0)

    def offset(self, sequence: int) -> int:
        """Of the byte with this sequence number."""
        return (sequence - self.begin) & 0xFFFFFFFF

    def content(self, source: mmap.mmap, begin: int, end: int) -> bytes:
        """The bytes; MISSING where no frame holds them."""
        found = bytearray(max(0, min(end, self.end) - begin))
        end = begin + len(found)
        first = bisect.bisect_left(self.start, begin - self._longest)
        for number in range(first, bisect.bisect_left(self.start, end)):
            start, at = self.start[number], self.at[number]
            skip, stop = max(0, begin - start), min(self.length[number], end - start)
            if skip < stop:
                found[start + skip - begin : start + stop - begin] = source[at + skip : at + stop]
        return bytes(found)


def make_stream(sequence: Ints, at: Ints, length: Ints, place: Ints, field: Ints, frame: Ints) -> Stream:
    """From segments in order of the capture."""
    steps = np.diff(sequence, prepend=sequence[:1])
    distance = np.cumsum((steps + 0x80000000) % 0x100000000 - 0x80000000)
    first = int(distance.min(initial=0))
    order = np.argsort(distance, kind="stable")
    parts = (each[order].tolist() for each in (distance - first, at, length, place, field, frame))
    return Stream(int((sequence[0] + first) & 0xFFFFFFFF), *parts)


def write_patches(stream: Stream, patches: Sequence[Patch], target: mmap.mmap) -> None:
    """Into every segment that holds some of them: what was sent again is the same again."""
    begins = [begin for begin, _ in patches]
    for number in range(len(stream.start)):
        start, length = stream.start[number], stream.length[number]
        first = max(0, bisect.bisect_right(begins, start) - 1)
        payload = bytearray(length)
        for begin, shown in patches[first : bisect.bisect_left(begins, start + length)]:
            skip, stop = max(0, start - begin), min(len(shown), start + length - begin)
            if skip < stop:
                payload[begin + skip - start : begin + stop - start] = shown[skip:stop]
        if any(payload):
            put_payload(target, stream.place[number], bytes(payload), stream.field[number], is_udp=False)


def put_payload(target: mmap.mmap, place: int, payload: bytes, field: int, *, is_udp: bool) -> None:
    """Writes a payload where zeros are, and brings the checksum at `field` up to date (RFC 1624)."""
    target[place : place + len(payload)] = payload
    if field < 0:
        return
    words = int.from_bytes(payload + bytes(len(payload) & 1), "big") % 0xFFFF  # the sum: 2^16 is 1 here
    old = int.from_bytes(target[field : field + 2], "big")
    new = 0xFFFF - folded(0xFFFF - old + words)
    if is_udp and new == 0:
        new = 0xFFFF
    target[field : field + 2] = new.to_bytes(2, "big")
