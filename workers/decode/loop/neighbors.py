"""ARP packets and neighbor advertisements: which link address claims which network address (RFC 826, RFC 4861)."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

from typing import Final

import numpy as np

from backend.forensics.messages import NEIGHBOR_ANSWER, NEIGHBOR_QUESTION
from backend.forensics.packets import ICMPV6
from workers.decode.loop.compiler import apart, compiled
from workers.decode.loop.message_records import Memory
from workers.decode.loop.octets import Buffer, big16, big32, big64
from workers.decode.loop.records import Record

ARP: Final = 0x0806
_ARP_BYTES: Final = 28
_ETHERNET, _IPV4 = 0x00010800, 0x0604
"""Hardware and protocol type, their lengths: the only ones that hosts send today."""
_REQUEST, _REPLY = 1, 2
_ADVERTISEMENT: Final = 136
_ADVERTISEMENT_BYTES: Final = 24
_TARGET_LINK_OPTION: Final = 0x0201
"""Type 2, one unit of 8 bytes."""
_V4_MAPPED = np.uint64(0xFFFF00000000)


@compiled
def _new_row(m: Memory, row: Record) -> Record:
    state = m.states[0]
    claim = m.neighbors[state.neighbors]
    state.neighbors += 1
    claim.frame, claim.time_ns, claim.vantage = row.frame, row.time_ns, row.vantage
    return claim


@compiled
def read_arp(m: Memory, buffer: Buffer, at: int, end: int, row: Record) -> None:
    """Notes the ARP packet at `at`. A probe, which has no sender address (RFC 5227), claims nothing."""
    apart()
    if at + _ARP_BYTES > end or big32(buffer, at) != _ETHERNET or big16(buffer, at + 4) != _IPV4:
        return
    operation, sender = big16(buffer, at + 6), big32(buffer, at + 14)
    if operation not in (_REQUEST, _REPLY) or sender == 0:
        return
    claim = _new_row(m, row)
    claim.kind = NEIGHBOR_ANSWER if operation == _REPLY else NEIGHBOR_QUESTION
    claim.link_address = np.uint64(big16(buffer, at + 8)) << np.uint64(32) | np.uint64(big32(buffer, at + 10))
    claim.sender_high = claim.target_high = np.uint64(0)
    claim.sender_low = _V4_MAPPED | np.uint64(sender)
    claim.target_low = _V4_MAPPED | np.uint64(big32(buffer, at + 24))


@compiled
def read_neighbor_advertisement(m: Memory, buffer: Buffer, at: int, end: int, row: Record) -> None:
    """Notes the ICMPv6 message at `at` if it is a neighbor advertisement that states a link address."""
    if row.protocol != ICMPV6 or row.icmp_type != _ADVERTISEMENT or at + _ADVERTISEMENT_BYTES + 8 > end:
        return
    if big16(buffer, at + _ADVERTISEMENT_BYTES) != _TARGET_LINK_OPTION:
        return
    claim = _new_row(m, row)
    claim.kind = NEIGHBOR_ANSWER
    option = at + _ADVERTISEMENT_BYTES
    claim.link_address = np.uint64(big16(buffer, option + 2)) << np.uint64(32) | np.uint64(
        big32(buffer, option + 4)
    )
    claim.sender_high, claim.sender_low = big64(buffer, at + 8), big64(buffer, at + 16)
    claim.target_high, claim.target_low = row.destination_high, row.destination_low
