"""Unpacks gzip, bzip2, xz, zstd and lz4 as streams: one buffer is in memory, and bombs are stopped.

Each may hold several members (frames, streams) one after the other. What comes before damage is kept.
"""

from __future__ import annotations

import bz2
import io
import lzma
import os
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from backend.limits import Limits
from workers.decode.sources import ByteSource

FREE_BYTES: Final = 64 << 20
"""So much may come of any file: short files of like bytes have wild ratios and do no harm."""
LZMA_MEMORY_BYTES: Final = 256 << 20
"""Dictionary that an xz file may ask for; `xz -9` needs 65 MiB."""
_PACKED_BYTES: Final = 1 << 18
_PIECE_BYTES: Final = 1 << 20


class _Stream(Protocol):
    """One member being unpacked, as the classes of bz2 and lzma are."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = -1) -> bytes: ...


class _Inflate:
    """zlib's class with the face of the others."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(wbits=31)
        self._left = b""

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def needs_input(self) -> bool:
        return not self._left and not self._stream.eof

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        piece = self._stream.decompress(self._left + data, max(max_length, 0))
        self._left = self._stream.unconsumed_tail
        return piece


def _un_xz() -> lzma.LZMADecompressor:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=LZMA_MEMORY_BYTES)


_STREAMS: Final[dict[str, Callable[[], _Stream]]] = {
    "gzip": _Inflate,
    "bzip2": bz2.BZ2Decompressor,
    "xz": _un_xz,
}
_ARROW_CODECS: Final = {"zstd": "zstd", "lz4": "lz4"}

COMPRESSIONS: Final = {
    "gzip": b"\x1f\x8b",
    "zstd": b"\x28\xb5\x2f\xfd",
    "lz4": b"\x04\x22\x4d\x18",
    "xz": b"\xfd7zXZ\x00",
    "bzip2": b"BZh",
}
"""Name of each compression that is read, and the bytes it begins with."""


def compression_of(head: bytes) -> str:
    """The compression that a file beginning like this has, empty for none."""
    return next((name for name, magic in COMPRESSIONS.items() if head.startswith(magic)), "")


def unpacking_source(descriptor: int, compression: str, limits: Limits) -> ByteSource:
    """The unpacked bytes of an open file."""
    if compression in _STREAMS:
        return StreamSource(descriptor, compression, _Allowance(limits))
    return ArrowSource(descriptor, compression, _Allowance(limits))


@dataclass
class _Allowance:
    """Counts unpacked bytes against the limits."""

    limits: Limits
    unpacked: int = 0

    def take(self, piece: bytes, stored: int) -> tuple[bytes, str]:
        """As much of `piece` as is allowed, `stored` bytes of the file being read, and in words which limit
        the rest exceeds; else empty."""
        by_ratio = max(FREE_BYTES, stored * self.limits.unpacked_ratio)
        allowed = min(by_ratio, self.limits.unpacked_bytes) - self.unpacked
        kept = piece[:allowed]
        self.unpacked += len(kept)
        if len(kept) == len(piece):
            return kept, ""
        if self.unpacked == self.limits.unpacked_bytes:
            limit = f"{self.limits.unpacked_bytes:,} bytes, the limit unpacked_bytes"
        else:
            limit = f"{self.limits.unpacked_ratio:,} times its size, the limit unpacked_ratio"
        return kept, f"it unpacks to more than {limit}"


class StreamSource:
    """gzip, bzip2 and xz, by the standard library."""

    counted_in = " of the unpacked data"

    def __init__(self, descriptor: int, compression: str, allowance: _Allowance) -> None:
        self.bytes_done = 0
        self.damage = ""
        self._descriptor = descriptor
        self._compression = compression
        self._allowance = allowance
        self._stream = _STREAMS[compression]()
        self._packed = b""
        self._between_members = False

    def read_into(self, view: memoryview) -> int:
        """See ByteSource."""
        filled = 0
        while filled < len(view) and not self.damage:
            if self._stream.needs_input and not self._packed and not self._refill():
                break
            piece = self._unpack(min(len(view) - filled, _PIECE_BYTES))
            view[filled : filled + len(piece)] = piece
            filled += len(piece)
            if self._stream.eof and not self.damage:
                self._next_member()
        return filled

    def _unpack(self, room: int) -> bytes:
        try:
            piece = self._stream.decompress(self._packed, room)
        except (zlib.error, lzma.LZMAError, OSError, ValueError) as error:
            big = isinstance(error, lzma.LZMAError) and "memory" in str(error).lower()
            need = f"needs more than {LZMA_MEMORY_BYTES >> 20} MiB of memory to unpack"
            self.damage = f"the {self._compression} data {need if big else 'is damaged'}"
            return b""
        self._packed = b""
        self._between_members = False
        piece, self.damage = self._allowance.take(piece, self.bytes_done)
        return piece

    def _refill(self) -> bool:
        while read := os.pread(self._descriptor, _PACKED_BYTES, self.bytes_done):
            self.bytes_done += len(read)
            self._packed = read.lstrip(b"\x00") if self._between_members else read
            if self._packed:
                return True
        if not self._between_members:
            self.damage = f"the {self._compression} data ends early"
        return False

    def _next_member(self) -> None:
        """Members follow one another; zero bytes after the last are padding."""
        self._packed = self._stream.unused_data.lstrip(b"\x00")
        self._stream = _STREAMS[self._compression]()
        self._between_members = not self._packed


class ArrowSource:
    """zstd and lz4 frames, by Arrow's codecs."""

    counted_in = " of the unpacked data"

    def __init__(self, descriptor: int, compression: str, allowance: _Allowance) -> None:
        self.damage = ""
        self._descriptor = descriptor
        self._compression = compression
        self._allowance = allowance
        self._file, self._stream = self._open()

    @property
    def bytes_done(self) -> int:
        """See ByteSource."""
        return self._file.tell()

    def _open(self) -> tuple[io.BufferedReader, Any]:
        import pyarrow as pa  # only for these two formats

        os.lseek(self._descriptor, 0, os.SEEK_SET)
        file = open(self._descriptor, "rb", closefd=False)  # noqa: SIM115 - the descriptor is the opener's
        stream = pa.PythonFile(file, mode="r")
        return file, pa.CompressedInputStream(stream, _ARROW_CODECS[self._compression])

    def read_into(self, view: memoryview) -> int:
        """See ByteSource."""
        filled = 0
        while filled < len(view) and not self.damage:
            try:
                piece = self._stream.read(min(len(view) - filled, _PIECE_BYTES))
            except OSError as error:
                piece = self._rescue(str(error), len(view) - filled)
            if not piece:
                break
            piece, excess = self._allowance.take(piece, self.bytes_done)
            if excess:
                self.damage = excess
            view[filled : filled + len(piece)] = piece
            filled += len(piece)
        return filled

    def _rescue(self, error: str, room: int) -> bytes:
        """The good bytes before the damage, which the read that met it has thrown away: read once more, byte by
        byte. (The stream itself gives garbage after an error.)"""
        self.damage = f"the {self._compression} data {_damage_in_words(error.lower())}"
        delivered = self._allowance.unpacked
        self._file, self._stream = self._open()
        good = bytearray()
        try:
            while delivered:
                delivered -= len(self._stream.read(min(delivered, _PIECE_BYTES)))
            while len(good) < room and (byte := self._stream.read(1)):
                good += byte
        except OSError:
            pass
        return bytes(good)


def _damage_in_words(error: str) -> str:
    if "memory" in error:
        return "needs more than 128 MiB of memory to unpack"
    return "ends early" if "truncated" in error else "is damaged"
