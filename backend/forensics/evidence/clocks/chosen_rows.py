"""Rows of tables that are read by column, and columns over all captures, without copies where there is nothing to
copy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backend.forensics.evidence.clocks.sorted_rows import as_int64, taken

Ints = NDArray[np.int64]


class ChosenRows:
    """Some rows of one or more tables, one after the other, read by column: whole records of a million SYNs are 125 MB,
    and they lie in a file (`RecordColumns`)."""

    def __init__(self, *parts: tuple[NDArray[np.void], Ints | None]) -> None:
        """Each a table and the rows of it, None for all."""
        self._parts = parts

    def __len__(self) -> int:
        return sum(len(table) if rows is None else len(rows) for table, rows in self._parts)

    def __getitem__(self, name: str) -> NDArray[Any]:
        found = [table[name] if rows is None else taken(table[name], rows) for table, rows in self._parts]
        return found[0] if len(found) == 1 else np.concatenate(found)

    def followed_by(self, other: ChosenRows) -> ChosenRows:
        return ChosenRows(*self._parts, *other._parts)


def join_columns(parts: Sequence[Ints]) -> Ints:
    """Columns of all captures one after the other; a single one as it is, without a copy."""
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def taken_numbers(numbers: Ints, which: Ints) -> Ints:
    """``numbers[which]``; where that is one value, it is shown in every row."""
    if which.strides == (0,) and len(which):
        return np.broadcast_to(numbers[which[:1]], len(which))
    return numbers[which]


def numbered_through(first: Ints, capture: Ints, numbers: NDArray[np.uint32]) -> Ints:
    """Numbers inside each capture as numbers over all, of which each capture has those from `first` on."""
    own = as_int64(numbers)
    return own if len(first) <= 2 else first[capture] + own
