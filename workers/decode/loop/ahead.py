"""Looks at the packet after the one being read, so that the processor fetches what that will be compared with.

A packet's places in the hash tables are known from twelve bytes of it, and are seldom in the nearest cache: fetched
while the packet before is read, they cost nothing."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

from typing import Any

import numpy as np

from backend.forensics.packets import TCP
from workers.decode.loop.compiler import compiled, compiling, together
from workers.decode.loop.octets import Buffer, big16, big32
from workers.decode.loop.records import IPV4, LINK_ETHERNET, Record
from workers.decode.loop.tuples import ends_hash
from workers.decode.round_trips.sampling import pair_key, pair_place

_V4_MAPPED = np.uint64(0xFFFF00000000)
_SEEN_BYTES = 38  # up to the ports
_PLAIN_HEADER = 0x45  # version 4, no options


def _prefetcher() -> Any:
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    def typing(context: Any, record: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            word = ir.IntType(32)
            place = builder.bitcast(arguments[0], ir.IntType(8).as_pointer())
            kind = ir.FunctionType(ir.VoidType(), [place.type, word, word, word])
            hint = builder.module.declare_intrinsic("llvm.prefetch", [place.type], kind)
            builder.call(hint, [place, word(0), word(3), word(1)])  # to read, and to keep near; data
            return context.get_dummy_value()

        return types.none(record), generate

    return intrinsic(typing)


def _nothing(record: Record) -> None:
    """What `prefetch` does in plain Python."""


prefetch: Any = _prefetcher() if compiling else _nothing
"""Has a record's first cache line fetched; nobody waits for it."""


@compiled
def _is_plain(buffer: Buffer, at: int) -> bool:
    """TCP in IPv4 in Ethernet, without tags, options and fragments."""
    together()
    return (
        big16(buffer, at + 12) == IPV4
        and buffer[at + 14] == _PLAIN_HEADER
        and buffer[at + 23] == TCP
        and big16(buffer, at + 20) & 0x3FFF == 0
    )


@compiled
def look_ahead(
    buffer: Buffer, at: int, ahead: int, end: int, state: Record, interface: Record, slots: Record,
    sampler: Record,
) -> None:  # fmt: skip
    """Sets what is known of the packet at `at`, which is about to be read, and looks at the one that may begin at
    `ahead`. That may be cut short there: then what is seen of it serves nobody."""
    together()
    if state.peeked == at and state.peeked_vantage == interface.vantage:
        state.known_hash, state.known_pair = state.peeked_hash, state.peeked_pair
    else:
        state.known_hash, state.known_pair = -1, np.uint64(0)
    state.peeked = -1
    if ahead + _SEEN_BYTES > end or interface.link != LINK_ETHERNET or interface.vantage < 0:
        return
    if not _is_plain(buffer, ahead):
        return
    source = _V4_MAPPED | np.uint64(big32(buffer, ahead + 26))
    target = _V4_MAPPED | np.uint64(big32(buffer, ahead + 30))
    source_port, target_port = big16(buffer, ahead + 34), big16(buffer, ahead + 36)
    nothing, vantage = np.uint64(0), interface.vantage
    state.peeked, state.peeked_vantage = ahead, vantage
    state.peeked_hash = ends_hash(
        nothing, source, source_port, nothing, target, target_port, vantage, 0, 0, TCP
    )
    state.peeked_pair = pair_key(nothing, source, nothing, target, vantage, 0, 0)
    prefetch(slots[state.peeked_hash & (slots.size - 1)])
    prefetch(sampler.pairs[pair_place(state.peeked_pair)])
