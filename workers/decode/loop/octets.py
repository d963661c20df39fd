"""Numbers out of bytes. Results are int64 (or uint64 where said): numba computes in floats when they mix."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workers.decode.loop.compiler import compiled, together
from workers.decode.loop.wide import load_big16, load_big32, load_big64, load_little16, load_little32

Buffer = NDArray[np.uint8]


@compiled
def big16(buffer: Buffer, at: int) -> int:
    """16 bits in network order."""
    together()
    return load_big16(buffer, at)


@compiled
def big32(buffer: Buffer, at: int) -> int:
    """32 bits in network order."""
    together()
    return load_big32(buffer, at)


@compiled
def little32(buffer: Buffer, at: int) -> int:
    """32 bits, least significant byte first."""
    together()
    return load_little32(buffer, at)


@compiled
def file32(buffer: Buffer, at: int, big: bool) -> int:
    """32 bits in the file's own byte order."""
    together()
    if big:
        return big32(buffer, at)
    return little32(buffer, at)


@compiled
def file16(buffer: Buffer, at: int, big: bool) -> int:
    """16 bits in the file's own byte order."""
    together()
    if big:
        return big16(buffer, at)
    return load_little16(buffer, at)


@compiled
def big64(buffer: Buffer, at: int) -> int:
    """64 bits in network order, as uint64."""
    return load_big64(buffer, at)


@compiled
def after(a: int, b: int) -> int:
    """a − b of two 32-bit sequence numbers, in −2^31 … 2^31 − 1 (RFC 9293 section 3.4)."""
    together()
    return ((np.int64(a) - np.int64(b) + 0x80000000) & 0xFFFFFFFF) - 0x80000000
