"""Tunnels in UDP. A port makes a candidate; fixed bits and an IP header inside make a tunnel.

What is neither stays the UDP packet that it is.
"""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import numpy as np

from backend.forensics.packets import DECODED_NETWORK
from backend.forensics.tunnels import (
    ESP_IN_UDP,
    FLANNEL_UDP,
    GENEVE,
    GTP_U,
    L2TP,
    TEREDO,
    VXLAN,
    VXLAN_GPE,
    WIREGUARD,
)
from workers.decode.loop.compiler import compiled
from workers.decode.loop.inside import CUT, YES, leads_to_ip
from workers.decode.loop.octets import Buffer, big16, big32
from workers.decode.loop.paths import push_between
from workers.decode.loop.ppp import ppp
from workers.decode.loop.records import (
    BRIDGED,
    CUT_TUNNEL,
    DONE,
    IPV4,
    IPV6,
    OPAQUE_ESP,
    OPAQUE_WIREGUARD,
    TOO_DEEP,
    Record,
)

_NOT_IT = -1
_CUT = -2
_ANY_ROOM = 1 << 20
_MAX_EXTENSIONS = 8


@compiled
def _of_either_end(port: int) -> int:
    """Tunnels whose answers come from the port that was asked."""
    if port == 8285:
        return FLANNEL_UDP
    if port == 2152:
        return GTP_U
    if port == 3544:
        return TEREDO
    if port == 1701:
        return L2TP
    return ESP_IN_UDP if port == 4500 else 0


@compiled
def _candidate(source: int, destination: int) -> int:
    """The kind of tunnel that the ports stand for, or 0."""
    if destination in (4789, 8472):  # IANA's; Linux's before it had one, flannel's and Cilium's
        return VXLAN
    if destination == 6081:
        return GENEVE
    if destination == 4790:
        return VXLAN_GPE
    kind = _of_either_end(destination)
    return kind if kind else _of_either_end(source)


@compiled
def _vxlan(buffer: Buffer, at: int, end: int) -> tuple[int, int, int]:
    """RFC 7348; the first bit and bytes 2 and 3 are those of the group policy extension."""
    if at + 8 > end:
        return _CUT, at, -1
    flags = buffer[at]
    if flags & 0x7F != 0x08 or buffer[at + 7] != 0:
        return _NOT_IT, at, -1
    if not flags & 0x80 and big32(buffer, at) & 0x00FFFFFF:
        return _NOT_IT, at, -1
    return BRIDGED, at + 8, big32(buffer, at + 4) >> 8


@compiled
def _vxlan_gpe(buffer: Buffer, at: int, end: int) -> tuple[int, int, int]:
    """draft-ietf-nvo3-vxlan-gpe: version 0, instance and next protocol bits, next protocol in byte 3."""
    if at + 8 > end:
        return _CUT, at, -1
    if buffer[at] & 0xFC != 0x0C or big16(buffer, at + 1) or buffer[at + 7] != 0:
        return _NOT_IT, at, -1
    number = big32(buffer, at + 4) >> 8
    carried = buffer[at + 3]
    if carried == 1:
        return IPV4, at + 8, number
    if carried == 2:
        return IPV6, at + 8, number
    return (BRIDGED if carried == 3 else _NOT_IT), at + 8, number


@compiled
def _geneve(buffer: Buffer, at: int, end: int) -> tuple[int, int, int]:
    """RFC 8926: version 0, options of up to 252 bytes, an EtherType, the network id."""
    if at + 8 > end:
        return _CUT, at, -1
    if buffer[at] >> 6 or buffer[at + 1] & 0x3F or buffer[at + 7] != 0:
        return _NOT_IT, at, -1
    size = 8 + 4 * (np.int64(buffer[at]) & 0x3F)
    return big16(buffer, at + 2), at + size, big32(buffer, at + 4) >> 8


@compiled
def _bare_ip(buffer: Buffer, at: int, end: int) -> tuple[int, int, int]:
    if at >= end:
        return _CUT, at, -1
    return (IPV6 if buffer[at] >> 4 == 6 else IPV4), at, -1


@compiled
def _gtp_extensions(buffer: Buffer, at: int, end: int, has_extensions: bool) -> int:
    """Offset behind the optional fields and the extension headers, _NOT_IT or _CUT."""
    if at + 4 > end:
        return _CUT
    following = np.int64(buffer[at + 3]) if has_extensions else np.int64(0)
    at += 4
    for _ in range(_MAX_EXTENSIONS):
        if following == 0:
            return at
        if at >= end:
            return _CUT
        size = 4 * np.int64(buffer[at])
        if size == 0:
            return _NOT_IT
        if at + size > end:
            return _CUT
        following = np.int64(buffer[at + size - 1])
        at += size
    return at


@compiled
def _gtp_u(buffer: Buffer, at: int, end: int, room: int) -> tuple[int, int, int]:
    """3GPP TS 29.281 section 5: version 1, a G-PDU, extension headers, an IP packet."""
    if at + 8 > end:
        return _CUT, at, -1
    flags = buffer[at]
    if flags & 0xF8 != 0x30 or buffer[at + 1] != 255 or big16(buffer, at + 2) + 8 > room:
        return _NOT_IT, at, -1
    number = big32(buffer, at + 4)
    inner = at + 8
    if flags & 0x07:
        inner = _gtp_extensions(buffer, at + 8, end, flags & 0x04 != 0)
    if inner < 0:
        return inner, at, -1
    ether_type, inner, _ = _bare_ip(buffer, inner, end)
    return ether_type, inner, number


