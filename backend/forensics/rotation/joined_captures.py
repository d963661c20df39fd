"""Rotated parts as one capture, and the way back: which file a frame or a connection of it is in.

A frame of a joined capture is numbered ``part << PART_SHIFT | frame of its file``: numbers of different parts differ,
those of the first are the file's own."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from backend.forensics.captures import Capture, VantagePoint
from backend.forensics.connections import BUCKET_DTYPE, NEVER
from backend.forensics.messages import DTYPES, Messages, MessageTable
from backend.forensics.rotation.joined_connections import JoinedConnections, join_connections
from backend.forensics.rotation.joined_messages import JoinedMessages
from backend.forensics.rotation.part_chains import find_chains, longest_silence_ns, places_of
from backend.forensics.tunnels import Tunnel

PART_SHIFT: Final = 40
"""A file has fewer frames than 2^40, and JSON keeps whole numbers up to 2^53: room for 8,191 parts."""
PARTS_MOST: Final = 1 << 13

Rows = NDArray[np.void]


@dataclass(frozen=True)
class Parts:
    """The files of one joined capture, by time. The first one's name is the joined capture's."""

    names: tuple[str, ...]
    connections: JoinedConnections

    def frame(self, number: int) -> tuple[str, int]:
        """(file, frame there) of a frame of the joined capture."""
        part = number >> PART_SHIFT
        if number < 0 or part >= len(self.names):
            return self.names[0], number
        return self.names[part], number & ((1 << PART_SHIFT) - 1)


@dataclass(frozen=True)
class JoinedCaptures:
    """All captures, rotated parts joined. `parts` is by name of the joined capture."""

    captures: tuple[Capture, ...]
    parts: dict[str, Parts]


def join_rotated(captures: Sequence[Capture]) -> JoinedCaptures:
    """Join what is parts of one capture; the others stay as they are. Inputs in any order give the same."""
    chains = [chain[:PARTS_MOST] for chain in find_chains(captures)]
    inside = {number for chain in chains for number in chain}
    made = [capture for number, capture in enumerate(captures) if number not in inside]
    parts: dict[str, Parts] = {}
    for chain in chains:
        own = [captures[number] for number in chain]
        joined = _Joiner(own)
        made.append(joined.capture())
        parts[own[0].name] = Parts(tuple(part.name for part in own), joined.connections)
    return JoinedCaptures(tuple(made), parts)


class _Joiner:
    """Numbers vantage points, tunnels, connections and frames of several files alike."""

    def __init__(self, parts: Sequence[Capture]) -> None:
        self._parts = parts
        self._points: list[list[tuple[int, VantagePoint]]] = []
        """By joined vantage point: (part, its own)."""
        self._number_of: dict[Hashable, int] = {}
        self._vantage = [self._number_points(n, part) for n, part in enumerate(parts)]
        self._tunnels: dict[Tunnel, int] = {}
        self._tunnel = [
            np.array(
                [self._tunnels.setdefault(t, len(self._tunnels)) for t in part.tunnels] or [0], np.uint32
            )
            for part in parts
        ]
        self.connections = join_connections([self._moved(n, p.connections) for n, p in enumerate(parts)])

    def _number_points(self, part: int, capture: Capture) -> NDArray[np.uint32]:
        """By own number of a vantage point, the joined one."""
        numbers = []
        for key, point in zip(places_of(capture), capture.vantage_points, strict=True):
            number = self._number_of.setdefault(key, len(self._points))
            if number in numbers:  # the file itself has no word to distinguish the two
                number = len(self._points)
            if number == len(self._points):
                self._points.append([])
            self._points[number].append((part, point))
            numbers.append(number)
        return np.array(numbers, np.uint32)

    def _moved(self, part: int, rows: Rows) -> Rows:
        """Rows of a part with joined numbers of vantage points, tunnels and frames."""
        moved = rows.copy()
        for name in rows.dtype.names or ():
            moved[name] = self._number(part, name, rows[name])
        return moved

    def _number(self, part: int, name: str, values: NDArray[np.generic]) -> NDArray[np.generic]:
        if name == "vantage":
            return self._vantage[part][values.astype(np.int64)]
        if name == "tunnel":
            return self._tunnel[part][values.astype(np.int64)]
        if name == "frame" or name.endswith("_frame"):
            known = values.astype(np.int64)
            moved: NDArray[np.generic] = np.where(known > 0, known + (part << PART_SHIFT), known)
            return moved.astype(values.dtype)
        return values

    def _connected(self, part: int, rows: Rows) -> Rows:
        """The same for rows that name a connection."""
        moved = self._moved(part, rows)
        number, swapped = self.connections.of_part(part, rows["connection"])
        moved["connection"] = number
        if "from_client" in (rows.dtype.names or ()):
            moved["from_client"] = rows["from_client"] ^ swapped
        return moved

    def _batch(self, part: int, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The same for a batch of messages."""
        columns = {name: batch.column(name) for name in batch.schema.names}
        for name, column in columns.items():
            if name == "connection":
                continue
            if name in ("vantage", "tunnel", "frame") or name.endswith("_frame"):
                columns[name] = pa.array(self._number(part, name, column.to_numpy()), column.type)
        if "connection" in columns:
            own = columns["connection"]
            number, swapped = self.connections.of_part(part, own.to_numpy())
            columns["connection"] = pa.array(number, own.type)
            if "from_client" in columns:
                side = columns["from_client"]
                columns["from_client"] = pa.array(side.to_numpy() ^ swapped, side.type)
        return pa.RecordBatch.from_arrays(list(columns.values()), schema=batch.schema)

    def _messages(self, tables: Sequence[MessageTable]) -> MessageTable:
        return JoinedMessages(tables, [partial(self._batch, n) for n in range(len(tables))])

    def capture(self) -> Capture:
        """The joined capture."""
        parts = self._parts
        undecoded: dict[str, int] = {}
        for part in parts:
            for why, count in part.undecoded.items():
                undecoded[why] = undecoded.get(why, 0) + count
        return replace(
            parts[0],
            bytes=sum(part.bytes for part in parts),
            packets=sum(part.packets for part in parts),
            first_ns=min(part.first_ns for part in parts),
            last_ns=max(part.last_ns for part in parts),
            vantage_points=tuple(self._point(number) for number in range(len(self._points))),
            connections=self.connections.table,
            handshakes=np.concatenate([self._connected(n, p.handshakes) for n, p in enumerate(parts)]),
            signals=np.concatenate([self._connected(n, p.signals) for n, p in enumerate(parts)]),
            buckets=_summed(np.concatenate([self._moved(n, p.buckets) for n, p in enumerate(parts)])),
            messages=Messages(
                **{name: self._messages([part.messages.table(name) for part in parts]) for name in DTYPES}
            ),
            round_trips=self._messages([part.round_trips for part in parts]),
            undecoded=undecoded,
            tunnels=tuple(self._tunnels),
            warnings=tuple(warning for part in parts for warning in part.warnings),
        )

    def _point(self, number: int) -> VantagePoint:
        own = self._points[number]
        first = own[0][1]
        seen = [point for _, point in own if point.packets]
        dropped = [p.dropped_by_capture for _, p in own if p.dropped_by_capture is not None]
        ids = [f"{self._parts[part].name}#{point.index}" for part, point in own]
        return replace(
            first,
            index=number,
            packets=sum(point.packets for point in seen),
            first_ns=min((point.first_ns for point in seen), default=NEVER),
            last_ns=max((point.last_ns for point in seen), default=NEVER),
            dropped_by_capture=sum(dropped) if dropped else None,
            parts=tuple(each for each in ids if each != f"{self._parts[0].name}#{number}"),
            unrecorded_ns=self._gaps(),
        )

    def _gaps(self) -> tuple[tuple[int, int], ...]:
        """Between parts, where no packet came for longer than ever inside one: nobody knows whether any passed."""
        silence_ns = max(longest_silence_ns(part) for part in self._parts)
        spans = [(a.last_ns, b.first_ns) for a, b in pairwise(self._parts)]
        return tuple((begin, end) for begin, end in spans if end - begin > silence_ns)


def _summed(buckets: Rows) -> Rows:
    """Sorted by vantage point and start, one bucket for each pair."""
    if not len(buckets):
        return np.zeros(0, BUCKET_DTYPE)
    ordered = buckets[np.lexsort((buckets["start_ns"], buckets["vantage"]))]
    new = np.ones(len(ordered), np.bool_)
    new[1:] = np.diff(ordered["start_ns"]) != 0
    new[1:] |= np.diff(ordered["vantage"].astype(np.int64)) != 0
    starts = np.flatnonzero(new)
    summed = ordered[starts]
    for name in ("packets", "bytes", "syns"):
        summed[name] = np.add.reduceat(ordered[name], starts)
    return summed
