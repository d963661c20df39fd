"""Requests and responses of which only lengths and times are known, of connections that can matter.

Most connections of most captures cannot: their client serves nobody, so they are part of no request, and their server
asks nobody, so nothing is part of them. Their samples, millions at times, are never held."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.connections import CONNECTION_DTYPE
from backend.forensics.evidence.clocks.sightings import Ints, Sightings, join_rows
from backend.forensics.evidence.clocks.sorted_rows import lexsort
from backend.forensics.evidence.requests.exchanges import Exchanges
from backend.forensics.packets import TCP
from backend.forensics.round_trips import DATA, REQUEST

Bools = NDArray[np.bool_]

DNS_PORT = 53


@dataclass(frozen=True)
class OpaqueTrips:
    """One turn a row: a question of the client's and what the server said to it."""

    asking: Ints
    answering: Ints
    """Address times the number of clocks, plus the clock."""
    start_ns: Ints
    end_ns: Ints
    node: Ints
    frame: Ints


@dataclass(frozen=True)
class _Samples:
    """Data segments that round trips were measured on. Memory: 21 bytes a sample."""

    node: NDArray[np.int32]
    sent_ns: Ints
    frame: Ints
    by_client: Bools

    def __getitem__(self, order: Ints) -> _Samples:
        return _Samples(self.node[order], self.sent_ns[order], self.frame[order], self.by_client[order])


def find_opaque_trips(
    captures: Sequence[Capture], sightings: Sightings, exchanges: Exchanges, lookup_addresses: Ints
) -> OpaqueTrips:
    """Turns of TCP connections without an HTTP message and apart from DNS: from the first data of the client after the
    server's to the last of the server after that. `lookup_addresses` are those that asked resolvers."""
    wanted = _relevant(_opaque(captures, sightings), exchanges, lookup_addresses)
    if not wanted.any():
        return OpaqueTrips(*(np.zeros(0, np.int64) for _ in range(6)))
    wanted &= _one_place_each(captures, sightings)
    samples = _samples(captures, sightings, wanted)
    samples = samples[lexsort((samples.frame, samples.sent_ns, samples.node))]
    begins = np.flatnonzero((np.diff(samples.node, prepend=-1) != 0) | _changes(samples.by_client))
    ends = np.append(begins[1:], len(samples.node)) - 1
    # A turn: a run of the client's, followed by one of the server's on the same connection.
    asked = np.flatnonzero(
        samples.by_client[begins[:-1]] & (samples.node[begins[:-1]] == samples.node[begins[1:]])
    )
    first, last = begins[asked], ends[asked + 1]
    node = samples.node[first].astype(np.int64)
    table, groups = exchanges.addresses, max(1, len(captures))
    clock = np.array(sightings.clocks.group or (0,), np.int64)[_capture_of(node, sightings)]
    return OpaqueTrips(
        asking=table.client[node] * groups + clock,
        answering=table.server[node] * groups + clock,
        start_ns=samples.sent_ns[first],
        end_ns=samples.sent_ns[last],
        node=node,
        frame=samples.frame[first],
    )


def _changes(values: Bools) -> Bools:
    changed = np.ones(len(values), np.bool_)
    changed[1:] = values[1:] != values[:-1]
    return changed


def _capture_of(node: Ints, sightings: Sightings) -> Ints:
    return np.searchsorted(np.array(sightings.node_offset), node, side="right") - 1


def _opaque(captures: Sequence[Capture], sightings: Sightings) -> Bools:
    """By node: TCP that is neither DNS nor read as HTTP."""
    nodes = join_rows([c.connections for c in captures], CONNECTION_DTYPE)
    opaque: Bools = nodes["protocol"] == TCP
    opaque &= (nodes["client_port"] != DNS_PORT) & (nodes["server_port"] != DNS_PORT)
    for number, capture in enumerate(captures):
        for batch in capture.messages.http.batches(["connection"]):
            read = batch.column("connection").to_numpy().astype(np.int64)
            opaque[sightings.node_offset[number] + read] = False
    return opaque


def _relevant(opaque: Bools, exchanges: Exchanges, lookup_addresses: Ints) -> Bools:
    """Those of them with an end that both asks and serves, on whatever clock."""
    client, server = exchanges.addresses.client, exchanges.addresses.server
    asks, serves = (np.zeros(len(exchanges.addresses.low), np.bool_) for _ in range(2))
    for of, addresses in (
        (asks, (client[opaque], exchanges.requester, lookup_addresses)),
        (serves, (server[opaque], exchanges.responder)),
    ):
        for numbers in addresses:
            of[numbers] = True
    both = asks & serves
    relevant: Bools = opaque & (both[client] | both[server])
    return relevant


def _data_of(capture: Capture, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
    for batch in capture.round_trips.batches([*names, "kind"]):
        kind = batch.column("kind").to_numpy()
        yield batch.filter(pa.array((kind == REQUEST) | (kind == DATA)))


def _one_place_each(captures: Sequence[Capture], sightings: Sightings) -> Bools:
    """Of the sightings of one connection the one with most samples."""
    link = sightings.link_of_node
    count = np.zeros(len(link), np.int64)
    if len(np.unique(link)) < len(link):
        for number, capture in enumerate(captures):
            for batch in _data_of(capture, ["connection"]):
                node = sightings.node_offset[number] + batch.column("connection").to_numpy().astype(np.int64)
                count += np.bincount(node, minlength=len(link))
    order = lexsort((-count, link))
    once = np.zeros(len(link), np.bool_)
    once[order[np.flatnonzero(np.diff(link[order], prepend=-1))]] = True
    return once


_COLUMNS = ("sent_ns", "sent_frame", "connection", "from_client")


def _samples(captures: Sequence[Capture], sightings: Sightings, wanted: Bools) -> _Samples:
    """Of the wanted nodes."""
    parts: list[_Samples] = []
    for number, capture in enumerate(captures):
        for batch in _data_of(capture, _COLUMNS):
            sent, frame, connection, side = (batch.column(name).to_numpy() for name in _COLUMNS)
            node = sightings.node_offset[number] + connection.astype(np.int64)
            chosen = np.flatnonzero(wanted[node])
            time_ns = sightings.clocks.on_reference(number, sent[chosen].astype(np.int64))
            parts.append(
                _Samples(
                    node[chosen].astype(np.int32), time_ns, frame[chosen].astype(np.int64), side[chosen] == 1
                )
            )
    return _Samples(
        np.concatenate([np.zeros(0, np.int32), *(part.node for part in parts)]),
        np.concatenate([np.zeros(0, np.int64), *(part.sent_ns for part in parts)]),
        np.concatenate([np.zeros(0, np.int64), *(part.frame for part in parts)]),
        np.concatenate([np.zeros(0, np.bool_), *(part.by_client for part in parts)]),
    )
