"""One packet, from its link header to its innermost transport header. The steps down are those of decoding."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

from backend.forensics.packets import ICMP, TCP, UDP
from backend.forensics.tunnels import ETHER_IP, IP_IN_IP
from workers.decode.anonymise.loop.checksums import cover, covering_field, settle
from workers.decode.anonymise.loop.copying import clear, keep
from workers.decode.anonymise.loop.link import ARP, keep_arp, keep_ethernet, keep_link
from workers.decode.anonymise.loop.network import fill_fragment, keep_ipv4, keep_ipv6
from workers.decode.anonymise.loop.records import PLAIN_SUM, Anonymiser
from workers.decode.anonymise.loop.transport import keep_icmp, keep_icmp_v6, keep_tcp, keep_udp
from workers.decode.loop.compiler import apart, compiled
from workers.decode.loop.gre import gre
from workers.decode.loop.link import ethernet, network_header, tagged
from workers.decode.loop.mpls import mpls
from workers.decode.loop.network import step_over_authentication, transport_header
from workers.decode.loop.octets import Buffer, big16
from workers.decode.loop.paths import push_between
from workers.decode.loop.ppp import ppp, pppoe
from workers.decode.loop.records import (
    BRIDGED,
    CUT_EXTENSION,
    DONE,
    IPV4,
    IPV6,
    LINK_UNKNOWN,
    MPLS_FRAME,
    MPLS_MULTICAST,
    OPAQUE_ESP,
    OPAQUE_WIREGUARD,
    PPP_FRAME,
    PPPOE_SESSION,
    PROTOCOL_BASE,
)
from workers.decode.loop.transport import read_transport
from workers.decode.loop.udp_tunnels import inside_udp

_GRE, _AUTHENTICATION, _ETHER_IP, _SCTP, _MPLS_IN_IP = 47, 51, 97, 132, 137
_CISCO_METADATA = 0x8909
_GENEVE, _TEREDO = 6081, 3544
_MAX_HEADERS = 40
_STOP = PROTOCOL_BASE


@compiled
def _step(a: Anonymiser, source: Buffer, at: int, ether_type: int) -> tuple[int, int]:
    """What the header at `at` leads to; the same offset when its EtherType is not read."""
    state, layers, row, end = a.states[0], a.layers, a.rows[0], a.work[0].end
    if ether_type in (MPLS_FRAME, MPLS_MULTICAST):
        return mpls(source, at, end, state, layers)
    if ether_type == PPPOE_SESSION:
        return pppoe(source, at, end, state, layers)
    if ether_type == PPP_FRAME:
        return ppp(source, at, end)
    if ether_type == _CISCO_METADATA and at + 8 <= end and big16(source, at) == 0x0101:
        return big16(source, at + 6), at + 8
    return tagged(source, at, end, ether_type, state, layers, row)


@compiled
def _below(a: Anonymiser, source: Buffer, target: Buffer, at: int, ether_type: int) -> tuple[int, int]:
    """One header that is no IP. Of one that leads nowhere nothing is kept."""
    end = a.work[0].end
    if ether_type == ARP:
        keep_arp(a, source, target, at)
        return _STOP, at
    if ether_type == BRIDGED:
        inner, inner_at = ethernet(source, at, end, a.states[0], a.layers, a.rows[0])
        if at + 14 <= end:
            keep_ethernet(a, source, target, at, inner_at)
        return inner, inner_at
    inner, inner_at = _step(a, source, at, ether_type)
    if inner < PROTOCOL_BASE:
        keep(a, source, target, at, inner_at)
    return inner, inner_at


@compiled
def _keep_tunnel(
    a: Anonymiser, source: Buffer, target: Buffer, at: int, inner_at: int, ports_at: int
) -> None:
    """A tunnel's header behind UDP. Options of Geneve and the origin in Teredo could be anything."""
    keep(a, source, target, at, inner_at)
    if big16(source, ports_at + 2) == _GENEVE:
        clear(a, target, at + 8, inner_at)
    elif _TEREDO in (big16(source, ports_at), big16(source, ports_at + 2)):
        clear(a, target, at + (4 if big16(source, at) == 1 else 2), inner_at)


@compiled
def _udp(a: Anonymiser, source: Buffer, target: Buffer, at: int, length: int) -> tuple[int, int]:
    end = a.work[0].end
    keep_udp(a, source, target, at, end, length)
    inner, inner_at = inside_udp(source, at + 8, end, length - 8, a.states[0], a.layers, a.rows[0])
    if inner == OPAQUE_ESP:
        keep(a, source, target, at + 8, at + 16)
    elif inner == OPAQUE_WIREGUARD:
        keep(a, source, target, at + 8, at + (24 if source[at + 8] == 4 else 12))
    elif inner != DONE and inner < PROTOCOL_BASE:
        _keep_tunnel(a, source, target, at + 8, inner_at, at)
        a.work[0].payload_at = -1
    return inner, inner_at


@compiled
def _ether_type_of(protocol: int) -> int:
    """Of the packet that an IP protocol carries as it is."""
    if protocol == 4:
        return IPV4
    if protocol == 41:
        return IPV6
    return MPLS_FRAME if protocol == _MPLS_IN_IP else _STOP


