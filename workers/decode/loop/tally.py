"""Vantage points and time buckets: what is counted for each packet."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import numpy as np

from backend.forensics.packets import ACK, SYN, TCP
from workers.decode.loop.compiler import compiled, together
from workers.decode.loop.records import MAX_VANTAGES, Record

BUCKET_NS = 1_000_000


@compiled
def _find(state: Record, vantages: Record, interface: int, index: int) -> int:
    for i in range(state.vantages):
        if vantages[i].interface == interface and vantages[i].index == index:
            return i
    return -1


@compiled
def vantage_of(state: Record, vantages: Record, interface: Record, index: int) -> int:
    """Number of the vantage point of a packet, made when it is new."""
    together()
    latest = interface.vantage
    if latest >= 0 and vantages[latest].index == index:
        return latest
    found = _find(state, vantages, interface.number, index)
    if found < 0:
        if state.vantages == MAX_VANTAGES:
            return MAX_VANTAGES - 1
        found = state.vantages
        state.vantages += 1
        vantages[found].interface = interface.number
        vantages[found].index = index
        vantages[found].bucket = -1
    interface.vantage = found
    return found


@compiled
def count_arrival(vantage: Record, time_ns: int) -> None:
    """First and last time and number of packets of a vantage point."""
    together()
    if vantage.packets == 0 or time_ns < vantage.first_ns:
        vantage.first_ns = time_ns
    if vantage.packets == 0 or time_ns > vantage.last_ns:
        vantage.last_ns = time_ns
    vantage.packets += 1


@compiled
def count_bucket(state: Record, vantage: Record, buckets: Record, row: Record) -> None:
    """Adds the packet to its vantage point's open bucket; a packet of another millisecond opens a new one.

    A capture that is not in order of time gives several buckets of one millisecond: they are merged later.
    """
    together()
    start = np.int64(row.time_ns) // BUCKET_NS * BUCKET_NS
    if vantage.bucket < 0 or buckets[vantage.bucket].start_ns != start:
        vantage.bucket = state.buckets
        state.buckets += 1
        opened = buckets[vantage.bucket]
        opened.start_ns = start
        opened.vantage = row.vantage
        opened.packets = 0
        opened.bytes = 0
        opened.syns = 0
    bucket = buckets[vantage.bucket]
    bucket.packets += 1
    bucket.bytes += np.uint64(row.original_bytes)
    if row.protocol == TCP and (row.tcp_flags & (SYN | ACK)) == SYN:
        bucket.syns += 1
