"""Rows of a table by the values of some columns: sorted once, so that nobody searches the whole table for each of very
many destinations."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from backend.forensics.evidence.clocks.matched_packets import mix
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.clocks.sorted_rows import stable_argsort

Number = TypeVar("Number", np.uint64, np.int64)


def is_among(values: NDArray[Number], wanted: NDArray[Number]) -> NDArray[np.bool_]:
    """Which of these are among `wanted`, which is sorted: for tables that come piece by piece, as `np.isin` would sort
    `wanted` again for every piece."""
    if not len(wanted):
        return np.zeros(len(values), np.bool_)
    at = np.minimum(np.searchsorted(wanted, values), len(wanted) - 1)
    among: NDArray[np.bool_] = wanted[at] == values
    return among


def by_value(rows: Ints, values: NDArray[np.integer]) -> dict[int, Ints]:
    """The rows of each value (`values` run beside `rows`), in their order; by value, ascending."""
    order = stable_argsort(values)
    found, first = np.unique(values[order], return_index=True)
    return dict(zip(found.tolist(), np.split(rows[order], first[1:]), strict=True)) if len(found) else {}


class GroupedRows:
    """Row numbers by the values of these columns."""

    def __init__(self, *columns: NDArray[np.generic]) -> None:
        self._columns = columns
        key = mix(*columns)
        self._order: Ints = stable_argsort(key)
        self._key = key[self._order]

    def of(self, *values: int) -> Ints:
        """The rows with these values, in the order of the table."""
        wanted = mix(*(np.array([v], column.dtype) for v, column in zip(values, self._columns, strict=True)))
        low, high = (int(np.searchsorted(self._key, wanted, side)[0]) for side in ("left", "right"))
        rows = self._order[low:high]
        # Different values may have one key.
        for value, column in zip(values, self._columns, strict=True):
            rows = rows[column[rows] == column.dtype.type(value)]
        return rows
