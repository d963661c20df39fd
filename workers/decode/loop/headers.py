"""From the link header to the innermost transport header that can be read."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import numpy as np

from backend.forensics.packets import DECODED_LINK, DECODED_NETWORK, DECODED_TRANSPORT, TCP, UDP
from backend.forensics.tunnels import ETHER_IP, IP_IN_IP
from workers.decode.loop.checksums import transport_checksum
from workers.decode.loop.compiler import compiled, together
from workers.decode.loop.fragments import place_piece
from workers.decode.loop.gre import gre
from workers.decode.loop.link import ethernet, network_header, tagged
from workers.decode.loop.mpls import mpls
from workers.decode.loop.neighbors import ARP
from workers.decode.loop.network import step_over_authentication, transport_header
from workers.decode.loop.octets import Buffer, big16
from workers.decode.loop.paths import push_between
from workers.decode.loop.ppp import ppp, pppoe
from workers.decode.loop.records import (
    BRIDGED,
    CISCO_METADATA,
    CUT_EXTENSION,
    CUT_LINK,
    CUT_NETWORK,
    CUT_TRANSPORT,
    CUT_TUNNEL,
    DONE,
    GO_ON,
    IPV4,
    IPV6,
    LINK_UNKNOWN,
    MPLS_FRAME,
    MPLS_MULTICAST,
    PPP_FRAME,
    PPPOE_SESSION,
    PROTOCOL_BASE,
    TOO_DEEP,
    Record,
)
from workers.decode.loop.transport import read_transport
from workers.decode.loop.udp_tunnels import inside_udp

_NO_IP = 255
_IPV4_IN_IP, _IPV6_IN_IP, _GRE, _AUTHENTICATION, _ETHER_IP, _MPLS_IN_IP = 4, 41, 47, 51, 97, 137
_ETHER_IP_VERSION = 0x3000  # RFC 3378
_MAX_HEADERS = 40
"""Steps of the descent; the depth of the path ends it earlier in all but senseless packets."""


@compiled
def _cisco_metadata(buffer: Buffer, at: int, end: int) -> tuple[int, int]:
    """Version 1, length 1, one option with a security group tag, then an EtherType."""
    if at + 8 > end:
        return CUT_LINK, at
    if big16(buffer, at) != 0x0101:
        return CISCO_METADATA, at
    return np.int64(big16(buffer, at + 6)), at + 8


@compiled
def _below(
    buffer: Buffer, at: int, end: int, ether_type: int, state: Record, layers: Record, row: Record
) -> tuple[int, int]:
    """Reads one header that is no IP; the same offset when its EtherType is not read."""
    if ether_type == BRIDGED:
        return ethernet(buffer, at, end, state, layers, row)
    if ether_type in (MPLS_FRAME, MPLS_MULTICAST):
        return mpls(buffer, at, end, state, layers)
    if ether_type == PPPOE_SESSION:
        return pppoe(buffer, at, end, state, layers)
    if ether_type == PPP_FRAME:
        return ppp(buffer, at, end)
    if ether_type == CISCO_METADATA:
        return _cisco_metadata(buffer, at, end)
    return tagged(buffer, at, end, ether_type, state, layers, row)


@compiled
def _ether_ip(
    buffer: Buffer, at: int, end: int, state: Record, layers: Record, row: Record
) -> tuple[int, int]:
    if at + 2 > end:
        return CUT_TUNNEL, at
    if big16(buffer, at) != _ETHER_IP_VERSION:
        return PROTOCOL_BASE + _ETHER_IP, at
    if not push_between(state, layers, ETHER_IP, -1, row):
        return TOO_DEEP, at
    return BRIDGED, at + 2


@compiled
def _inside_ip(
    buffer: Buffer, at: int, end: int, state: Record, layers: Record, row: Record
) -> tuple[int, int]:
    """IP protocols that carry packets."""
    if row.protocol == _GRE:
        return gre(buffer, at, end, state, layers, row)
    if row.protocol == _ETHER_IP:
        return _ether_ip(buffer, at, end, state, layers, row)
    carried = PROTOCOL_BASE + np.int64(row.protocol)
    if row.protocol == _IPV4_IN_IP:
        carried = IPV4
    elif row.protocol == _IPV6_IN_IP:
        carried = IPV6
    elif row.protocol == _MPLS_IN_IP:
        carried = MPLS_FRAME
    if carried < PROTOCOL_BASE and not push_between(state, layers, IP_IN_IP, -1, row):
        return TOO_DEEP, at
    return carried, at


@compiled
def _above_ip(
    buffer: Buffer, at: int, end: int, length: int, state: Record, layers: Record, row: Record
) -> tuple[int, int]:
    """The transport header, or the tunnel that IP carries in its place."""
    if row.protocol == _AUTHENTICATION:
        size = step_over_authentication(buffer, at, end, row)
        if size == 0:
            return CUT_NETWORK, at
        at, length = at + size, length - size
    read = read_transport(buffer, at, end, length, row)
    if read == 1:
        row.layers = DECODED_TRANSPORT
        if state.piece == 0 and state.rerouted == 0:
            row.checksums |= transport_checksum(buffer, at, end, length, row)
        state.transport = at
        if row.protocol == UDP:
            return inside_udp(buffer, at + 8, end, length - 8, state, layers, row)
        return DONE, at
    if read == 0:
        return CUT_TRANSPORT, at
    return _inside_ip(buffer, at, end, state, layers, row)


@compiled
def _network(
    buffer: Buffer, start: int, at: int, end: int, ether_type: int, state: Record, layers: Record,
    fragments: Record, heads: Buffer, connections: Record, sides: Record, row: Record,
) -> tuple[int, int]:  # fmt: skip
    """An IP header and what is above it."""
    wire_length = row.original_bytes - (at - start)
    transport_at, length = transport_header(buffer, at, end, ether_type, wire_length, state, row)
    if transport_at < 0 and transport_at != -CUT_EXTENSION:
        return -transport_at, at
    row.layers = DECODED_NETWORK
    state.transport = -1
    state.kept = state.depth
    if transport_at < 0:
        return -transport_at, at
    if state.piece == 0:
        return _above_ip(buffer, transport_at, end, length, state, layers, row)
    code = place_piece(
        buffer, transport_at, end, length, state, layers, fragments, heads, connections, sides, row
    )
    if code != GO_ON:
        return code, at
    inside, inner_at = _above_ip(buffer, transport_at, end, length, state, layers, row)
    state.piece = 0
    return inside, inner_at


@compiled
def read_plain_tcp(
    buffer: Buffer, start: int, end: int, link: int, state: Record, layers: Record, row: Record
) -> bool:
    """Reads a TCP packet in IP without fragments and tunnels; False leaves the row to `read_headers`.

    Nearly all packets take this way, which hands no table on to anybody."""
    together()
    state.depth = state.piece = 0
    state.fragment = state.transport = -1
    row.checksums = 0
    if link == LINK_UNKNOWN:
        return False
    ether_type, at = network_header(buffer, start, end, link, state, layers, row)
    if ether_type != IPV4 and ether_type != IPV6:
        return False
    wire_length = row.original_bytes - (at - start)
    transport_at, length = transport_header(buffer, at, end, ether_type, wire_length, state, row)
    if transport_at < 0 or state.piece != 0 or row.protocol != TCP:
        return False
    if read_transport(buffer, transport_at, end, length, row) != 1:
        return False
    row.layers = DECODED_TRANSPORT
    if state.rerouted == 0:
        row.checksums |= transport_checksum(buffer, transport_at, end, length, row)
    state.transport = transport_at
    return True


@compiled
def _descend(
    buffer: Buffer, start: int, at: int, end: int, ether_type: int, state: Record, layers: Record,
    fragments: Record, heads: Buffer, connections: Record, sides: Record, row: Record,
) -> int:  # fmt: skip
    """Header after header; DONE, or the EtherType, IP protocol or reason that ended it."""
    for _ in range(_MAX_HEADERS):
        before = at
        if ether_type in (IPV4, IPV6):
            ether_type, at = _network(
                buffer, start, at, end, ether_type, state, layers, fragments, heads, connections, sides, row
            )
        else:
            if ether_type == ARP:
                state.arp = at
            ether_type, at = _below(buffer, at, end, ether_type, state, layers, row)
        if ether_type == DONE or ether_type >= PROTOCOL_BASE or at == before:
            return ether_type
    return TOO_DEEP


@compiled
def read_headers(
    buffer: Buffer, start: int, end: int, interface: Record, state: Record, layers: Record,
    fragments: Record, heads: Buffer, connections: Record, sides: Record, undecoded: Record, row: Record,
) -> None:  # fmt: skip
    """Fills the row as far as the headers can be read, and the path; counts what stopped it."""
    row.protocol = _NO_IP
    state.arp = -1
    state.depth = state.kept = state.piece = 0
    row.checksums = 0
    if interface.link == LINK_UNKNOWN:
        interface.undecoded += 1
        return
    ether_type, at = network_header(buffer, start, end, interface.link, state, layers, row)
    row.layers = DECODED_LINK
    stopped = ether_type
    if ether_type < PROTOCOL_BASE:
        stopped = _descend(
            buffer, start, at, end, ether_type, state, layers, fragments, heads, connections, sides, row
        )
    if stopped != DONE:
        undecoded[stopped] += 1
    if row.ip_version != 0:
        state.depth = state.kept  # what was entered in vain is no path of the packet that the row holds
