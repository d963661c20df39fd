"""Sorting by several columns, and numbers that run from 0 on: the same results as NumPy's general functions, which sort
every column, or sort at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Value = TypeVar("Value", bound=np.generic)


_COPIED_FROM_SHARE = 8
_WORD_BITS = 64
_BLOCK_ROWS = 1 << 14
_FEW = 1_000
"""Of fewer values NumPy's own sorting is as fast."""


def taken(column: NDArray[Value], rows: Ints) -> NDArray[Value]:
    """``column[rows]``. The values of a column of records lie far apart in memory: where many rows are wanted, it is
    copied first, which takes a tenth of the time of reading it here and there."""
    if _COPIED_FROM_SHARE * len(rows) >= len(column):
        column = np.ascontiguousarray(column)
    return column[rows]


def taken_records(table: NDArray[np.void], rows: Ints) -> NDArray[np.void]:
    """``table[rows]`` of whole records: NumPy copies them field by field, and their bytes in a fifth of the time."""
    whole = np.dtype((np.void, table.dtype.itemsize))
    return np.take(np.ascontiguousarray(table).view(whole), rows).view(table.dtype)


def stable_argsort(values: NDArray[Value]) -> Ints:
    """``np.argsort(values, kind="stable")`` of one column: a million random integers take 7 ms in place of 90, as NumPy
    sorts bare numbers by vector instructions. Each is put into one number with its position; where they do not fit,
    their last bits are compared afterwards."""
    total = len(values)
    if total < _FEW or not _are_numbers(values):
        order: Ints = np.argsort(values, kind="stable")
        return order
    if ascends(values):
        return np.arange(total)
    least, width = _range(values)
    position_bits = total.bit_length()
    left_out = max(0, width + position_bits - _WORD_BITS)
    packed = _together([_Field(values, least, 0)], left_out, position_bits)
    packed.sort()
    packed &= np.uint64((1 << position_bits) - 1)
    order = packed.view(np.int64)
    if left_out:
        ordered: NDArray[Any] = values[order]
        if (ordered[1:] < ordered[:-1]).any():
            order = order[np.argsort(ordered, kind="stable")]
    return order


def ascends(values: NDArray[Any]) -> bool:
    """Whether they are in order already, as rows of a capture are by time; read up to the first that is not."""
    if values.strides == (0,):
        return True  # one value, shown in every row
    return all(
        bool((part[1:] >= part[:-1]).all())
        for part in (values[at : at + _BLOCK_ROWS + 1] for at in range(0, len(values), _BLOCK_ROWS))
    )


def as_int64(values: NDArray[np.integer]) -> Ints:
    """``values.astype(np.int64)``; a column of one value, shown in every row (`RecordColumns`), stays one value."""
    if values.strides == (0,) and len(values):
        return np.broadcast_to(values[:1].astype(np.int64), len(values))
    return values.astype(np.int64, copy=False)


def lexsort(keys: Sequence[NDArray[np.generic]]) -> Ints:
    """``np.lexsort(keys)``, the last key first; keys that fit into one number are sorted together."""
    total = len(keys[0])
    if total < _FEW or not all(map(_are_numbers, keys)):
        order: Ints = np.lexsort(tuple(keys))
        return order
    found: Ints | None = None
    fields: list[_Field] = []
    used = 0
    for key in keys:
        least, width = _range(key)
        if fields and used + width + total.bit_length() > _WORD_BITS:
            found = _then_by(found, fields)
            fields, used = [], 0
        fields.append(_Field(key, least, used))
        used += width
    return _then_by(found, fields)


@dataclass(frozen=True)
class _Field:
    """One column's place in the number that rows are sorted by: less the least value, at this bit."""

    values: NDArray[Any]
    least: int
    shift: int


def _then_by(order: Ints | None, fields: Sequence[_Field]) -> Ints:
    """The order by the fields together, and of equal ones the given one."""
    if order is None:
        return stable_argsort(fields[0].values if len(fields) == 1 else _together(fields))
    values = fields[0].values if len(fields) == 1 else _together(fields)
    return order[stable_argsort(taken(values, order))]


def _are_numbers(values: NDArray[Value]) -> bool:
    """Integers, or 64-bit floats from 0 on, whose bits sort as they do."""
    if values.dtype == np.float64:
        return bool(values.min() >= 0)  # never so where one is no number
    return values.dtype.kind in "iub"


def _range(values: NDArray[np.generic]) -> tuple[int, int]:
    """(the least of the numbers as integers, bits of the greatest less that)."""
    if values.dtype == np.float64:
        values = _float_bits(values[[values.argmin(), values.argmax()]])
    least, greatest = int(values.min()), int(values.max())
    return least, (greatest - least).bit_length()


def _float_bits(values: NDArray[Any]) -> NDArray[np.uint64]:
    bits: NDArray[np.uint64] = np.add(values, 0.0).view(np.uint64)  # -0.0 becomes 0.0
    return bits


