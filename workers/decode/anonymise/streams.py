"""The bytes of one direction of a connection, put together from its segments, and what stands for some of them."""

from __future__ import annotations

import bisect
import mmap
from collections.abc import Sequence
from dataclasses import dataclass
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
    start: Ints
    at: Ints
    length: Ints
    place: Ints
    field: Ints
    frame: Ints

    @property
    def end(self) -> int:
        """Behind the last byte seen."""
        return int((self.start + self.length).max(initial=0))

    def offset(self, sequence: int) -> int:
        """Of the byte with this sequence number."""
        return (sequence - self.begin) & 0xFFFFFFFF

    def content(self, source: mmap.mmap, begin: int, end: int) -> bytes:
        """The bytes; MISSING where no frame holds them."""
        found = bytearray(max(0, min(end, self.end) - begin))
        end = begin + len(found)
        for number in self._overlapping(begin, end):
            start, at = int(self.start[number]), int(self.at[number])
            skip, stop = max(0, begin - start), min(int(self.length[number]), end - start)
            if skip < stop:
                found[start + skip - begin : start + stop - begin] = source[at + skip : at + stop]
        return bytes(found)

    def _overlapping(self, begin: int, end: int) -> range:
        longest = int(self.length.max(initial=0))
        return range(*np.searchsorted(self.start, [begin - longest, end]).tolist())


def make_stream(sequence: Ints, at: Ints, length: Ints, place: Ints, field: Ints, frame: Ints) -> Stream:
    """From segments in order of the capture."""
    steps = np.diff(sequence, prepend=sequence[:1])
    distance = np.cumsum((steps + 0x80000000) % 0x100000000 - 0x80000000)
    first = int(distance.min(initial=0))
    order = np.argsort(distance, kind="stable")
    parts = (each[order] for each in (distance - first, at, length, place, field, frame))
    return Stream(int((sequence[0] + first) & 0xFFFFFFFF), *parts)


def write_patches(stream: Stream, patches: Sequence[Patch], target: mmap.mmap) -> None:
    """Into every segment that holds some of them: what was sent again is the same again."""
    begins = [begin for begin, _ in patches]
    for number in range(len(stream.start)):
        start, length = int(stream.start[number]), int(stream.length[number])
        first = max(0, bisect.bisect_right(begins, start) - 1)
        payload = bytearray(length)
        for begin, shown in patches[first : bisect.bisect_left(begins, start + length)]:
            skip, stop = max(0, start - begin), min(len(shown), start + length - begin)
            if skip < stop:
                payload[begin + skip - start : begin + stop - start] = shown[skip:stop]
        if any(payload):
            put_payload(
                target, int(stream.place[number]), bytes(payload), int(stream.field[number]), is_udp=False
            )


def put_payload(target: mmap.mmap, place: int, payload: bytes, field: int, *, is_udp: bool) -> None:
    """Writes a payload where zeros are, and brings the checksum at `field` up to date (RFC 1624)."""
    target[place : place + len(payload)] = payload
    if field < 0:
        return
    words = np.frombuffer(payload + bytes(len(payload) & 1), ">u2")
    old = int.from_bytes(target[field : field + 2], "big")
    new = 0xFFFF - folded(0xFFFF - old + int(words.sum(dtype=np.int64)))
    if is_udp and new == 0:
        new = 0xFFFF
    target[field : field + 2] = new.to_bytes(2, "big")
