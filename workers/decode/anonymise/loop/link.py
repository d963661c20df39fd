"""Link headers and ARP."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

from workers.decode.anonymise.loop.copying import clear, keep, put_ipv4, put_mac
from workers.decode.anonymise.loop.records import Anonymiser
from workers.decode.loop.compiler import apart, compiled
from workers.decode.loop.octets import Buffer, big16, file16
from workers.decode.loop.records import (
    LINK_COOKED_1,
    LINK_COOKED_2,
    LINK_ETHERNET,
    LINK_NFLOG,
    LINK_RADIOTAP,
    LINK_WIRELESS,
)

ARP = 0x0806
_COOKED_1_BYTES, _COOKED_2_BYTES, _ETHERNET_BYTES = 16, 20, 14
_NFLOG_PAYLOAD = 9
_NFLOG_HARMLESS = (1, 2, 3, 4, 5, 6, 7)
"""NFULA_PACKET_HDR, MARK, TIMESTAMP and the numbers of interfaces."""
_MAX_ATTRIBUTES = 64


@compiled
def keep_ethernet(a: Anonymiser, source: Buffer, target: Buffer, at: int, end: int) -> None:
    """A header of an Ethernet frame with its tags."""
    keep(a, source, target, at, max(end, at + _ETHERNET_BYTES))
    clear(a, target, at, at + 12)
    put_mac(a, source, target, at)
    put_mac(a, source, target, at + 6)


@compiled
def _keep_cooked(
    a: Anonymiser, source: Buffer, target: Buffer, at: int, end: int, size: int, address_at: int, length: int
) -> None:
    """The address field has eight bytes; a tunnel's interface has an IP address there, which goes."""
    keep(a, source, target, at, max(end, at + size))
    clear(a, target, at + address_at, at + address_at + 8)
    if length == 6:
        put_mac(a, source, target, at + address_at)


@compiled
def _keep_wireless(a: Anonymiser, source: Buffer, target: Buffer, at: int, end: int) -> None:
    """Three addresses from byte 4 on, and a fourth behind the sequence number."""
    keep(a, source, target, at, end)
    for place in (4, 10, 16):
        if at + place + 6 <= end:
            clear(a, target, at + place, at + place + 6)
            put_mac(a, source, target, at + place)
    if at + 30 <= end and source[at + 1] & 3 == 3:
        clear(a, target, at + 24, at + 30)
        put_mac(a, source, target, at + 24)
    if end - at > 44:  # aggregated: destination and source of the first packet come before its LLC header
        clear(a, target, at + 26, end - 8)


@compiled
def _keep_nflog(a: Anonymiser, source: Buffer, target: Buffer, at: int, end: int) -> None:
    """Of attributes with names, users and hardware addresses only the length is left."""
    keep(a, source, target, at, end)
    at += 4
    big = source[at] == 0 and source[at + 1] >= 4 and source[at + 2] == 0
    for _ in range(_MAX_ATTRIBUTES):
        if at + 4 > end:
            return
        length = file16(source, at, big)
        kind = file16(source, at + 2, big) & 0x3FFF
        if length < 4 or kind == _NFLOG_PAYLOAD:
            return
        if kind not in _NFLOG_HARMLESS:
            clear(a, target, at + 4, min(end, at + length))
        at += (length + 3) & ~3


@compiled
def _keep_less_usual(a: Anonymiser, source: Buffer, target: Buffer, link: int, at: int, end: int) -> None:
    if link == LINK_NFLOG:
        if at + 8 <= a.work[0].end:
            _keep_nflog(a, source, target, at, end)
    elif link == LINK_WIRELESS:
        _keep_wireless(a, source, target, at, end)
    elif link == LINK_RADIOTAP:
        if at + 8 <= end:
            begin = at + file16(source, at + 2, False)
            keep(a, source, target, at, min(begin, end))
            _keep_wireless(a, source, target, begin, end)
    else:
        keep(a, source, target, at, end)


@compiled
def keep_link(a: Anonymiser, source: Buffer, target: Buffer, link: int, at: int, end: int) -> None:
    """The link header, which was read from `at` to `end`, with other addresses. One that is cut is left out."""
    apart()
    room = a.work[0].end - at
    if link == LINK_ETHERNET:
        if room >= _ETHERNET_BYTES:
            keep_ethernet(a, source, target, at, end)
    elif link == LINK_COOKED_1:
        if room >= _COOKED_1_BYTES:
            _keep_cooked(a, source, target, at, end, _COOKED_1_BYTES, 6, big16(source, at + 4))
    elif link == LINK_COOKED_2:
        if room >= _COOKED_2_BYTES:
            _keep_cooked(a, source, target, at, end, _COOKED_2_BYTES, 12, int(source[at + 11]))
    else:
        _keep_less_usual(a, source, target, link, at, end)


@compiled
def keep_arp(a: Anonymiser, source: Buffer, target: Buffer, at: int) -> None:
    """For IPv4 over Ethernet (RFC 826)."""
    if at + 28 > a.work[0].end or big16(source, at) != 1 or big16(source, at + 2) != 0x0800:
        return
    if big16(source, at + 4) != 0x0604:
        return
    keep(a, source, target, at, at + 8)
    put_mac(a, source, target, at + 8)
    put_ipv4(a, source, target, at + 14)
    put_mac(a, source, target, at + 18)
    put_ipv4(a, source, target, at + 24)