@compiled
def _carried(a: Anonymiser, source: Buffer, target: Buffer, at: int, length: int) -> tuple[int, int]:
    """IP protocols that carry packets."""
    state, layers, row, end = a.states[0], a.layers, a.rows[0], a.work[0].end
    if row.protocol == _GRE:
        inner, inner_at = gre(source, at, end, state, layers, row)
        if inner >= PROTOCOL_BASE:
            return inner, inner_at
        keep(a, source, target, at, inner_at)
        if source[at] & 0x80:
            cover(a, PLAIN_SUM, at + 4, at, at + length)
        return inner, inner_at
    if row.protocol == _ETHER_IP:
        if at + 2 > end or big16(source, at) != 0x3000 or not push_between(state, layers, ETHER_IP, -1, row):
            return _STOP, at
        keep(a, source, target, at, at + 2)
        return BRIDGED, at + 2
    if row.protocol == _SCTP:  # ports and tag; its checksum is of what is gone
        keep(a, source, target, at, at + 8)
    inner = _ether_type_of(row.protocol)
    if inner != _STOP and not push_between(state, layers, IP_IN_IP, -1, row):
        return _STOP, at
    return inner, at


@compiled
def _above_ip(a: Anonymiser, source: Buffer, target: Buffer, at: int, length: int) -> tuple[int, int]:
    row, end = a.rows[0], a.work[0].end
    if row.protocol == _AUTHENTICATION:
        size = step_over_authentication(source, at, end, row)
        if size == 0:
            return _STOP, at
        keep(a, source, target, at, at + 12)
        at, length = at + size, length - size
    read = read_transport(source, at, end, length, row)
    if read == 0:
        return _STOP, at
    if read < 0:
        return _carried(a, source, target, at, length)
    if row.protocol == UDP:
        return _udp(a, source, target, at, length)
    if row.protocol == TCP:
        keep_tcp(a, source, target, at, end, length)
    elif row.protocol == ICMP:
        keep_icmp(a, source, target, at, length)
    else:
        keep_icmp_v6(a, source, target, at, length)
    return _STOP, at


@compiled
def _network(a: Anonymiser, source: Buffer, target: Buffer, at: int, ether_type: int) -> tuple[int, int]:
    """An IP header and what is above it."""
    state, row, work = a.states[0], a.rows[0], a.work[0]
    wire_length = work.original - (at - work.start)
    above, length = transport_header(source, at, work.end, ether_type, wire_length, state, row)
    if above < 0 and above != -CUT_EXTENSION:
        return _STOP, at
    work.payload_at = -1
    if ether_type == IPV4:
        keep_ipv4(a, source, target, at, above)
    else:
        keep_ipv6(a, source, target, at, above if above > 0 else at + 40)
    if above < 0:
        return _STOP, at
    if state.piece & 0xFFFF:
        fill_fragment(a, source, target, above, above + length)
        return _STOP, at
    inner, inner_at = _above_ip(a, source, target, above, length)
    if state.piece:
        work.payload_at = -1  # the rest of its messages is elsewhere
    state.piece = 0
    return inner, inner_at


@compiled
def _begin(a: Anonymiser, at: int, end: int, original: int, shift: int) -> None:
    state, row, work = a.states[0], a.rows[0], a.work[0]
    work.start, work.end, work.original, work.shift = at, end, original, shift
    work.sums = work.wanted = 0
    work.payload_at = -1
    state.depth = state.kept = state.piece = 0
    state.fragment = state.transport = -1
    row.vlan = row.ip_version = row.marks = row.tcp_flags = 0
    row.protocol = 255
    row.original_bytes = original


@compiled
def _descend(a: Anonymiser, source: Buffer, target: Buffer, at: int, ether_type: int) -> None:
    for _ in range(_MAX_HEADERS):
        before = at
        is_ip = ether_type in (IPV4, IPV6)
        if is_ip:
            ether_type, at = _network(a, source, target, at, ether_type)
        else:
            ether_type, at = _below(a, source, target, at, ether_type)
        if ether_type == DONE or ether_type >= PROTOCOL_BASE or at == before:
            return


@compiled
def rewrite(
    a: Anonymiser, source: Buffer, target: Buffer, at: int, end: int, original: int, link: int, shift: int
) -> None:
    """Writes the packet in source[at:end] to target[at + shift:], which is zero."""
    apart()
    _begin(a, at, end, original, shift)
    if link == LINK_UNKNOWN:
        return
    ether_type, above = network_header(source, at, end, link, a.states[0], a.layers, a.rows[0])
    keep_link(a, source, target, link, at, min(above, end))
    if ether_type < PROTOCOL_BASE:
        _descend(a, source, target, above, ether_type)
    settle(a, source, target)


@compiled
def note_payload(a: Anonymiser, source: Buffer) -> None:
    """Notes where the payload is, for messages that are written into it later."""
    work = a.work[0]
    if work.payload_at < 0 or work.payload_at >= work.payload_end:
        return
    note = a.notes[work.notes]
    note.frame = work.frame
    note.at, note.bytes = work.payload_at, work.payload_end - work.payload_at
    note.place = work.payload_at + work.shift
    note.field = covering_field(a, source)
    work.notes += 1
