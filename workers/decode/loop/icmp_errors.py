"""ICMP errors and the packets they quote (RFC 792, RFC 1191, RFC 4443)."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

from typing import Final

import numpy as np

from backend.forensics.packets import ICMP, ICMPV6, TCP, UDP
from workers.decode.loop.compiler import compiled
from workers.decode.loop.octets import Buffer, big16, big32, big64
from workers.decode.loop.records import Record
from workers.decode.loop.tuples import find_slot, tuple_hash

_V4_MAPPED = np.uint64(0xFFFF00000000)
_HEADER_BYTES: Final = 8
_UNREACHABLE, _FRAGMENTATION_NEEDED, _PACKET_TOO_BIG = 3, 4, 2


@compiled
def quotes_packet(row: Record) -> bool:
    """Whether the ICMP message is an error with the packet that caused it."""
    if row.protocol == ICMP:
        return row.icmp_type in (3, 4, 5, 11, 12)
    return row.protocol == ICMPV6 and row.icmp_type in (1, 2, 3, 4)


@compiled
def _quoted_v4(error: Record, buffer: Buffer, at: int, end: int) -> int:
    if at + 20 > end:
        return -1
    error.quoted_protocol = buffer[at + 9]
    error.quoted_bytes = big16(buffer, at + 2)
    error.quoted_source_high = error.quoted_destination_high = np.uint64(0)
    error.quoted_source_low = _V4_MAPPED | np.uint64(big32(buffer, at + 12))
    error.quoted_destination_low = _V4_MAPPED | np.uint64(big32(buffer, at + 16))
    if big16(buffer, at + 6) & 0x1FFF:
        return -1
    return at + (np.int64(buffer[at]) & 15) * 4


@compiled
def _quoted_v6(error: Record, buffer: Buffer, at: int, end: int) -> int:
    if at + 40 > end:
        return -1
    error.quoted_protocol = buffer[at + 6]
    error.quoted_bytes = 40 + big16(buffer, at + 4)
    error.quoted_source_high, error.quoted_source_low = big64(buffer, at + 8), big64(buffer, at + 16)
    error.quoted_destination_high = big64(buffer, at + 24)
    error.quoted_destination_low = big64(buffer, at + 32)
    return at + 40


@compiled
def _mtu(row: Record, buffer: Buffer, at: int) -> int:
    if row.protocol == ICMP:
        if row.icmp_type == _UNREACHABLE and row.icmp_code == _FRAGMENTATION_NEEDED:
            return big16(buffer, at + 6)
        return np.int64(0)
    return big32(buffer, at + 4) if row.icmp_type == _PACKET_TOO_BIG else np.int64(0)


@compiled
def read_icmp_error(error: Record, row: Record, buffer: Buffer, at: int, end: int) -> None:
    """Fills `error` from the ICMP message at `at`, whose packet is `row`."""
    error.frame, error.time_ns, error.vantage = row.frame, row.time_ns, row.vantage
    error.connection, error.ip_version = row.connection, row.ip_version
    error.type, error.code = row.icmp_type, row.icmp_code
    error.sender_high, error.sender_low = row.source_high, row.source_low
    error.receiver_high, error.receiver_low = row.destination_high, row.destination_low
    error.quoted_protocol = error.mtu_bytes = error.quoted_bytes = 0
    error.quoted_source_high = error.quoted_source_low = np.uint64(0)
    error.quoted_destination_high = error.quoted_destination_low = np.uint64(0)
    error.quoted_source_port = error.quoted_destination_port = error.quoted_sequence = 0
    if at + _HEADER_BYTES >= end:
        return
    error.mtu_bytes = _mtu(row, buffer, at)
    at += _HEADER_BYTES
    version = buffer[at] >> 4
    transport = -1
    if version == 4 and row.protocol == ICMP:
        transport = _quoted_v4(error, buffer, at, end)
    elif version == 6 and row.protocol == ICMPV6:
        transport = _quoted_v6(error, buffer, at, end)
    if transport < 0 or transport + 8 > end or error.quoted_protocol not in (TCP, UDP):
        return
    error.quoted_source_port, error.quoted_destination_port = (
        big16(buffer, transport),
        big16(buffer, transport + 2),
    )
    if error.quoted_protocol == TCP:
        error.quoted_sequence = big32(buffer, transport + 4)


@compiled
def join_quoted(error: Record, row: Record, slots: Record, network: int, connections: Record) -> None:
    """Gives the error, and its packet, the ports and the connection of the packet it quotes."""
    if error.quoted_source_port == 0 and error.quoted_destination_port == 0:
        return
    row.source_port, row.destination_port = error.quoted_source_port, error.quoted_destination_port
    row.sequence = error.quoted_sequence
    # The table is asked with this packet's row, which wears the quoted packet's addresses for a moment.
    protocol = row.protocol
    row.protocol = error.quoted_protocol
    row.source_high, row.source_low = error.quoted_source_high, error.quoted_source_low
    row.destination_high, row.destination_low = error.quoted_destination_high, error.quoted_destination_low
    slot, side = find_slot(slots, connections, row, network, tuple_hash(row, network))
    if side >= 0:
        row.connection = np.int64(slots[slot].connection) - 1
        error.connection = row.connection
    row.protocol = protocol
    row.source_high, row.source_low = error.sender_high, error.sender_low
    row.destination_high, row.destination_low = error.receiver_high, error.receiver_low
