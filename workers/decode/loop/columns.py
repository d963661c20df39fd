"""Records turned into columns: in blocks that fit the processor's nearest cache."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from workers.decode.loop.compiler import compiled, compiling, entry, together
from workers.decode.loop.octets import Buffer
from workers.decode.loop.records import Record

FIELD_DTYPE: Final = np.dtype(
    [
        ("offset", "<i8"),  # in the record
        ("width", "<i8"),  # 1, 2, 4 or 8 bytes
        ("at", "<i8"),  # the column's first byte
    ]
)
_BLOCK_ROWS = 128


def _mover(bits: int) -> Any:
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    def typing(context: Any, target: Any, target_at: Any, source: Any, source_at: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            places = []
            for array, at in ((0, 1), (2, 3)):
                data = context.make_array(signature.args[array])(
                    context, builder, value=arguments[array]
                ).data
                at = context.cast(builder, arguments[at], signature.args[at], types.int64)
                places.append(builder.bitcast(builder.gep(data, [at]), ir.IntType(bits).as_pointer()))
            value = builder.load(places[1])
            value.align = 1
            builder.store(value, places[0]).align = 1
            return context.get_dummy_value()

        return types.none(target, target_at, source, source_at), generate

    return intrinsic(typing)


def _plain(bits: int) -> Callable[[Any, int, Any, int], None]:
    def move(target: Any, target_at: int, source: Any, source_at: int) -> None:
        target[target_at : target_at + bits // 8] = source[source_at : source_at + bits // 8]

    return move


_move8: Any = _mover(8) if compiling else _plain(8)
_move16: Any = _mover(16) if compiling else _plain(16)
_move32: Any = _mover(32) if compiling else _plain(32)
_move64: Any = _mover(64) if compiling else _plain(64)


@compiled
def _column(
    columns: Buffer, at: int, records: Buffer, offset: int, stride: int, width: int, count: int
) -> None:
    together()
    if width == 8:
        for i in range(count):
            _move64(columns, at + 8 * i, records, offset + i * stride)
    elif width == 4:
        for i in range(count):
            _move32(columns, at + 4 * i, records, offset + i * stride)
    elif width == 2:
        for i in range(count):
            _move16(columns, at + 2 * i, records, offset + i * stride)
    else:
        for i in range(count):
            _move8(columns, at + i, records, offset + i * stride)


@entry
def gather(records: Buffer, stride: int, count: int, fields: Record, columns: Buffer, first: int) -> None:
    """Copies each field of `count` records of `stride` bytes into its column in `columns`, from row `first` on.

    Nothing here checks that they lie inside: `growing.Columns` does, once for all."""
    for start in range(0, count, _BLOCK_ROWS):
        rows = min(_BLOCK_ROWS, count - start)
        for number in range(fields.size):
            field = fields[number]
            at = field.at + (first + start) * field.width
            _column(columns, at, records, start * stride + field.offset, stride, field.width, rows)
