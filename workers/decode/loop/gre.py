"""GRE (RFC 2784, 2890, 2637), NVGRE (RFC 7637) and ERSPAN."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import numpy as np

from backend.forensics.tunnels import ERSPAN, GRE, NVGRE
from workers.decode.loop.compiler import compiled
from workers.decode.loop.octets import Buffer, big16, big32
from workers.decode.loop.paths import push_between
from workers.decode.loop.records import (
    BRIDGED,
    CISCO_METADATA,
    CUT_TUNNEL,
    PPP_FRAME,
    PROTOCOL_BASE,
    TOO_DEEP,
    Record,
)

_GRE = 47
_CHECKSUM, _ROUTING, _KEY, _SEQUENCE, _ACKNOWLEDGEMENT = 0x8000, 0x4000, 0x2000, 0x1000, 0x0080
_VERSION = 0x0007
_ERSPAN_2, _ERSPAN_3 = 0x88BE, 0x22EB
_FIRST_VSID = 0x1000  # lower ones are reserved (RFC 7637 section 3.3)


@compiled
def _fields_bytes(flags: int) -> int:
    size = 4
    for flag in (_CHECKSUM, _KEY, _SEQUENCE):
        if flags & flag:
            size += 4
    if flags & _VERSION == 1 and flags & _ACKNOWLEDGEMENT:
        size += 4
    return size


@compiled
def _is_read(flags: int, protocol: int) -> bool:
    """Version 0, or 1 with PPP (RFC 2637); no source routes, keep-alives (protocol 0) and bare answers."""
    if flags & _ROUTING or flags & _VERSION > 1 or protocol < 0x0600:
        return False
    if protocol == PPP_FRAME:
        return flags & _VERSION == 1 and flags & _SEQUENCE != 0
    return flags & _VERSION == 0


@compiled
def _erspan(
    buffer: Buffer, at: int, end: int, flags: int, state: Record, layers: Record, row: Record
) -> tuple[int, int]:
    """Type I has no header of its own; II has eight bytes, III twelve and perhaps eight more."""
    if not flags & _SEQUENCE:
        if not push_between(state, layers, ERSPAN, -1, row):
            return TOO_DEEP, at
        return BRIDGED, at
    if at + 12 > end:
        return CUT_TUNNEL, at
    version = buffer[at] >> 4
    size = 8
    if version == 2:
        size = 20 if buffer[at + 11] & 1 else 12
    elif version != 1:
        return PROTOCOL_BASE + _GRE, at
    if not push_between(state, layers, ERSPAN, big16(buffer, at + 2) & 0x03FF, row):
        return TOO_DEEP, at
    return BRIDGED, at + size


@compiled
def _push_gre(
    buffer: Buffer, at: int, flags: int, protocol: int, state: Record, layers: Record, row: Record
) -> bool:
    """The layer with its key. Bridged Ethernet with a key of NVGRE's form has a network id and a flow id in it."""
    if flags & _VERSION == 1 or not flags & _KEY:
        return push_between(state, layers, GRE, -1, row)
    key = big32(buffer, at + (8 if flags & _CHECKSUM else 4))
    if protocol == BRIDGED and not flags & (_CHECKSUM | _SEQUENCE) and key >> 8 >= _FIRST_VSID:
        return push_between(state, layers, NVGRE, key >> 8, row)
    return push_between(state, layers, GRE, key, row)


@compiled
def gre(buffer: Buffer, at: int, end: int, state: Record, layers: Record, row: Record) -> tuple[int, int]:
    """(EtherType or reason, offset) of what GRE carries."""
    if at + 4 > end:
        return CUT_TUNNEL, at
    flags, protocol = big16(buffer, at), big16(buffer, at + 2)
    size = _fields_bytes(flags)
    if at + size > end:
        return CUT_TUNNEL, at
    if not _is_read(flags, protocol):
        return PROTOCOL_BASE + _GRE, at
    if protocol in (_ERSPAN_2, _ERSPAN_3):
        return _erspan(buffer, at + size, end, flags, state, layers, row)
    if not _push_gre(buffer, at, flags, protocol, state, layers, row):
        return TOO_DEEP, at
    at += size
    if protocol == CISCO_METADATA:  # here its EtherType comes first
        if at + 8 > end:
            return CUT_TUNNEL, at
        return np.int64(big16(buffer, at)), at + 8
    return protocol, at