@compiled
def _teredo(buffer: Buffer, at: int, end: int) -> tuple[int, int, int]:
    """RFC 4380 section 5.1.1: authentication and origin may come before the IPv6 packet."""
    if at + 8 <= end and big16(buffer, at) == 1:
        at += 13 + np.int64(buffer[at + 2]) + np.int64(buffer[at + 3])
    if at + 8 <= end and big16(buffer, at) == 0:
        at += 8
    return (IPV6 if at < end else _CUT), at, -1


@compiled
def _l2tp(buffer: Buffer, at: int, end: int) -> tuple[int, int, int]:
    """RFC 2661: a data message of version 2 with optional length, sequence numbers and offset; PPP inside."""
    if at + 16 > end:
        return _CUT, at, -1
    flags = big16(buffer, at)
    if flags & 0xB4FF != 0x0002:  # a control message, reserved bits or another version
        return _NOT_IT, at, -1
    at += 4 if flags & 0x4000 else 2
    number = big16(buffer, at + 2)
    at += 8 if flags & 0x0800 else 4
    if flags & 0x0200:
        if at + 2 > end:
            return _CUT, at, -1
        at += 2 + big16(buffer, at)
    ether_type, at = ppp(buffer, at, end)
    return (ether_type if ether_type in (IPV4, IPV6) else _NOT_IT), at, number


@compiled
def _header(buffer: Buffer, at: int, end: int, room: int, kind: int) -> tuple[int, int, int]:
    """(EtherType inside, its offset, network id or -1) of a candidate; _NOT_IT or _CUT instead of the first."""
    if kind == VXLAN:
        return _vxlan(buffer, at, end)
    if kind == GENEVE:
        return _geneve(buffer, at, end)
    if kind == VXLAN_GPE:
        return _vxlan_gpe(buffer, at, end)
    if kind == GTP_U:
        return _gtp_u(buffer, at, end, room)
    if kind == TEREDO:
        return _teredo(buffer, at, end)
    if kind == L2TP:
        return _l2tp(buffer, at, end)
    return _bare_ip(buffer, at, end)


@compiled
def _is_wireguard(buffer: Buffer, at: int, end: int, size: int) -> bool:
    """Message type, three zero bytes, and the length that each type has (WireGuard paper, section 5.4).

    Data have multiples of 16 bytes; a counter below 2^48 keeps other protocols apart."""
    if at + 4 > end or big16(buffer, at + 1) != 0 or buffer[at + 3] != 0:
        return False
    kind = buffer[at]
    if kind == 1:
        return size == 148
    if kind == 2:
        return size == 92
    if kind == 3:
        return size == 64
    if kind != 4 or size < 32 or size % 16 or at + 16 > end:
        return False
    return big32(buffer, at + 4) != 0 and big16(buffer, at + 14) == 0


@compiled
def _opaque(
    buffer: Buffer, at: int, end: int, size: int, kind: int, state: Record, layers: Record, row: Record
) -> int:
    """Marks what is encrypted as such; the UDP flow around it is what can be analysed."""
    if kind == ESP_IN_UDP:  # RFC 3948: four zero bytes would be IKE, a single byte is a keep-alive
        if size < 20 or at + 4 > end or big32(buffer, at) == 0:
            return DONE
        push_between(state, layers, ESP_IN_UDP, -1, row)
    elif _is_wireguard(buffer, at, end, size):
        push_between(state, layers, WIREGUARD, -1, row)
    else:
        return DONE
    state.kept = state.depth
    return OPAQUE_ESP if kind == ESP_IN_UDP else OPAQUE_WIREGUARD


@compiled
def _enter(row: Record) -> None:
    """The row is about to hold the inner headers."""
    row.layers = DECODED_NETWORK
    row.source_port = row.destination_port = 0
    row.payload_bytes = 0


@compiled
def inside_udp(
    buffer: Buffer, at: int, end: int, size: int, state: Record, layers: Record, row: Record
) -> tuple[int, int]:
    """(EtherType and offset inside the UDP payload at `at`), or DONE, or a reason to count.

    `size`: bytes of the payload by the lengths in the headers."""
    kind = _candidate(row.source_port, row.destination_port)
    if kind == 0 or kind == ESP_IN_UDP:
        return _opaque(buffer, at, end, size, kind, state, layers, row), at
    is_cut = at + size > end and state.piece == 0
    # The first fragment of a packet is shorter than what its inner headers say.
    room = size if state.piece == 0 else _ANY_ROOM
    ether_type, inner, number = _header(buffer, at, min(end, at + size), room, kind)
    if ether_type == _NOT_IT:
        return _opaque(buffer, at, end, size, 0, state, layers, row), at
    found = CUT
    if ether_type != _CUT:
        found = leads_to_ip(buffer, inner, min(end, at + size), room - (inner - at), ether_type)
    if found != YES:
        return (CUT_TUNNEL if found == CUT and is_cut else DONE), at
    if not push_between(state, layers, kind, number, row):
        return TOO_DEEP, at
    _enter(row)
    return ether_type, inner
