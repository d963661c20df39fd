"""Bytes of a file, plain or unpacked on the way, read into a buffer with carry-over."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from workers.decode.digest import RunningDigest

BUFFER_BYTES: Final = 16 << 20
"""Room for the largest record that is read."""
READ_BYTES: Final = 1 << 20
"""Read at a time: what the loop then reads is still in the processor's second-level cache."""


class ByteSource(Protocol):
    """Where a capture's bytes come from."""

    @property
    def bytes_done(self) -> int:
        """Bytes of the stored file consumed so far."""

    @property
    def damage(self) -> str:
        """In words why the bytes ended early, empty when they did not."""

    @property
    def counted_in(self) -> str:
        """What a byte's number counts, to follow “at byte 7”: empty for the stored file itself."""

    def read_into(self, view: memoryview) -> int:
        """Fills `view` as far as possible; fewer bytes than its length mean the end."""


@dataclass
class PlainSource:
    """A file as it is."""

    descriptor: int
    bytes_done: int = 0
    damage: str = ""
    counted_in: str = ""

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


class Window:
    """The part of the stream that is in memory: `buffer[:end]`, of which `offset` bytes came before."""

    def __init__(
        self, source: ByteSource, size: int = BUFFER_BYTES, digest: RunningDigest | None = None
    ) -> None:
        self.source = source
        self._digest = digest
        self.buffer: NDArray[np.uint8] = np.empty(size, np.uint8)
        self.end = 0
        self.offset = 0
        self.ended = False

    def refill(self, position: int) -> None:
        """Drops buffer[:position], moves the rest to the front and reads on."""
        left = self.end - position
        if self._digest is not None:
            self._digest.wait()
        if position > 0:
            self.buffer[:left] = self.buffer[position : self.end].copy()
        self.offset += position
        wanted = min(len(self.buffer) - left, READ_BYTES)
        count = self.source.read_into(self.buffer.data[left : left + wanted])
        if self._digest is not None:
            self._digest.take(self.buffer.data[left : left + count])
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
