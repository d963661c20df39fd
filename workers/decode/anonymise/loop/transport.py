"""Headers of TCP, UDP, ICMP and SCTP; the packets that ICMP errors quote; neighbour discovery."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import numpy as np

from backend.forensics.packets import ICMP, ICMPV6, TCP, UDP
from workers.decode.anonymise.loop.checksums import cover, cover_with_addresses
from workers.decode.anonymise.loop.copying import keep, put_ipv4, put_ipv6, put_mac
from workers.decode.anonymise.loop.network import keep_ipv4, keep_ipv6, keep_options
from workers.decode.anonymise.loop.records import PLAIN_SUM, PSEUDO_SUM, UDP_SUM, Anonymiser
from workers.decode.loop.compiler import apart, compiled
from workers.decode.loop.octets import Buffer, big16

_TCP_OPTIONS = 0b0001_0000_0000_0000_0000_0001_1111_1111
"""Harmless: MSS, window scale, SACK, time stamps and those before them, user timeout (28)."""
_REDIRECT, _V6_REDIRECT = 5, 137
_SOLICITATION, _ADVERTISEMENT, _ROUTERS, _ROUTER = 135, 136, 133, 134
_LINK_ADDRESSES, _PREFIX, _MTU = (1, 2), 3, 5
_MAX_OPTIONS = 32


@compiled
def keep_tcp(a: Anonymiser, source: Buffer, target: Buffer, at: int, end: int, length: int) -> None:
    """`length`: header and payload by the IP header; `end`: of the packet's captured bytes."""
    keep(a, source, target, at, at + 20)
    header: int = max(20, (np.int64(source[at + 12]) >> 4) * 4)
    if header > 20:
        keep_options(a, source, target, at + 20, at + header, _TCP_OPTIONS)
    cover_with_addresses(a, source, target, PSEUDO_SUM, at + 16, at, at + length, length, TCP)
    work = a.work[0]
    work.payload_at, work.payload_end = at + header, min(end, at + max(length, header))


@compiled
def keep_udp(a: Anonymiser, source: Buffer, target: Buffer, at: int, end: int, length: int) -> None:
    """The same for UDP, whose own length counts where it can."""
    keep(a, source, target, at, at + 8)
    own = big16(source, at + 4)
    if 8 <= own < length:
        length = own
    cover_with_addresses(a, source, target, UDP_SUM, at + 6, at, at + length, length, UDP)
    work = a.work[0]
    work.payload_at, work.payload_end = at + 8, min(end, at + max(length, 8))


@compiled
def _keep_quoted_transport(a: Anonymiser, source: Buffer, target: Buffer, at: int, protocol: int) -> None:
    """As much of the header as is quoted. Its checksum covers what is not quoted, but addresses that are."""
    work = a.work[0]
    if protocol == TCP and at + 8 <= work.end:
        keep(a, source, target, at, at + 20)
        if at + 20 <= work.end:
            header: int = max(20, (np.int64(source[at + 12]) >> 4) * 4)
            keep_options(a, source, target, at + 20, at + header, _TCP_OPTIONS)
            cover_with_addresses(a, source, target, PSEUDO_SUM, at + 16, at, work.end, np.int64(0), TCP)
    elif protocol == UDP and at + 8 <= work.end:
        keep(a, source, target, at, at + 8)
        cover_with_addresses(a, source, target, UDP_SUM, at + 6, at, work.end, np.int64(0), UDP)
    elif protocol in (ICMP, ICMPV6):
        keep(a, source, target, at, at + 8)


@compiled
def _keep_quoted(a: Anonymiser, source: Buffer, target: Buffer, at: int) -> None:
    apart()
    work = a.work[0]
    if at + 20 <= work.end and source[at] >> 4 == 4:
        header = (np.int64(source[at]) & 15) * 4
        if header >= 20:
            keep_ipv4(a, source, target, at, at + header)
            if big16(source, at + 6) & 0x1FFF == 0:
                _keep_quoted_transport(a, source, target, at + header, np.int64(source[at + 9]))
    elif at + 40 <= work.end and source[at] >> 4 == 6:
        keep_ipv6(a, source, target, at, at + 40)
        _keep_quoted_transport(a, source, target, at + 40, np.int64(source[at + 6]))


@compiled
def keep_icmp(a: Anonymiser, source: Buffer, target: Buffer, at: int, length: int) -> None:
    """ICMP of IPv4 (RFC 792)."""
    keep(a, source, target, at, at + 8)
    kind = source[at]
    cover(a, PLAIN_SUM, at + 2, at, at + length)
    if kind == _REDIRECT:
        put_ipv4(a, source, target, at + 4)
    if kind in (3, 4, 5, 11, 12):
        _keep_quoted(a, source, target, at + 8)
    elif kind in (13, 14):
        keep(a, source, target, at + 8, min(at + 20, at + length))


@compiled
def _keep_neighbour_options(a: Anonymiser, source: Buffer, target: Buffer, at: int, end: int) -> None:
    """RFC 4861 section 4.6; of other options only type and length are left."""
    for _ in range(_MAX_OPTIONS):
        if at + 8 > end or source[at + 1] == 0:
            return
        keep(a, source, target, at, at + 2)
        kind, size = source[at], 8 * np.int64(source[at + 1])
        if kind in _LINK_ADDRESSES and size == 8:
            put_mac(a, source, target, at + 2)
        elif kind == _PREFIX and size == 32 and at + 32 <= end:
            keep(a, source, target, at, at + 16)
            put_ipv6(a, source, target, at + 16)
        elif kind == _MTU:
            keep(a, source, target, at, at + 8)
        at += size


@compiled
def _keep_neighbours(a: Anonymiser, source: Buffer, target: Buffer, at: int, end: int) -> None:
    """Who has this address, who is the router: targets and options."""
    apart()
    kind = source[at]
    options = at + 8
    if kind == _ROUTER:
        keep(a, source, target, at + 8, at + 16)
        options = at + 16
    elif kind in (_SOLICITATION, _ADVERTISEMENT):
        put_ipv6(a, source, target, at + 8)
        options = at + 24
    elif kind == _V6_REDIRECT:
        put_ipv6(a, source, target, at + 8)
        put_ipv6(a, source, target, at + 24)
        options = at + 40
    if kind in (_ROUTERS, _ROUTER, _SOLICITATION, _ADVERTISEMENT, _V6_REDIRECT):
        _keep_neighbour_options(a, source, target, options, end)


@compiled
def keep_icmp_v6(a: Anonymiser, source: Buffer, target: Buffer, at: int, length: int) -> None:
    """ICMP of IPv6 (RFC 4443), with neighbour discovery."""
    work = a.work[0]
    keep(a, source, target, at, at + 8)
    # The pseudo header is this packet's, whatever is quoted: it is asked for before.
    cover_with_addresses(a, source, target, PSEUDO_SUM, at + 2, at, at + length, length, ICMPV6)
    if source[at] in (1, 2, 3, 4):
        _keep_quoted(a, source, target, at + 8)
    else:
        _keep_neighbours(a, source, target, at, min(work.end, at + length))
