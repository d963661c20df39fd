"""Bytes and addresses into the packet that is written. What nobody copies stays zero."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import numpy as np

from workers.decode.anonymise.loop.records import IPV4_KIND, IPV6_KIND, MAC_KIND, SLOTS, WANTED, Anonymiser
from workers.decode.loop.compiler import compiled
from workers.decode.loop.octets import Buffer, big16, big32, big64
from workers.decode.loop.tuples import mix

_HALF = np.uint64(32)


@compiled
def keep(a: Anonymiser, source: Buffer, target: Buffer, at: int, end: int) -> None:
    """Copies source[at:end], as far as it was captured."""
    work = a.work[0]
    shift = work.shift
    for i in range(at, min(end, work.end)):
        target[i + shift] = source[i]


@compiled
def clear(a: Anonymiser, target: Buffer, at: int, end: int) -> None:
    """Sets what was copied to zero again."""
    work = a.work[0]
    for i in range(at, min(end, work.end)):
        target[i + work.shift] = 0


@compiled
def slot_of(a: Anonymiser, kind: int, high: int, low: int) -> int:
    """Where the address is, or the free slot where it belongs."""
    value = mix(high ^ mix(low + np.uint64(kind)))
    at = np.int64(value >> _HALF) & (SLOTS - 1)
    while a.slots[at].kind != 0:
        slot = a.slots[at]
        if slot.low == low and slot.high == high and slot.kind == kind:
            break
        at = (at + 1) & (SLOTS - 1)
    return at


@compiled
def _known(a: Anonymiser, kind: int, high: int, low: int) -> int:
    """The slot of an address, or -1 when it is not known yet; then it is among those wanted."""
    at = slot_of(a, kind, high, low)
    if a.slots[at].kind != 0:
        return at
    work = a.work[0]
    if work.wanted < WANTED:
        wanted = a.wanted[work.wanted]
        wanted.kind, wanted.high, wanted.low = kind, high, low
        work.wanted += 1
    return -1


@compiled
def _write(target: Buffer, at: int, value: int, count: int) -> None:
    """The last `count` bytes of a uint64, in network order."""
    for i in range(count):
        target[at + i] = np.int64(value >> np.uint64(8 * (count - 1 - i))) & 0xFF


@compiled
def put_ipv4(a: Anonymiser, source: Buffer, target: Buffer, at: int) -> None:
    """The address that stands for the one at `at`."""
    work = a.work[0]
    if at + 4 > work.end:
        return
    slot = _known(a, IPV4_KIND, np.uint64(0), np.uint64(big32(source, at)))
    if slot >= 0:
        _write(target, at + work.shift, a.slots[slot].new_low, 4)


@compiled
def put_ipv6(a: Anonymiser, source: Buffer, target: Buffer, at: int) -> None:
    """The same for 16 bytes."""
    work = a.work[0]
    if at + 16 > work.end:
        return
    slot = _known(a, IPV6_KIND, big64(source, at), big64(source, at + 8))
    if slot >= 0:
        _write(target, at + work.shift, a.slots[slot].new_high, 8)
        _write(target, at + 8 + work.shift, a.slots[slot].new_low, 8)


@compiled
def put_mac(a: Anonymiser, source: Buffer, target: Buffer, at: int) -> None:
    """The same for a MAC address."""
    work = a.work[0]
    if at + 6 > work.end:
        return
    low = np.uint64(big16(source, at)) << _HALF | np.uint64(big32(source, at + 2))
    slot = _known(a, MAC_KIND, np.uint64(0), low)
    if slot >= 0:
        _write(target, at + work.shift, a.slots[slot].new_low, 6)
