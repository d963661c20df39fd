"""Packs bytes in every compression that is read, with other people's writers."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable

import pyarrow as pa
import zstandard


def _lz4(data: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "lz4") as stream:
        stream.write(data)
    packed: bytes = sink.getvalue().to_pybytes()
    return packed


def _zstd(data: bytes) -> bytes:
    packed: bytes = zstandard.ZstdCompressor(write_checksum=True).compress(data)
    return packed


def _gzip(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": _gzip,
    "zstd": _zstd,
    "lz4": _lz4,
    "xz": lzma.compress,
    "bzip2": bz2.compress,
}
"""By the name in `unpacking.COMPRESSIONS`."""
