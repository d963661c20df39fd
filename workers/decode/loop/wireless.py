"""IEEE 802.11 data frames, bare or behind a radiotap header. Encrypted ones stay opaque."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import numpy as np

from workers.decode.loop.compiler import compiled
from workers.decode.loop.octets import Buffer, file16, little32
from workers.decode.loop.records import CUT_LINK, ENCRYPTED_WIRELESS, NOT_A_NETWORK, WIRELESS_CONTROL
from workers.decode.loop.snap import llc

_DATA = 2
_NO_DATA = 0x4  # bit of the subtype
_QOS = 0x8
_BOTH_DISTRIBUTION = 0x0300  # to and from the distribution system: four addresses
_PROTECTED = 0x4000
_ORDER = 0x8000
_AGGREGATE = 0x80  # A-MSDU present, of the QoS control field
_SUBFRAME_HEADER = 14  # destination, source, length
_MORE_PRESENT = 0x80000000
_TSFT, _FLAGS = 1, 2
_PADDED = 0x20  # of the radiotap flags: the frame header is padded to four bytes


@compiled
def _header_bytes(control: int) -> int:
    size = 24
    if control & _BOTH_DISTRIBUTION == _BOTH_DISTRIBUTION:
        size += 6
    if (control >> 4) & _QOS:
        size += 2
        if control & _ORDER:
            size += 4
    return size


@compiled
def _is_aggregate(buffer: Buffer, at: int, control: int) -> bool:
    if not (control >> 4) & _QOS:
        return False
    quality = at + (30 if control & _BOTH_DISTRIBUTION == _BOTH_DISTRIBUTION else 24)
    return buffer[quality] & _AGGREGATE != 0


@compiled
def wireless(buffer: Buffer, at: int, end: int, padded: bool) -> tuple[int, int]:
    """(EtherType, offset) of a data frame; of several aggregated packets the first is read."""
    if at + 2 > end:
        return CUT_LINK, at
    control = file16(buffer, at, False)
    subtype = (control >> 4) & 15
    if (control >> 2) & 3 != _DATA or subtype & _NO_DATA:
        return WIRELESS_CONTROL, at
    if control & _PROTECTED:
        return ENCRYPTED_WIRELESS, at
    size = _header_bytes(control)
    if at + size > end:
        return CUT_LINK, at
    if file16(buffer, at + 22, False) & 15:  # a later fragment carries no LLC header
        return NOT_A_NETWORK, at
    is_aggregate = _is_aggregate(buffer, at, control)
    if padded:
        size = (size + 3) & ~3
    return llc(buffer, at + size + (_SUBFRAME_HEADER if is_aggregate else 0), end)


@compiled
def _radiotap_flags(buffer: Buffer, at: int, length: int) -> int:
    """The flags field: it follows the words that say what is present, and a time that is aligned to 8."""
    present = little32(buffer, at + 4)
    if not present & _FLAGS:
        return 0
    field = 8
    word = present
    while word & _MORE_PRESENT:
        if field + 4 > length:
            return 0
        word = little32(buffer, at + field)
        field += 4
    if present & _TSFT:
        field = ((field + 7) & ~7) + 8
    if field >= length:
        return 0
    return np.int64(buffer[at + field])


@compiled
def radiotap(buffer: Buffer, at: int, end: int) -> tuple[int, int]:
    """Version 0, a pad byte, the length of all fields; then the frame."""
    if at + 8 > end:
        return CUT_LINK, at
    length = file16(buffer, at + 2, False)
    if buffer[at] != 0 or length < 8:
        return NOT_A_NETWORK, at
    if at + length > end:
        return CUT_LINK, at
    return wireless(buffer, at + length, end, _radiotap_flags(buffer, at, length) & _PADDED != 0)
