"""One packet in two captures, whatever their clocks say: recognised by what neither routers nor NAT change.

Times play no part here, so that clocks hours apart can be compared with these packets (docs/detection.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.evidence.clocks.sorted_rows import lexsort
from backend.forensics.packets import ACK, MARK_COPY, SYN, TCP
from backend.forensics.round_trips import ECHO, SYN_ANSWERED

Ints = NDArray[np.int64]
Keys = NDArray[np.uint64]

_SAMPLE = (
    "sent_ns", "rtt_ns", "kind", "vantage", "sequence", "responder_low", "responder_port", "prober_low"
)  # fmt: skip

ENOUGH_PACKETS = 200_000
"""Of more than these a part is taken, chosen by the packets' content so that every capture keeps the same ones."""
MOST_REPEATS = 16
"""A key more often in one capture than this identifies nothing: a scan with one sequence number for all."""
MOST_VANTAGE_POINTS = 8
"""At which one packet is compared."""
_ODD = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


@dataclass(frozen=True)
class Handle:
    """Packets of all captures that may be recognised in another: arrays side by side.

    `key` is equal for sightings of one packet; `talk` is equal for both directions of one conversation at one
    vantage point; `asks` holds for packets of the side that began it."""

    key: Keys
    place: Ints
    time_ns: Ints
    talk: Ints
    asks: NDArray[np.bool_]


@dataclass(frozen=True)
class Matches:
    """Packets seen at two vantage points of different owners, one a row: `place_a` < `place_b`; times on each
    capture's own clock; `talk` and `asks` as at `place_a`."""

    place_a: Ints
    place_b: Ints
    time_a_ns: Ints
    time_b_ns: Ints
    talk: Ints
    asks: NDArray[np.bool_]


_NONE = np.zeros(0, np.int64)
NO_MATCHES = Matches(_NONE, _NONE, _NONE, _NONE, _NONE, np.zeros(0, np.bool_))


def match_packets(captures: Sequence[Capture], owner: Ints) -> Matches:
    """Pair the handshake packets of places with different `owner`. Places are numbered as `list_places` does."""
    parts = []
    first_place = first_talk = 0
    one_of = 1 + sum(len(capture.handshakes) for capture in captures) // ENOUGH_PACKETS
    for capture in captures:
        parts.append(_handles(capture, first_place, first_talk, one_of))
        first_place += len(capture.vantage_points)
        first_talk += len(capture.connections)
    return _pairs(_numbered(_joined(parts)), owner)


def match_samples(captures: Sequence[Capture], owner: Ints) -> Matches:
    """The same of echoes and data with their answers: for captures that share no handshake. Slower, as there are more
    of them."""
    parts = []
    first_place = first_talk = 0
    one_of = 1 + 2 * sum(capture.round_trips.rows for capture in captures) // ENOUGH_PACKETS
    for capture in captures:
        for batch in capture.round_trips.batches(_SAMPLE):
            handles = _sample_handles(batch, first_place, first_talk, one_of)
            first_talk += batch.num_rows
            parts.append(handles)
        first_place += len(capture.vantage_points)
    return _pairs(_numbered(_joined(parts)), owner) if parts else NO_MATCHES


def mix(*columns: NDArray[np.generic]) -> Keys:
    """64 bits of all columns together; equal rows give equal numbers."""
    mixed = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        mixed = (mixed ^ column.astype(np.uint64)) * _ODD
        mixed ^= mixed >> _SHIFT
    return mixed


def _handles(capture: Capture, first_place: int, first_talk: int, one_of: int) -> Handle:
    """The packets of a capture that may be recognised; of many, those of one conversation in `one_of`."""
    rows = capture.handshakes
    rows = rows[rows["connection"] < len(capture.connections)] if one_of == 1 else _thinned(capture, one_of)
    rows = rows[(rows["protocol"] == TCP) & ((rows["marks"] & MARK_COPY) == 0)]
    talk = rows["connection"].astype(np.int64)
    opener = capture.connections[talk]
    asks = (rows["source_port"] == opener["client_port"]) & (rows["source_low"] == opener["client_low"])
    return Handle(
        _key(rows),
        first_place + rows["vantage"].astype(np.int64),
        rows["time_ns"].astype(np.int64),
        first_talk + talk,
        asks,
    )


