"""IP headers: addresses, and options without what they show."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import numpy as np

from workers.decode.anonymise.loop.checksums import cover, folded, put16, sum_of
from workers.decode.anonymise.loop.copying import clear, keep, put_ipv4, put_ipv6
from workers.decode.anonymise.loop.records import HEADER_SUM, Anonymiser
from workers.decode.loop.compiler import apart, compiled
from workers.decode.loop.octets import Buffer

_END, _NOP, _ROUTER_ALERT = 0, 1, 148
_FRAGMENT, _AUTHENTICATION = 44, 51
_MAX_EXTENSIONS = 16
_EXTENSIONS = (0, 43, 44, 51, 60, 135, 139, 140)
_ROOM_FOR_FILLER = 16


@compiled
def keep_options(a: Anonymiser, source: Buffer, target: Buffer, at: int, end: int, harmless: int) -> None:
    """Of IPv4 or TCP: kind and length, and the value of a kind whose bit is set in `harmless`."""
    end = min(end, a.work[0].end)
    while at < end:
        kind = np.int64(source[at])
        keep(a, source, target, at, at + 1)
        if kind == _END:
            return
        if kind == _NOP:
            at += 1
            continue
        if at + 2 > end or source[at + 1] < 2:
            return
        length = np.int64(source[at + 1])
        is_harmless = kind < 32 and (harmless >> kind) & 1
        keep(a, source, target, at, min(end, at + length) if is_harmless else at + 2)
        at += length


@compiled
def keep_ipv4(a: Anonymiser, source: Buffer, target: Buffer, at: int, end: int) -> None:
    """The header from `at` to `end`. Options may hold routes, so of them only kind and length are left."""
    keep(a, source, target, at, at + 12)
    put_ipv4(a, source, target, at + 12)
    put_ipv4(a, source, target, at + 16)
    if end > at + 20:
        keep_options(a, source, target, at + 20, end, 0)
    work = a.work[0]
    work.address_at, work.address_bytes = at + 12, 8
    cover(a, HEADER_SUM, at + 10, at, end)


@compiled
def _keep_extensions(a: Anonymiser, source: Buffer, target: Buffer, at: int, end: int, first: int) -> None:
    """Next header and length of each; what they hold only of a fragment header."""
    kind = first
    for _ in range(_MAX_EXTENSIONS):
        if kind not in _EXTENSIONS or at + 8 > end:
            return
        keep(a, source, target, at, at + (8 if kind == _FRAGMENT else 2))
        size = 8 * (np.int64(source[at + 1]) + 1)
        if kind == _FRAGMENT:
            size = np.int64(8)
        elif kind == _AUTHENTICATION:
            size = 4 * (np.int64(source[at + 1]) + 2)
        kind = np.int64(source[at])
        at += size


@compiled
def keep_ipv6(a: Anonymiser, source: Buffer, target: Buffer, at: int, end: int) -> None:
    """The header at `at` and extension headers up to `end`."""
    apart()
    keep(a, source, target, at, at + 8)
    clear(a, target, at + 1, at + 4)  # the flow label may be a hash of the addresses (RFC 6437)
    put_ipv6(a, source, target, at + 8)
    put_ipv6(a, source, target, at + 24)
    work = a.work[0]
    work.address_at, work.address_bytes = at + 8, 32
    _keep_extensions(a, source, target, at + 40, min(end, work.end), np.int64(source[at + 6]))


@compiled
def fill_fragment(a: Anonymiser, source: Buffer, target: Buffer, at: int, end: int) -> None:
    """A fragment behind the first: zeros whose sum is that of what was there, so that the checksum of the whole packet,
    which lies in another frame, stays right."""
    work = a.work[0]
    if end > work.end or end - at < _ROOM_FOR_FILLER:
        return
    put16(target, at + work.shift, folded(sum_of(source, at, end)))
