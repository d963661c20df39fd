"""The attempts to each of several servers, found with one sort of the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.forensics.evidence.clocks.sightings import Ints, boundaries
from backend.forensics.evidence.clocks.sorted_rows import lexsort, taken

Server = tuple[int, int, int]
"""(address high, address low, port)."""
_COLUMNS = ("server_high", "server_low", "server_port")


@dataclass(frozen=True, eq=False)
class ServerRows:
    """Attempts by server: those of server n are rows[start[n] : start[n + 1]], in their order; servers by address and
    port."""

    columns: Sequence[NDArray[np.integer]]
    """Address high and low and port of each attempt."""
    rows: Ints
    start: Ints

    def __len__(self) -> int:
        return len(self.start) - 1

    @property
    def sizes(self) -> Ints:
        """Rows of each server."""
        return np.diff(self.start)

    def server(self, number: int) -> Server:
        """Its address and port."""
        high, low, port = (int(column[self.rows[self.start[number]]]) for column in self.columns)
        return high, low, port

    def of(self, number: int) -> Ints:
        """Its rows."""
        return self.rows[self.start[number] : self.start[number + 1]]


def rows_by_server(table: NDArray[np.void], rows: Ints) -> ServerRows:
    """Every server of these rows of the table (ATTEMPT_DTYPE); `ServerRows.rows` are positions in `rows`."""
    columns = [taken(table[name], rows) for name in _COLUMNS]
    order = lexsort(tuple(reversed(columns)))
    starts = np.flatnonzero(boundaries(columns, order))
    return ServerRows(columns, order, np.append(starts, len(order)))