def _together(
    fields: Sequence[_Field], left_out: int = 0, position_bits: int | None = None
) -> NDArray[np.uint64]:
    """One number for each row: the fields, less the last `left_out` bits, and behind them the row's position where
    `position_bits` are given. Made in blocks that fit the processor's cache."""
    total = len(fields[0].values)
    made = np.empty(total, np.uint64)
    for at in range(0, total, _BLOCK_ROWS):
        block = made[at : at + _BLOCK_ROWS]
        for number, field in enumerate(fields):
            part = field.values[at : at + _BLOCK_ROWS]
            part = _float_bits(part) if part.dtype == np.float64 else part.astype(np.uint64)
            if field.least:
                part -= np.uint64(field.least % (1 << _WORD_BITS))  # what is negative wraps around twice
            if field.shift:
                part <<= np.uint64(field.shift)
            if number:
                block |= part
            else:
                block[:] = part
        if left_out:
            block >>= np.uint64(left_out)
        if position_bits is not None:
            block <<= np.uint64(position_bits)
            block |= np.arange(at, at + len(block), dtype=np.uint64)
    return made


def taken_columns(table: NDArray[np.void], names: Sequence[str], rows: Ints) -> dict[str, NDArray[Any]]:
    """``table[rows]``, of these columns alone."""
    return {name: taken(table[name], rows) for name in names}


def place_in(ordered: NDArray[Value], wanted: NDArray[Value]) -> Ints:
    """``np.searchsorted(ordered, wanted)``: searched in the order of the values, so that each search begins in memory
    that the one before it has just read."""
    order = stable_argsort(wanted)
    found = np.empty(len(wanted), np.int64)
    found[order] = np.searchsorted(ordered, wanted[order])
    return found


def stable_order(major: NDArray[np.generic], minor: Sequence[NDArray[np.generic]]) -> Ints:
    """The stable order by `major`, and of its equal values by `minor`, the first column first: what
    ``np.lexsort((*reversed(minor), major))`` gives. Only rows of equal `major` are sorted by the others, and not even
    those where they are in order already, as rows of a capture are in order of time."""
    order = stable_argsort(major)
    ordered = major[order]
    equal = ordered[1:] == ordered[:-1]
    if not _in_order(order[:-1][equal], order[1:][equal], minor):
        tied = np.flatnonzero(np.append(False, equal) | np.append(equal, False))
        rows = order[tied]
        order[tied] = rows[lexsort((*(column[rows] for column in reversed(minor)), major[rows]))]
    return order


def _in_order(before: Ints, after: Ints, columns: Sequence[NDArray[np.generic]]) -> bool:
    """Whether each of `after` is not less than the row `before` it, compared column by column."""
    for column in columns:
        one, other = column[before], column[after]
        if np.greater(one, other).any():
            return False
        equal = one == other
        before, after = before[equal], after[equal]
    return True


def renumbered(numbers: Ints) -> Ints:
    """Numbers from 0 on, in the same order, without gaps: ``np.unique(numbers, return_inverse=True)[1]``."""
    if not len(numbers):
        return np.zeros(0, np.int64)
    used = np.zeros(int(numbers.max()) + 1, np.bool_)
    used[numbers] = True
    dense: Ints = (np.cumsum(used) - 1)[numbers]
    return dense


def first_rows(numbers: Ints) -> Ints:
    """Where each number occurs first, by number: ``np.unique(numbers, return_index=True)[1]``."""
    if not len(numbers):
        return np.zeros(0, np.int64)
    first = np.full(int(numbers.max()) + 1, -1, np.int64)
    # Of several values for one place the last one stays.
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]
    return first[first >= 0]


def distinct(values: NDArray[Value]) -> NDArray[Value]:
    """``np.unique(values)``, which takes four times as long for a million different numbers."""
    ordered = np.sort(values, axis=None)
    if len(ordered) < 2:
        return ordered
    once: NDArray[Value] = ordered[np.append(True, ordered[1:] != ordered[:-1])]
    return once


def following(of: tuple[NDArray[Value], Ints], events: tuple[NDArray[Value], Ints]) -> Ints:
    """For each (group, time) of `of` the position of the group's first event at or after that time, -1 for none."""
    count = len(events[0])
    if not count or not len(of[0]):
        return np.full(len(of[0]), -1, np.int64)
    group = np.unique(np.concatenate([events[0], of[0]]), return_inverse=True)[1].reshape(-1)
    rank = np.unique(np.concatenate([events[1], of[1]]), return_inverse=True)[1].reshape(-1)
    key = group * len(rank) + rank  # by group, then by time
    order = np.argsort(key[:count], kind="stable")
    at = np.searchsorted(key[:count][order], key[count:])
    found = order[np.minimum(at, count - 1)]
    same = (at < count) & (group[found] == group[count:])
    answer: Ints = np.where(same, found, -1)
    return answer
