"""The attempts to each of several servers, found with one sort of the table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from backend.forensics.evidence.sightings import Ints

Server = tuple[int, int, int]
"""(address high, address low, port)."""


def rows_of_servers(table: NDArray[np.void], servers: Sequence[Server]) -> dict[Server, Ints]:
    """Rows of `table` (ATTEMPT_DTYPE) per server, in the table's order; a server without any has an empty one."""
    lows = np.array([low for _, low, _ in servers], np.uint64)
    near = np.flatnonzero(np.isin(table["server_low"], lows))
    found = rows_by_server(table[near])
    return {server: near[found[server]] if server in found else np.zeros(0, np.int64) for server in servers}


def rows_by_server(table: NDArray[np.void]) -> dict[Server, Ints]:
    """Rows of `table` (ATTEMPT_DTYPE) of every server in it, in the table's order."""
    columns = [table[name] for name in ("server_port", "server_low", "server_high")]
    order = np.lexsort(columns)
    new = np.zeros(len(table), np.bool_)
    new[:1] = True
    for column in columns:
        new[1:] |= column[order][1:] != column[order][:-1]
    starts = np.flatnonzero(new)
    port, low, high = (column[order][starts].tolist() for column in columns)
    parts = np.split(order, starts[1:])
    return dict(zip(zip(high, low, port, strict=True), parts, strict=False))