def _sample_handles(batch: pa.RecordBatch, first_place: int, first_talk: int, one_of: int) -> Handle:
    """Of each sample the packet that asked and the one that answered. Echoes keep their numbers, but source NAT gives
    them another identifier; data keep the sequence number, and source NAT the server's end."""
    column = {name: batch.column(name).to_numpy() for name in _SAMPLE}
    echo = column["kind"] == ECHO
    zero = np.uint64(0)
    key = mix(
        column["sequence"],
        echo,
        np.where(echo, zero, column["responder_port"].astype(np.uint64)),
        column["responder_low"],
        np.where(echo, column["prober_low"], zero),
    )
    kept = np.flatnonzero(
        ((key >> np.uint64(17)) % np.uint64(one_of) == 0) & (column["kind"] != SYN_ANSWERED)
    )
    sent, key = column["sent_ns"][kept].astype(np.int64), key[kept]
    place = first_place + column["vantage"][kept].astype(np.int64)
    asks = np.zeros(2 * len(kept), np.bool_)
    asks[: len(kept)] = True
    return Handle(
        np.concatenate([key, mix(key, np.ones(len(key)))]),
        np.concatenate([place, place]),
        np.concatenate([sent, sent + column["rtt_ns"][kept].astype(np.int64)]),
        np.concatenate([first_talk + kept, first_talk + kept]),
        asks,
    )


def _thinned(capture: Capture, one_of: int) -> NDArray[np.void]:
    """Whole conversations, chosen by the sequence number they began with: random, and the same everywhere."""
    connection = capture.handshakes["connection"]
    chosen = np.append(capture.connections["isn"] % np.uint32(one_of) == 0, False)
    rows: NDArray[np.void] = capture.handshakes[chosen[np.minimum(connection, len(chosen) - 1)]]
    return rows


def _key(rows: NDArray[np.void]) -> Keys:
    """What stays the same on the way. A SYN without TSval or IP ID has only its sequence number, and scans use one
    for all: its destination, which source NAT keeps, is added."""
    bare = ((rows["tcp_flags"] & (SYN | ACK)) == SYN) & (
        (rows["ip_id"] == 0) | (rows["timestamp_value"] == 0)
    )
    zero = np.uint64(0)
    return mix(
        rows["sequence"],
        rows["acknowledgement"],
        rows["tcp_flags"],
        rows["ip_id"],
        rows["timestamp_value"],
        rows["payload_bytes"],
        np.where(bare, rows["destination_low"], zero),
        np.where(bare, rows["destination_high"], zero),
        np.where(bare, rows["destination_port"], 0),
    )


def _joined(parts: Sequence[Handle]) -> Handle:
    return Handle(
        np.concatenate([p.key for p in parts]),
        np.concatenate([p.place for p in parts]),
        np.concatenate([p.time_ns for p in parts]),
        np.concatenate([p.talk for p in parts]),
        np.concatenate([p.asks for p in parts]),
    )


def _taken(handles: Handle, which: NDArray[np.generic]) -> Handle:
    return Handle(
        handles.key[which],
        handles.place[which],
        handles.time_ns[which],
        handles.talk[which],
        handles.asks[which],
    )


def _numbered(handles: Handle) -> Handle:
    """Equal packets of one vantage point distinguished by their order and number: the second of three is matched with
    the second of three elsewhere, and with none of two. Sorted by key and place."""
    order = lexsort((handles.time_ns, handles.place, handles.key))
    handles = _taken(handles, order)
    total = len(handles.key)
    if not total:
        return handles
    new = np.ones(total, np.bool_)
    new[1:] = (handles.key[1:] != handles.key[:-1]) | (handles.place[1:] != handles.place[:-1])
    starts = np.flatnonzero(new)
    repeats = np.diff(starts, append=total)
    number = np.arange(total) - np.repeat(starts, repeats)
    repeats = np.repeat(repeats, repeats)
    key = np.where(repeats > 1, mix(handles.key, number, repeats), handles.key)
    handles = Handle(key, handles.place, handles.time_ns, handles.talk, handles.asks)
    handles = _taken(handles, repeats <= MOST_REPEATS)
    return _taken(handles, lexsort((handles.place, handles.key)))


def _pairs(handles: Handle, owner: Ints) -> Matches:
    """Each packet at each two vantage points of different owners; `owner` is by place."""
    first: list[Ints] = []
    second: list[Ints] = []
    for step in range(1, MOST_VANTAGE_POINTS):
        here = np.flatnonzero(handles.key[step:] == handles.key[:-step])
        apart = owner[handles.place[here]] != owner[handles.place[here + step]]
        first.append(here[apart])
        second.append(here[apart] + step)
        if not len(here):
            break
    a, b = np.concatenate(first), np.concatenate(second)
    return Matches(
        handles.place[a],
        handles.place[b],
        handles.time_ns[a],
        handles.time_ns[b],
        handles.talk[a],
        handles.asks[a],
    )
