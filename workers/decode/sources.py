"""Bytes of a file, plain or unpacked on the way, read into a buffer with carry-over."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

BUFFER_BYTES: Final = 16 << 20
_PACKED_BYTES: Final = 1 << 20


class ByteSource(Protocol):
    """Where a capture's bytes come from."""

    bytes_done: int
    """Bytes of the stored file consumed so far."""
    damage: str
    """In words why the bytes ended early, empty when they did not."""

    @property
    def is_packed(self) -> bool:
        """Whether the bytes read are not those stored."""

    def read_into(self, view: memoryview) -> int:
        """Fills `view` as far as possible; fewer bytes than its length mean the end."""


@dataclass
class PlainSource:
    """A file as it is."""

    descriptor: int
    bytes_done: int = 0
    damage: str = ""
    is_packed: bool = False

    def read_into(self, view: memoryview) -> int:
        """See ByteSource."""
        filled = 0
        while filled < len(view):
            count = os.preadv(self.descriptor, [view[filled:]], self.bytes_done)
            if count == 0:
                break
            filled += count
            self.bytes_done += count
        return filled


@dataclass
class GzipSource:
    """A gzip file of one or several members, unpacked as a stream: one buffer of it is in memory."""

    descriptor: int
    bytes_done: int = 0
    damage: str = ""
    is_packed: bool = True
    _at_member_start: bool = False
    _packed: bytes = b""
    _stream: zlib._Decompress = field(default_factory=lambda: zlib.decompressobj(wbits=31))

    def read_into(self, view: memoryview) -> int:
        """See ByteSource."""
        filled = 0
        while filled < len(view) and not self.damage:
            if not self._packed and not self._refill():
                break
            try:
                piece = self._stream.decompress(self._packed, len(view) - filled)
            except zlib.error:
                self.damage = "the gzip data is damaged"
                break
            self._packed = self._stream.unconsumed_tail
            view[filled : filled + len(piece)] = piece
            filled += len(piece)
            if self._stream.eof:
                self._next_member()
        return filled

    def _refill(self) -> bool:
        self._packed = os.pread(self.descriptor, _PACKED_BYTES, self.bytes_done)
        self.bytes_done += len(self._packed)
        if not self._packed and not self._stream.eof and not self._at_member_start:
            self.damage = "the gzip data ends early"
        return bool(self._packed)

    def _next_member(self) -> None:
        """Members follow one another; zero bytes after the last are padding."""
        self._packed = self._stream.unused_data.lstrip(b"\x00")
        self._stream = zlib.decompressobj(wbits=31)
        self._at_member_start = not self._packed


@contextmanager
def open_source(path: Path, compression: str) -> Iterator[ByteSource]:
    """The bytes of a file; `compression` is ``gzip`` or empty. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield GzipSource(descriptor) if compression == "gzip" else PlainSource(descriptor)
    finally:
        os.close(descriptor)


class Window:
    """The part of the stream that is in memory: `buffer[:end]`, of which `offset` bytes came before."""

    def __init__(self, source: ByteSource, size: int = BUFFER_BYTES) -> None:
        self.source = source
        self.buffer: NDArray[np.uint8] = np.empty(size, np.uint8)
        self.end = 0
        self.offset = 0
        self.ended = False

    def refill(self, position: int) -> None:
        """Drops buffer[:position], moves the rest to the front and reads on."""
        left = self.end - position
        self.buffer[:left] = self.buffer[position : self.end].copy()
        self.offset += position
        wanted = len(self.buffer) - left
        count = self.source.read_into(self.buffer.data[left:])
        self.end = left + count
        self.ended = count < wanted

    def skip(self, count: int) -> bool:
        """Reads on past `count` bytes that need not be seen; False when the stream ends before."""
        while count > self.end:
            count -= self.end
            if self.ended:
                self.refill(self.end)
                return False
            self.refill(self.end)
        self.refill(count)
        return True
