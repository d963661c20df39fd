"""How long each destination made its clients wait: to connect, for one round trip, for an answer.

A destination is an address and a port as the client asked for it, seen at the innermost vantage point. What two
investigations are compared by; nothing here judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, overload

import numpy as np
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.connections import NEVER
from backend.forensics.evidence.attempts.attempts import Attempts
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.clocks.sorted_rows import lexsort, stable_argsort, taken
from backend.forensics.messages import REQUEST_SEEN, RESPONSE_SEEN

Quantity = Literal["connect_time", "rtt", "service_time"]
"""First SYN to the SYN-ACK that was accepted; the same where no SYN was sent again; an HTTP request's last byte to
its response's first."""
Server = tuple[int, int, int]
"""(address high, address low, port)."""
Milliseconds = NDArray[np.float64]
_Column = NDArray[np.uint64]

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


@dataclass(frozen=True)
class _Rows:
    """One row per sample: the server's address halves and port, and what was measured."""

    keys: tuple[_Column, _Column, _Column]
    values: Milliseconds


@dataclass(frozen=True, eq=False)
class _Samples:
    """Those of server n, ascending, are values[start[n] : start[n + 1]]."""

    values: Milliseconds
    start: Ints

    @property
    def count(self) -> Ints:
        return np.diff(self.start)


@dataclass(frozen=True, eq=False)
class Waits(Sequence[DestinationWaits]):
    """All destinations, the most used first, equal ones by address: columns by number of the server, objects only of
    those that somebody looks at (a scan has a million). `order` holds the numbers of the servers."""

    order: Ints
    servers: tuple[_Column, _Column, _Column]
    attempts: Ints
    sent_again: Ints
    unopened: Ints
    quantities: Mapping[Quantity, _Samples]

    def __len__(self) -> int:
        return len(self.order)

    @overload
    def __getitem__(self, index: int) -> DestinationWaits: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[DestinationWaits, ...]: ...
    def __getitem__(self, index: int | slice) -> DestinationWaits | tuple[DestinationWaits, ...]:
        if isinstance(index, slice):
            return tuple(map(self._of, self.order[index].tolist()))
        return self._of(int(self.order[index]))

    def samples(self, quantity: Quantity) -> dict[Server, int]:
        """How many samples each server has that has any."""
        count = self.quantities[quantity].count
        return {self._server(n): int(count[n]) for n in np.flatnonzero(count).tolist()}

    def _server(self, number: int) -> Server:
        high, low, port = (int(key[number]) for key in self.servers)
        return high, low, port

    def _of(self, number: int) -> DestinationWaits:
        return DestinationWaits(
            self._server(number),
            int(self.attempts[number]),
            int(self.sent_again[number]),
            int(self.unopened[number]),
            {
                quantity: each.values[each.start[number] : each.start[number + 1]]
                for quantity, each in self.quantities.items()
                if each.start[number] < each.start[number + 1]
            },
        )


def measure_waits(captures: Sequence[Capture], attempts: Attempts) -> Waits:
    """All destinations. One sort of the attempts and requests by server, one of each quantity by value."""
    tried, delays_ms = _attempt_rows(attempts)
    served = _service_rows(captures, attempts)
    number, servers = _number_servers(tried, served)
    of_attempt, of_request = number[: len(delays_ms)], number[len(delays_ms) :]
    again = attempts.table["transmissions"] > 1
    answered = ~np.isnan(delays_ms)
    total = len(servers[0])
    once = answered & ~again
    quantities: dict[Quantity, _Samples] = {
        "connect_time": _sorted(of_attempt[answered], delays_ms[answered], total),
        "rtt": _sorted(of_attempt[once], delays_ms[once], total),
        "service_time": _sorted(of_request, served.values, total),
    }
    attempts_of, again_of, unopened_of = (
        np.bincount(of_attempt[kept], minlength=total).astype(np.int64)
        for kept in (np.ones(len(again), np.bool_), again, ~answered)
    )
    weight = attempts_of + sum(each.count for each in quantities.values())
    order = stable_argsort(-weight)
    return Waits(order, servers, attempts_of, again_of, unopened_of, quantities)


def _number_servers(*rows: _Rows) -> tuple[Ints, tuple[_Column, _Column, _Column]]:
    """(number of each row's server, the servers' address halves and ports by that number, ascending)."""
    keys = [np.concatenate(column) for column in zip(*(each.keys for each in rows), strict=True)]
    order = lexsort(keys[::-1])
    new = np.zeros(len(order), np.bool_)
    new[:1] = True
    for key in keys:
        new[1:] |= key[order][1:] != key[order][:-1]
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(new) - 1
    high, low, port = (key[order[new]] for key in keys)
    return number, (high, low, port)


def _sorted(number: Ints, values: Milliseconds, total: int) -> _Samples:
    order = lexsort((values, number))
    return _Samples(values[order], np.searchsorted(number[order], np.arange(total + 1)))


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


def _service_rows(captures: Sequence[Capture], attempts: Attempts) -> _Rows:
    """Each request once: of its sightings the one nearest to the client. Sequence numbers show, for they pass
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
    order = lexsort((wait_ns, near, sequence, link))
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
    table = capture.connections
    return [
        np.where(
            by_client, *(taken(table[f"{end}_{part}"], connection) for end in ("server", "client"))
        ).astype(np.uint64)
        for part in ("high", "low", "port")
    ]
