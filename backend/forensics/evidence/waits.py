"""How long each destination made its clients wait: to connect, for one round trip, for an answer.

A destination is an address and a port as the client asked for it, seen at the innermost vantage point. What two
investigations are compared by; nothing here judges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.connections import NEVER
from backend.forensics.evidence.attempts import Attempts
from backend.forensics.evidence.sightings import Ints
from backend.forensics.messages import REQUEST_SEEN, RESPONSE_SEEN

Quantity = Literal["connect_time", "rtt", "service_time"]
"""First SYN to the SYN-ACK that was accepted; the same where no SYN was sent again; an HTTP request's last byte to
its response's first."""
Server = tuple[int, int, int]
"""(address high, address low, port)."""
Milliseconds = NDArray[np.float64]

_HTTP = ("connection", "marks", "from_client", "request_sequence", "request_last_ns", "response_first_ns")


@dataclass(frozen=True)
class DestinationWaits:
    """What one destination cost its clients."""

    server: Server
    attempts: int
    """Connection attempts (ISNs), whatever number of vantage points saw them."""
    sent_again: int
    """Of these, with a SYN sent more than once."""
    unopened: int
    """Of these, never answered by a SYN-ACK: refused or silent."""
    milliseconds: dict[Quantity, Milliseconds]
    """Ascending; only quantities with a sample."""

    @property
    def weight(self) -> int:
        """Attempts and samples: what is asked most comes first."""
        return self.attempts + sum(len(values) for values in self.milliseconds.values())


@dataclass(frozen=True)
class _Rows:
    """One row per sample: the server's address halves and port, and what was measured."""

    keys: tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64]]
    values: Milliseconds


def measure_waits(captures: Sequence[Capture], attempts: Attempts) -> tuple[DestinationWaits, ...]:
    """All destinations, the most used first, equal ones by address."""
    counts, delays_ms = _attempt_rows(attempts)
    again = attempts.table["transmissions"] > 1
    answered = ~np.isnan(delays_ms)
    rows: dict[Quantity, _Rows] = {
        "connect_time": _chosen(counts, delays_ms, answered),
        "rtt": _chosen(counts, delays_ms, answered & ~again),
        "service_time": _service_rows(captures, attempts),
    }
    grouped = {quantity: _grouped(each) for quantity, each in rows.items()}
    tried, repeated, unopened = (
        {server: len(values) for server, values in _grouped(_chosen(counts, delays_ms, kept)).items()}
        for kept in (np.ones(len(again), np.bool_), again, ~answered)
    )
    servers = set(tried).union(*grouped.values())
    found = [
        DestinationWaits(
            server,
            tried.get(server, 0),
            repeated.get(server, 0),
            unopened.get(server, 0),
            {quantity: values[server] for quantity, values in grouped.items() if server in values},
        )
        for server in servers
    ]
    return tuple(sorted(found, key=lambda each: (-each.weight, each.server)))


def _attempt_rows(attempts: Attempts) -> tuple[_Rows, Milliseconds]:
    """A row an attempt, and its connect delay in ms, NaN where it did not open."""
    table = attempts.table
    delays_ms = np.where(table["connect_delay_ns"] == NEVER, np.nan, table["connect_delay_ns"] / 1e6)
    delays_ms[attempts.retried.row] = attempts.retried.connect_delay_s * 1e3
    keys = (
        table["server_high"].astype(np.uint64),
        table["server_low"].astype(np.uint64),
        table["server_port"].astype(np.uint64),
    )
    return _Rows(keys, delays_ms), delays_ms


def _chosen(rows: _Rows, values: Milliseconds, kept: NDArray[np.bool_]) -> _Rows:
    high, low, port = (key[kept] for key in rows.keys)
    return _Rows((high, low, port), values[kept])


def _service_rows(captures: Sequence[Capture], attempts: Attempts) -> _Rows:
    """Each request once: of its sightings the one nearest to the client. Sequence numbers tell, for they pass
    every vantage point as they are."""
    sightings = attempts.sightings
    rank = np.array(attempts.order.rank, np.int64)
    parts: list[list[NDArray[np.generic]]] = []
    first_place = 0
    for number, capture in enumerate(captures):
        if capture.messages.http.rows:
            part = _answered_requests(capture)
            connection = part["connection"].astype(np.int64)
            link = sightings.link_of_node[sightings.node_offset[number] + connection]
            place = first_place + capture.connections["vantage"][connection].astype(np.int64)
            asked = part["response_first_ns"] - part["request_last_ns"]
            keys = _responders(capture, connection, part["from_client"] == 1)
            parts.append([link, part["request_sequence"].astype(np.int64), rank[place], asked, *keys])
        first_place += len(capture.vantage_points)
    if not parts:
        nothing = np.zeros(0, np.uint64)
        return _Rows((nothing, nothing, nothing), np.zeros(0))
    link, sequence, near, wait_ns, high, low, port = (
        np.concatenate(column) for column in zip(*parts, strict=True)
    )
    order = np.lexsort((wait_ns, near, sequence, link))
    new = np.ones(len(order), np.bool_)
    new[1:] = (np.diff(link[order]) != 0) | (np.diff(sequence[order]) != 0)
    once = order[new]
    return _Rows((high[once], low[once], port[once]), wait_ns[once] / 1e6)


def _answered_requests(capture: Capture) -> dict[str, Ints]:
    """Columns of the requests of which end and answer were seen; an answer before the end is no wait."""
    table = capture.messages.http.read(_HTTP)
    columns = {name: table.column(name).to_numpy() for name in _HTTP}
    both = REQUEST_SEEN | RESPONSE_SEEN
    kept = (columns["marks"] & both) == both
    kept &= (columns["request_last_ns"] != NEVER) & (
        columns["response_first_ns"] >= columns["request_last_ns"]
    )
    return {name: values[kept] for name, values in columns.items()}


def _responders(capture: Capture, connection: Ints, by_client: NDArray[np.bool_]) -> list[NDArray[np.uint64]]:
    rows = capture.connections[connection]
    return [
        np.where(by_client, rows[f"server_{part}"], rows[f"client_{part}"]).astype(np.uint64)
        for part in ("high", "low", "port")
    ]


def _grouped(rows: _Rows) -> dict[Server, Milliseconds]:
    """The values of each server in ascending order."""
    if not len(rows.values):
        return {}
    high, low, port = rows.keys
    order = np.lexsort((rows.values, port, low, high))
    new = np.zeros(len(order) - 1, np.bool_)
    for key in rows.keys:
        new |= key[order][1:] != key[order][:-1]
    starts = [0, *(np.flatnonzero(new) + 1).tolist()]
    groups = np.split(rows.values[order], starts[1:])
    first = order[starts]
    servers = zip(high[first].tolist(), low[first].tolist(), port[first].tolist(), strict=True)
    return dict(zip(servers, groups, strict=True))
