"""One clock for the interfaces of a merged capture: each machine stamped its packets with its own.

The interfaces of one machine share its clock, so interfaces whose clocks differ by more than the path explains are of
several machines, even where the file does not state that it was merged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from backend.forensics.captures import Capture, VantagePoint
from backend.forensics.connections import NEVER
from backend.forensics.evidence.clocks.clocks import ClockOffset, Shift, compare_interfaces
from backend.forensics.messages import DTYPES, Messages, MessageTable
from backend.forensics.private_words import of_file, of_place

Ints = NDArray[np.int64]

_VANTAGE: Final = "vantage"
_BUCKET_NS: Final = 1_000_000
_TIMES: Final[Mapping[str, tuple[str, ...]]] = {
    "connections": ("last_ns", "first_ns", "syn_ack_ns", "established_ns", "closed_ns", "syn_ns"),
    "handshakes": ("time_ns",),
    "signals": ("time_ns",),
    "buckets": ("start_ns",),
    "round_trips": ("sent_ns",),
    "http": ("request_first_ns", "request_last_ns", "response_first_ns", "response_last_ns"),
    "dns": ("time_ns",),
    "tls": ("time_ns",),
    "icmp_errors": ("time_ns",),
    "neighbors": ("time_ns",),
    "wrong_checksums": ("time_ns",),
}
"""Columns that hold a time of the capture's clock; the others ending in ``_ns`` are durations, or dates that a server
states."""


def align_interfaces(capture: Capture) -> tuple[Capture, tuple[ClockOffset, ...]]:
    """The capture with all times on the clock of its first interface, and by what the other clocks differ. As it is
    where they do not."""
    points = capture.vantage_points
    owner = _owners(points)
    if int(owner.max(initial=0)) == 0:
        return capture, ()
    first = np.unique(owner, return_index=True)[1].tolist()
    names = [f"{of_place(points[n].name)} in {of_file(capture.name)}" for n in first]
    offsets, of_owner = compare_interfaces(capture, owner, names)
    corrected = tuple(offset for offset in offsets if offset.corrected)
    if not corrected:
        return capture, ()
    shifts = [of_owner[number] for number in owner.tolist()]
    return _shifted(capture, shifts), corrected


def _owners(points: Sequence[VantagePoint]) -> Ints:
    """By vantage point, a number for each clock that may be one of its own. All that the kernel numbers in one file
    (Linux cooked) were stamped by one; of other interfaces nothing is known."""
    numbers: dict[tuple[int, int], int] = {}
    keys = [(p.machine, p.index if p.interface_index is None else -1) for p in points]
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], np.int64)


def _shifted(capture: Capture, shifts: Sequence[Shift]) -> Capture:
    points = tuple(
        _shifted_point(point, shift) for point, shift in zip(capture.vantage_points, shifts, strict=True)
    )
    clocks = {key: number for number, key in enumerate(dict.fromkeys(_clock_of(p, shifts) for p in points))}
    points = tuple(replace(p, machine=clocks[_clock_of(p, shifts)]) for p in points)
    seen = [point for point in points if point.packets]
    tables = {name: _ShiftedTable(capture.messages.table(name), name, shifts) for name in DTYPES}
    return replace(
        capture,
        vantage_points=points,
        first_ns=min(point.first_ns for point in seen),
        last_ns=max(point.last_ns for point in seen),
        connections=_shifted_rows(capture.connections, "connections", shifts),
        handshakes=_shifted_rows(capture.handshakes, "handshakes", shifts),
        signals=_shifted_rows(capture.signals, "signals", shifts),
        buckets=_shifted_buckets(capture.buckets, shifts),
        messages=Messages(**tables),
        round_trips=_ShiftedTable(capture.round_trips, "round_trips", shifts),
    )


def _clock_of(point: VantagePoint, shifts: Sequence[Shift]) -> tuple[int, Shift]:
    return point.machine, shifts[point.index]


def _shifted_point(point: VantagePoint, shift: Shift) -> VantagePoint:
    def moved(time_ns: int) -> int:
        return time_ns if time_ns == NEVER else time_ns - int(shift.of(np.array([time_ns], np.int64))[0])

    gaps = tuple((moved(begin), moved(end)) for begin, end in point.unrecorded_ns)
    return replace(point, first_ns=moved(point.first_ns), last_ns=moved(point.last_ns), unrecorded_ns=gaps)


def _shifted_times(time_ns: Ints, vantage: NDArray[np.uint32], shifts: Sequence[Shift]) -> Ints:
    """`vantage` stands beside the times; NEVER stays."""
    found = time_ns.astype(np.int64)
    for number, shift in enumerate(shifts):
        if shift != Shift():
            mine = np.flatnonzero((vantage == number) & (found != NEVER))
            found[mine] -= shift.of(found[mine])
    return found


def _shifted_rows(rows: NDArray[np.void], table: str, shifts: Sequence[Shift]) -> NDArray[np.void]:
    moved = rows.copy()
    for name in _TIMES[table]:
        moved[name] = _shifted_times(rows[name], rows[_VANTAGE], shifts)
    return moved


def _shifted_buckets(rows: NDArray[np.void], shifts: Sequence[Shift]) -> NDArray[np.void]:
    """Their starts stay multiples of a millisecond."""
    moved = _shifted_rows(rows, "buckets", shifts)
    moved["start_ns"] -= moved["start_ns"] % _BUCKET_NS
    return moved


@dataclass(frozen=True)
class _ShiftedTable:
    """A table whose times are shifted as they are read."""

    table: MessageTable
    name: str
    shifts: Sequence[Shift]

    @property
    def rows(self) -> int:
        """How many there are."""
        return self.table.rows

    def read(self, columns: Sequence[str]) -> pa.Table:
        """These columns of all rows."""
        if not self._moves(columns):
            return self.table.read(columns)
        read = self.table.read(self._with_vantage(columns))
        return pa.table({name: self._column(read, name) for name in columns})

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """The same in parts."""
        if not self._moves(columns):
            yield from self.table.batches(columns)
            return
        for batch in self.table.batches(self._with_vantage(columns)):
            yield pa.record_batch({name: self._column(batch, name) for name in columns})

    def _moves(self, columns: Sequence[str]) -> bool:
        return not set(columns).isdisjoint(_TIMES[self.name])

    def _with_vantage(self, columns: Sequence[str]) -> list[str]:
        return list(dict.fromkeys((*columns, _VANTAGE)))

    def _column(self, read: pa.Table | pa.RecordBatch, name: str) -> pa.Array | pa.ChunkedArray:
        column = read.column(name)
        if name not in _TIMES[self.name]:
            return column
        return pa.array(_shifted_times(column.to_numpy(), read.column(_VANTAGE).to_numpy(), self.shifts))
