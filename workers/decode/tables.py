"""The arrays that the loop fills, and how they grow."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.forensics.connections import BUCKET_DTYPE, CONNECTION_DTYPE
from backend.forensics.packets import PACKET_DTYPE
from backend.forensics.record_columns import Forget, RecordColumns
from workers.decode.growing import GrowingRecords, RecordList, Records
from workers.decode.loop.message_records import MEMORY_DTYPE
from workers.decode.loop.records import (
    BATCH_ROWS,
    FRAGMENT_DTYPE,
    HEAD_BYTES,
    INTERFACE_DTYPE,
    LAYER_DTYPE,
    MAX_DEPTH,
    MAX_FRAGMENTED,
    MAX_PATHS,
    MAX_VANTAGES,
    PATH_DTYPE,
    PRINT_DTYPE,
    PRINTS_PER_SIDE,
    SIDE_DTYPE,
    SLOT_DTYPE,
    STATE_DTYPE,
    TRACKED_DTYPE,
    UNDECODED_SIZE,
    VANTAGE_DTYPE,
)
from workers.decode.loop.tracks import rest_idle
from workers.decode.loop.tuples import rehash
from workers.decode.round_trips.sampling import SAMPLER_DTYPE
from workers.decode.signals.picking import PICKER_DTYPE

_FIRST_CONNECTIONS: Final = 1 << 14
_FIRST_TRACKS: Final = 1 << 12
"""1.5 MiB with the fingerprints: fits the processor's cache."""
_MOST_TRACKS: Final = 1 << 18
"""Bounds what connections in use take, 96 MiB: beyond, those silent the longest rest, however short that is."""
_LINGER_NS: Final = 2_000_000_000
"""A connection is at rest so long after its end; last ACKs and repeated FINs come before."""
_IDLE_NS: Final = 60_000_000_000
"""Or after so long a silence; TCP repeats what is not acknowledged within it (RFC 6298: at most 60 s)."""
_STORED_FROM_BYTES: Final = 32 << 20
"""Connections that take more are stored in a file: their columns, without those of one value, are half as large."""
_FIRST_BUCKETS: Final = 1 << 16
_HANDSHAKE_COLUMNS: Final = frozenset(
    f"{end}_{part}" for end in ("source", "destination") for part in ("high", "low", "port")
) | {
    "frame", "time_ns", "vantage", "connection", "protocol", "ip_version", "ttl", "ip_id", "tcp_flags", "sequence",
    "timestamp_value", "options_hash", "marks", "direction_hint", "acknowledgement", "icmp_type",
}  # fmt: skip
"""Those that the analysis reads of all rows."""


def _ascends(buckets: Records) -> bool:
    start_ns = np.ascontiguousarray(buckets["start_ns"])
    return bool(np.all(start_ns[1:] > start_ns[:-1]))


def merge_buckets(buckets: Records) -> Records:
    """Sorted by (vantage, start), one bucket for each pair. May be the same array."""
    if len(buckets) == 0 or (np.all(buckets["vantage"] == buckets["vantage"][0]) and _ascends(buckets)):
        return buckets  # most files are in order of time
    ordered = buckets[np.lexsort((buckets["start_ns"], buckets["vantage"]))]
    new = np.ones(len(ordered), bool)
    new[1:] = (ordered["start_ns"][1:] != ordered["start_ns"][:-1]) | (
        ordered["vantage"][1:] != ordered["vantage"][:-1]
    )
    starts = np.flatnonzero(new)
    merged: Records = ordered[starts]
    for name in ("packets", "bytes", "syns"):
        merged[name] = np.add.reduceat(ordered[name], starts)
    return merged


