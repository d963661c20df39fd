"""Loads of several bytes at once, from any place in a buffer: one check of bounds and one instruction, where bytes
put together one by one take a check and a load each."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from workers.decode.loop.compiler import compiling


def _loader(bits: int, big: bool, checked: bool) -> Any:
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    result = types.uint64 if bits == 64 else types.int64

    def typing(context: Any, buffer: Any, at: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, value=arguments[0])
            at = context.cast(builder, arguments[1], signature.args[1], types.int64)
            if checked:
                last = builder.sub(array.nitems, ir.Constant(at.type, bits // 8))
                inside = builder.and_(
                    builder.icmp_signed("<=", ir.Constant(at.type, 0), at),
                    builder.icmp_signed("<=", at, last),
                )
                with builder.if_then(builder.not_(inside), likely=False):
                    context.call_conv.return_user_exc(builder, IndexError, ("index is out of bounds",))
            place = builder.bitcast(builder.gep(array.data, [at]), ir.IntType(bits).as_pointer())
            value = builder.load(place)
            value.align = 1
            if big == (sys.byteorder == "little"):
                value = builder.bswap(value)
            return value if bits == 64 else builder.zext(value, ir.IntType(64))

        return result(buffer, at), generate

    return intrinsic(typing)


def _plain(bits: int, big: bool) -> Callable[[Any, int], int]:
    def load(buffer: Any, at: int) -> int:
        if at < 0 or at > len(buffer) - bits // 8:
            raise IndexError("index is out of bounds")
        return int.from_bytes(buffer[at : at + bits // 8].tobytes(), "big" if big else "little")

    return load


def _load(bits: int, big: bool, *, checked: bool = True) -> Any:
    return _loader(bits, big, checked) if compiling else _plain(bits, big)


load_big16: Any = _load(16, True)
load_big32: Any = _load(32, True)
load_big64: Any = _load(64, True)
load_little16: Any = _load(16, False)
load_little32: Any = _load(32, False)
# For loops that checked their bounds before: a check in each step keeps the processor from taking several at once.
unchecked_little32: Any = _load(32, False, checked=False)
unchecked_little64: Any = _load(64, False, checked=False)
