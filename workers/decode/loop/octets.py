"""Numbers out of bytes. Results are int64 (or uint64 where said): numba computes in floats when they mix."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workers.decode.loop.compiler import compiled

Buffer = NDArray[np.uint8]


@compiled
def big16(buffer: Buffer, at: int) -> int:
    """16 bits in network order."""
    return (np.int64(buffer[at]) << 8) | np.int64(buffer[at + 1])


@compiled
def big32(buffer: Buffer, at: int) -> int:
    """32 bits in network order."""
    return (big16(buffer, at) << 16) | big16(buffer, at + 2)


@compiled
def little32(buffer: Buffer, at: int) -> int:
    """32 bits, least significant byte first."""
    low = np.int64(buffer[at]) | (np.int64(buffer[at + 1]) << 8)
    return low | (np.int64(buffer[at + 2]) << 16) | (np.int64(buffer[at + 3]) << 24)


@compiled
def file32(buffer: Buffer, at: int, big: bool) -> int:
    """32 bits in the file's own byte order."""
    if big:
        return big32(buffer, at)
    return little32(buffer, at)


@compiled
def file16(buffer: Buffer, at: int, big: bool) -> int:
    """16 bits in the file's own byte order."""
    if big:
        return big16(buffer, at)
    return np.int64(buffer[at]) | (np.int64(buffer[at + 1]) << 8)


@compiled
def big64(buffer: Buffer, at: int) -> int:
    """64 bits in network order, as uint64."""
    return (np.uint64(big32(buffer, at)) << np.uint64(32)) | np.uint64(big32(buffer, at + 4))


@compiled
def after(a: int, b: int) -> int:
    """a − b of two 32-bit sequence numbers, in −2^31 … 2^31 − 1 (RFC 9293 section 3.4)."""
    return ((np.int64(a) - np.int64(b) + 0x80000000) & 0xFFFFFFFF) - 0x80000000