class Tables:
    """State and tables of one capture's decoding. They grow with connections and buckets, not packets."""

    def __init__(self, batch_rows: int = BATCH_ROWS) -> None:
        self.states: Records = np.zeros(1, STATE_DTYPE)
        self.interfaces: Records = np.zeros(1, INTERFACE_DTYPE)
        self.vantages: Records = np.zeros(MAX_VANTAGES, VANTAGE_DTYPE)
        self.rows: Records = np.zeros(batch_rows, PACKET_DTYPE)
        self.picked: NDArray[np.int64] = np.zeros(batch_rows, np.int64)
        self._connections = GrowingRecords(TRACKED_DTYPE, _FIRST_CONNECTIONS)
        self._sides = GrowingRecords(SIDE_DTYPE, 2 * _FIRST_TRACKS)
        self._prints = GrowingRecords(PRINT_DTYPE, 2 * PRINTS_PER_SIDE * _FIRST_TRACKS)
        self.slots: Records = np.zeros(2 * _FIRST_CONNECTIONS, SLOT_DTYPE)
        self._buckets = GrowingRecords(BUCKET_DTYPE, _FIRST_BUCKETS)
        self.undecoded: NDArray[np.int64] = np.zeros(UNDECODED_SIZE, np.int64)
        self.layers: Records = np.zeros(MAX_PATHS * MAX_DEPTH, LAYER_DTYPE)
        self.paths: Records = np.zeros(MAX_PATHS, PATH_DTYPE)
        self.fragments: Records = np.zeros(MAX_FRAGMENTED, FRAGMENT_DTYPE)
        self.heads: NDArray[np.uint8] = np.zeros(MAX_FRAGMENTED * HEAD_BYTES, np.uint8)
        self._memory = GrowingRecords(MEMORY_DTYPE, 1)
        self._sampler = GrowingRecords(SAMPLER_DTYPE, 1)
        self._picker = GrowingRecords(PICKER_DTYPE, 1)
        self.handshakes = RecordList(PACKET_DTYPE, kept=_HANDSHAKE_COLUMNS)
        self.state["paths"] = 1
        self._stored: tuple[Records, Forget] | None = None

    @property
    def connections(self) -> Records:
        """The connection table with its room to grow, CONNECTION_DTYPE and what the tracker adds."""
        return self._connections.array

    def finish_connections(self) -> None:
        """Many move to a file; none can be added afterwards. Raises OSError, for instance when the disk is full."""
        used = int(self.state["connections"])
        if self._stored is None and used * TRACKED_DTYPE.itemsize >= _STORED_FROM_BYTES:
            self._stored = self._connections.to_file(used)

    def connection_table(self) -> Records:
        """The connections with the columns of CONNECTION_DTYPE, which are read by column."""
        names = list(CONNECTION_DTYPE.names or ())
        forget = None if self._stored is None else self._stored[1]
        return RecordColumns.of(self.used_connections()[names], names, forget)

    def used_connections(self) -> Records:
        """The connections so far with what the tracker adds, TRACKED_DTYPE."""
        if self._stored is not None:
            return self._stored[0]
        return self.connections[: int(self.state["connections"])]

    @property
    def memory(self) -> Records:
        """The one record in which messages are put together."""
        return self._memory.array

    @property
    def sampler(self) -> Records:
        """The one record of the sampling of round trips."""
        return self._sampler.array

    @property
    def picker(self) -> Records:
        """The one record of the picking of signals."""
        return self._picker.array

    @property
    def state(self) -> np.void:
        """The one state record; assigning to its fields changes it."""
        record: np.void = self.states[0]
        return record

    @property
    def buckets(self) -> Records:
        """The buckets so far."""
        return self._buckets.array[: int(self.state["buckets"])]

    def arguments(self) -> tuple[NDArray[np.void] | NDArray[np.int64] | NDArray[np.uint8], ...]:
        """What the loop's functions take after their own arguments."""
        return (
            self.states, self.interfaces, self.vantages, self.rows, self.picked, self.slots,
            self._connections.array, self._sides.array, self._prints.array, self._buckets.array, self.undecoded,
            self.layers, self.paths, self.fragments, self.heads,
            self._memory.array, self._sampler.array, self._picker.array,
        )  # fmt: skip

    def grow_connections(self) -> None:
        """Doubles the connection tables; the hash table stays at most half full."""
        size = 2 * len(self.connections)
        self._connections.grow(size)
        slots: Records = np.zeros(2 * size, SLOT_DTYPE)
        rehash(self.slots, slots)
        self.slots = slots

    def make_room_for_tracks(self) -> None:
        """Lets connections rest that are over or silent; doubles the tracks when few are."""
        now_ns, idle_ns = int(self.state["latest_ns"]), _IDLE_NS
        size = len(self._sides.array) // 2
        enough = size // 2 if size < _MOST_TRACKS else size // 4
        freed = self._rest(now_ns, idle_ns)
        if size < _MOST_TRACKS:
            if freed < enough:
                self._sides.grow(4 * size)
                self._prints.grow(4 * PRINTS_PER_SIDE * size)
            return
        while freed < enough:
            idle_ns = idle_ns // 2 if idle_ns > 1 else -(1 << 62)
            freed += self._rest(now_ns, idle_ns)

    def _rest(self, now_ns: int, idle_ns: int) -> int:
        rest_idle(
            self.states, self._connections.array, self._sides.array, self._prints.array, now_ns,
            min(_LINGER_NS, idle_ns), idle_ns,
        )  # fmt: skip
        return int(self.state["detail"])

    def make_room_for_buckets(self) -> None:
        """Merges buckets of one millisecond; doubles the table when that does not help enough."""
        size = len(self._buckets.array)
        if _ascends(self.buckets):
            self._buckets.grow(2 * size)
            return
        merged = merge_buckets(self.buckets)
        if 2 * len(merged) > size:
            self._buckets.grow(2 * size)
        self._buckets.array[: len(merged)] = merged
        self.state["buckets"] = len(merged)
        self.vantages["bucket"] = -1

    def take_batch(self) -> Records:
        """The filled rows (a view, valid until `rows` is filled again); copies the handshake rows."""
        state = self.state
        batch = self.rows[: int(state["rows"])]
        picked = self.picked[: int(state["picked"])]
        if len(picked):
            self.handshakes.extend_by(batch, picked)
        state["rows"] = 0
        state["picked"] = 0
        return batch
