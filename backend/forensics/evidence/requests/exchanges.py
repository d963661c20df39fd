"""HTTP exchanges of all captures, each once: a request and its response, however many vantage points saw them.

One exchange is one request of one connection. Where the SYN was seen, the connection is that of the sightings;
connections older than the capture are known by their TCP sequence numbers, which pass every vantage point and every
translation as they are. Behind destination NAT the two directions can be two connections of one vantage point
(request to the translated address, response from the original one): such halves are joined by the client's port.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.components import connected
from backend.forensics.connections import CONNECTION_DTYPE, NEVER
from backend.forensics.evidence.clocks.sightings import Ints, Sightings, join_rows
from backend.forensics.evidence.clocks.sorted_rows import distinct, lexsort
from backend.forensics.messages import REQUEST_SEEN, RESPONSE_SEEN

Bools = NDArray[np.bool_]

_NEAR_NS = 1_000_000_000
"""The same sequence number and port within a second is the same packet at another vantage point."""
_SAME_ANSWER_NS = 10_000_000_000
_COLUMNS = (
    "connection",
    "vantage",
    "request_sequence",
    "response_sequence",
    "request_first_ns",
    "response_first_ns",
    "response_last_ns",
    "marks",
    "from_client",
)


@dataclass(frozen=True)
class Addresses:
    """Both ends of every node (a row of a capture's connection table, numbered over all captures)."""

    client: Ints
    server: Ints
    """Numbers of addresses; equal addresses have equal numbers."""
    client_port: Ints
    server_port: Ints
    high: NDArray[np.uint64]
    low: NDArray[np.uint64]
    """By the number of an address."""


@dataclass(frozen=True)
class Exchanges:
    """One row an exchange of which the request was seen, by start. Times are ns on the reference clock.

    The caller's side is the vantage point that saw the request first, the server's side the one that saw it last:
    translated addresses are the caller's own at the one and the server's own at the other."""

    start_ns: Ints
    end_ns: Ints
    """Last byte of the response at the caller's side, its first where the last was not seen, NEVER without."""
    server_start_ns: Ints
    server_end_ns: Ints
    """The same at the server's side."""
    requester: Ints
    """Number of an address, as the caller's side shows it."""
    requester_port: Ints
    called: Ints
    """Number of the address that the caller asked; behind translation it is not the responder's."""
    called_port: Ints
    responder: Ints
    """Number of the address that the server's side shows."""
    connection: Ints
    """Number of the logical connection."""
    row: Ints
    """Of the caller's side: row of the table in which `capture` keeps the request."""
    capture: Ints
    answer_row: Ints
    """Row that holds the response, or -1."""
    answer_capture: Ints
    server_row: Ints
    """Row of the server's side."""
    server_capture: Ints
    vantage: Ints
    """Number of the place of the caller's side."""
    server_vantage: Ints
    unheard: Bools
    """The response was seen, but not at the vantage point nearest to the caller."""
    lasts_ns: Ints
    """How long the place recorded after the request began."""
    clock: Ints
    """Number of the clock that times the caller's side: times of two clocks cannot be compared."""
    server_clock: Ints
    addresses: Addresses

    def __len__(self) -> int:
        return len(self.start_ns)


def read_rows(
    captures: Sequence[Capture], capture: Ints, row: Ints, columns: Sequence[str]
) -> Mapping[str, pa.ChunkedArray]:
    """Columns of the HTTP tables at (capture, row), in that order. Memory: these rows and one batch."""
    parts: list[pa.Table] = []
    position = np.zeros(len(row), np.int64)
    done = 0
    for number in distinct(capture).tolist():
        mine = np.flatnonzero(capture == number)
        wanted, inverse = np.unique(row[mine], return_inverse=True)
        table = _take(captures[number], wanted, columns)
        position[mine] = done + inverse
        done += table.num_rows
        parts.append(table)
    if not parts:
        return {name: pa.chunked_array([pa.array([], pa.null())]) for name in columns}
    ordered = pa.concat_tables(parts).take(pa.array(position))
    return {name: ordered.column(name) for name in columns}


def _take(capture: Capture, wanted: Ints, columns: Sequence[str]) -> pa.Table:
    found: list[pa.RecordBatch] = []
    begin = 0
    for batch in capture.messages.http.batches(list(columns)):
        first, last = np.searchsorted(wanted, [begin, begin + batch.num_rows])
        found.append(batch.take(pa.array(wanted[first:last] - begin)))
        begin += batch.num_rows
    return pa.Table.from_batches(found)


@dataclass(frozen=True)
class _Rows:
    """All HTTP rows of all captures, one after the other."""

    columns: dict[str, Ints]
    capture: Ints
    row: Ints
    node: Ints
    place: Ints

    def __getitem__(self, name: str) -> Ints:
        return self.columns[name]


def join_exchanges(captures: Sequence[Capture], sightings: Sightings) -> Exchanges:
    """Every exchange once. Time and memory are linear in the HTTP messages and connections."""
    nodes = join_rows([c.connections for c in captures], CONNECTION_DTYPE)
    addresses = _number_addresses(nodes)
    rows = _all_rows(captures, sightings)
    asks = (rows["marks"] & REQUEST_SEEN) != 0
    connection = _connections(rows, asks, addresses, nodes, sightings.link_of_node)
    group = _groups(rows, asks, connection)
    return _represent(captures, rows, asks, group, connection, addresses, sightings)


def _all_rows(captures: Sequence[Capture], sightings: Sightings) -> _Rows:
    total = [c.messages.http.rows for c in captures]
    columns = {name: np.zeros(sum(total), np.int64) for name in _COLUMNS}
    begin = 0
    for number, (capture, count) in enumerate(zip(captures, total, strict=True)):
        table = capture.messages.http.read(_COLUMNS)
        for name in _COLUMNS:
            own = table.column(name).to_numpy().astype(np.int64)
            if name.endswith("_ns"):
                own = np.where(own == NEVER, NEVER, sightings.clocks.on_reference(number, own))
            columns[name][begin : begin + count] = own
        begin += count
    of = np.repeat(np.arange(len(captures)), total)
    first_place = np.cumsum([0, *(len(c.vantage_points) for c in captures)])
    row = np.arange(sum(total)) - np.repeat(np.cumsum([0, *total[:-1]]), total) if total else of
    node = np.array(sightings.node_offset or (0,))[of] + columns["connection"]
    return _Rows(columns, of, row, node, first_place[of] + columns["vantage"])


def _number_addresses(nodes: NDArray[np.void]) -> Addresses:
    high, high_code = np.unique(
        np.concatenate([nodes["client_high"], nodes["server_high"]]), return_inverse=True
    )
    low, low_code = np.unique(np.concatenate([nodes["client_low"], nodes["server_low"]]), return_inverse=True)
    used, code = np.unique(high_code.astype(np.int64) * max(1, len(low)) + low_code, return_inverse=True)
    code = code.astype(np.int64)
    return Addresses(
        client=code[: len(nodes)],
        server=code[len(nodes) :],
        client_port=nodes["client_port"].astype(np.int64),
        server_port=nodes["server_port"].astype(np.int64),
        high=high[used // max(1, len(low))],
        low=low[used % max(1, len(low))],
    )


def _connections(rows: _Rows, asks: Bools, addresses: Addresses, nodes: NDArray[np.void], link: Ints) -> Ints:
    """Number of the logical connection of each row: the link, joined further where a SYN was not seen."""
    linked = link[rows.node] if len(rows.node) else rows.node
    old = asks & (nodes["syns"][rows.node] == 0) if len(rows.node) else asks
    if not old.any():
        return linked
    sequence = rows["request_sequence"]
    among = np.flatnonzero(asks & np.isin(sequence, sequence[old]))
    node, time = rows.node[among], rows["request_first_ns"][among]
    ends = [(addresses.client[node], addresses.client_port[node])]
    ends.append((addresses.server[node], addresses.server_port[node]))
    left, right = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for address, port in ends:
        order = lexsort((time, port, address, sequence[among]))
        keys = (sequence[among][order], address[order], port[order])
        near = np.diff(time[order]) <= _NEAR_NS
        for key in keys:
            near &= key[1:] == key[:-1]
        near &= old[among][order][1:] | old[among][order][:-1]
        left.append(linked[among][order][1:][near])
        right.append(linked[among][order][:-1][near])
    return connected(np.concatenate(left), np.concatenate(right), int(link.max()) + 1)[linked]


def _groups(rows: _Rows, asks: Bools, connection: Ints) -> Ints:
    """Number of the exchange of each row with a request, -1 for the others."""
    group = np.full(len(asks), -1, np.int64)
    key = connection[asks] << np.int64(32) | rows["request_sequence"][asks]
    if len(key):
        group[asks] = np.unique(key, return_inverse=True)[1].reshape(-1)
    return group


def _firsts(order: Ints, group: Ints) -> Ints:
    """Of rows sorted by group: the first of each."""
    return order[np.flatnonzero(np.diff(group[order], prepend=-1))]


def _represent(
    captures: Sequence[Capture],
    rows: _Rows,
    asks: Bools,
    group: Ints,
    connection: Ints,
    addresses: Addresses,
    sightings: Sightings,
) -> Exchanges:
    among = np.flatnonzero(asks)
    asked, silent = rows["request_first_ns"][among], (rows["marks"][among] & RESPONSE_SEEN) == 0
    first = last = earliest = latest = among
    if len(among) and int(group[among].max()) + 1 < len(among):  # else each was seen once
        # A vantage point that saw the whole exchange measures it; of several the nearest to either end.
        first = _firsts(among[lexsort((rows.place[among], asked, silent, group[among]))], group)
        last = _firsts(among[lexsort((-rows.place[among], -asked, silent, group[among]))], group)
        earliest = _firsts(among[lexsort((rows.place[among], asked, group[among]))], group)
        latest = _firsts(among[lexsort((-rows.place[among], -asked, group[among]))], group)
    answer = np.where((rows["marks"][first] & RESPONSE_SEEN) != 0, first, -1)
    lonely = np.flatnonzero(answer < 0)
    if len(lonely):
        answer[lonely] = _find_answers(rows, asks, first[lonely], addresses)
    order = lexsort((first, rows["request_first_ns"][first]))
    first, last, earliest, latest, answer = (a[order] for a in (first, last, earliest, latest, answer))
    # When recording ended: a place that was silent at the end was recorded all the same.
    clocks = sightings.clocks
    ends = [clocks.at_reference(p.capture, captures[p.capture].last_ns) for p in sightings.places]
    place_end = np.array(ends or [0], np.int64)
    return Exchanges(
        start_ns=rows["request_first_ns"][first],
        end_ns=_ends(rows, answer),
        server_start_ns=rows["request_first_ns"][last],
        server_end_ns=_ends(rows, np.where((rows["marks"][last] & RESPONSE_SEEN) != 0, last, answer)),
        requester=_end(rows, addresses, earliest, asking=True),
        requester_port=_port(rows, addresses, earliest, asking=True),
        called=_end(rows, addresses, earliest, asking=False),
        called_port=_port(rows, addresses, earliest, asking=False),
        responder=_end(rows, addresses, latest, asking=False),
        connection=connection[first],
        row=rows.row[first],
        capture=rows.capture[first],
        answer_row=np.where(answer >= 0, rows.row[answer], -1) if len(answer) else answer,
        answer_capture=np.where(answer >= 0, rows.capture[answer], -1) if len(answer) else answer,
        server_row=rows.row[last],
        server_capture=rows.capture[last],
        vantage=rows.place[first],
        server_vantage=rows.place[last],
        unheard=_unheard(rows, earliest, answer),
        lasts_ns=place_end[rows.place[first]] - rows["request_first_ns"][first],
        clock=np.array(sightings.clocks.group or (0,), np.int64)[rows.capture[first]],
        server_clock=np.array(sightings.clocks.group or (0,), np.int64)[rows.capture[last]],
        addresses=addresses,
    )


def _unheard(rows: _Rows, earliest: Ints, answer: Ints) -> Bools:
    """Whether a response is missing where its request was seen first; sequence numbers show, for behind destination
    NAT it comes on another connection of that place."""
    found = np.zeros(len(answer), np.bool_)
    unsure = np.flatnonzero((answer >= 0) & ((rows["marks"][earliest] & RESPONSE_SEEN) == 0))
    if not len(unsure):
        return found
    said = (rows["marks"] & RESPONSE_SEEN) != 0
    heard = (rows.place[said] << 32) | rows["response_sequence"][said]
    place = rows.place[earliest[unsure]]
    hears = np.isin(place, distinct(rows.place[said]))  # elsewhere one direction alone was recorded
    expected = (place << 32) | rows["response_sequence"][answer[unsure]]
    found[unsure] = hears & ~np.isin(expected, heard)
    return found


def _ends(rows: _Rows, answer: Ints) -> Ints:
    """Last byte of the response, or its first, or NEVER."""
    if not len(answer):
        return answer
    at = np.maximum(answer, 0)
    last, begin = rows["response_last_ns"][at], rows["response_first_ns"][at]
    found: Ints = np.where(answer < 0, NEVER, np.where(last != NEVER, last, begin))
    return found


def _end(rows: _Rows, addresses: Addresses, at: Ints, *, asking: bool) -> Ints:
    """Number of the address that asked (or was asked) in each row."""
    node = rows.node[at]
    as_client = (rows["from_client"][at] == 1) == asking
    found: Ints = np.where(as_client, addresses.client[node], addresses.server[node])
    return found


def _port(rows: _Rows, addresses: Addresses, at: Ints, *, asking: bool) -> Ints:
    node = rows.node[at]
    as_client = (rows["from_client"][at] == 1) == asking
    found: Ints = np.where(as_client, addresses.client_port[node], addresses.server_port[node])
    return found


def _find_answers(rows: _Rows, asks: Bools, lonely: Ints, addresses: Addresses) -> Ints:
    """For requests without a response: the row of the next response to the same client port that has no request and
    is not a request's response seen elsewhere; -1 without one."""
    halves = np.flatnonzero(~asks)
    halves = halves[~_answered_elsewhere(rows, asks, halves)]
    both = np.concatenate([lonely, halves])
    if not len(halves) or not len(lonely):
        return np.full(len(lonely), -1, np.int64)
    is_half = np.arange(len(both)) >= len(lonely)
    time = np.where(is_half, rows["response_first_ns"][both], rows["request_first_ns"][both])
    address = _end(rows, addresses, both, asking=True)
    port = _port(rows, addresses, both, asking=True)
    order = lexsort((is_half, time, rows.capture[both], port, address))
    paired = ~is_half[order][:-1] & is_half[order][1:]
    for key in (address, port, rows.capture[both]):
        paired &= key[order][1:] == key[order][:-1]
    found = np.full(len(lonely), -1, np.int64)
    at = np.flatnonzero(paired)
    found[order[at]] = both[order[at + 1]]
    return found


def _answered_elsewhere(rows: _Rows, asks: Bools, halves: Ints) -> Bools:
    """Whether a response without request is that of a request which was seen at another vantage point."""
    found = np.zeros(len(halves), np.bool_)
    if not len(halves):
        return found
    sequence, part = rows["response_sequence"], rows["response_first_ns"] // _SAME_ANSWER_NS
    whole = asks & ((rows["marks"] & RESPONSE_SEEN) != 0)
    whole[whole] = _among(sequence[whole], sequence[halves])  # halves are few, exchanges are many
    for beside in (-1, 0, 1):
        found |= np.isin(
            sequence[halves] << 32 | ((part[halves] + beside) & 0xFFFFFFFF),
            sequence[whole] << 32 | (part[whole] & 0xFFFFFFFF),
        )
    return found


def _among(many: Ints, few: Ints) -> Bools:
    """Which of `many` are among `few`, in time that grows with the many and the logarithm of the few."""
    known = np.sort(few)
    at = np.minimum(np.searchsorted(known, many), len(known) - 1)
    found: Bools = known[at] == many
    return found
