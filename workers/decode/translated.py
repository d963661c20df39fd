"""Odd record headers, put into the shape of classic pcap on the way, so that one loop reads them all."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from workers.decode.loop.compiler import compiled, entry
from workers.decode.loop.octets import Buffer, file32
from workers.decode.loop.records import Record
from workers.decode.sources import Window

USUAL_HEADER = 16
_NO_LENGTH = 0x7FFFFFFF  # longer than any packet
_MOST_PADDING = 4096
SWAPPED_CODES: Final = {"no": 0, "yes": 1, "maybe": 2}

LAYOUT_DTYPE: Final = np.dtype(
    [
        ("header", "<i8"),  # bytes before the packet
        ("seconds_at", "<i8"),  # in the header; the fraction follows
        ("captured_at", "<i8"),
        ("original_at", "<i8"),
        ("record_at", "<i8"),  # length of header, packet and padding, or -1 where nothing pads
        ("drops_at", "<i8"),  # packets dropped so far, or -1
        ("swapped", "<i8"),  # SWAPPED_CODES
        ("limit", "<i8"),  # a longer packet is damage
        ("big", "<i8"),
        # Written by the loop:
        ("dropped", "<i8"),  # the latest count
        ("left_at", "<i8"),
        ("written", "<i8"),
        ("broken", "<i8"),
    ]
)


def make_layout(**fields: int) -> NDArray[np.void]:
    """One LAYOUT_DTYPE record; a place that is not given is -1, a switch 0."""
    layout: NDArray[np.void] = np.zeros(1, LAYOUT_DTYPE)
    for name, value in {"record_at": -1, "drops_at": -1, "dropped": -1, **fields}.items():
        layout[name] = value
    return layout


@compiled
def _read_header(source: Buffer, at: int, layout: Record) -> tuple[int, int, int]:
    """(captured bytes, original bytes, bytes to the next record) of the record at `at`; the last is 0 when the
    record cannot be."""
    big = layout.big != 0
    captured = file32(source, at + layout.captured_at, big)
    original = file32(source, at + layout.original_at, big)
    if layout.swapped == 1 or (layout.swapped == 2 and captured > original):
        captured, original = original, captured
    length = layout.header + captured
    if layout.record_at >= 0:
        length = file32(source, at + layout.record_at, big)
    if captured > layout.limit or length < layout.header + captured or length > layout.limit + _MOST_PADDING:
        return _NO_LENGTH, original, np.int64(0)
    return captured, original, length


@compiled
def _write_number(target: Buffer, at: int, value: int) -> None:
    for k in range(4):
        target[at + k] = (value >> (8 * k)) & 0xFF


@entry
def translate(source: Buffer, start: int, end: int, target: Buffer, layouts: Record) -> None:
    """Records of source[start:end] as little-endian pcap records in `target`. The layout says then where the first
    one left begins, how many bytes were written, and whether that one cannot be: its header is written all the
    same, for the loop to report."""
    layout = layouts[0]
    layout.broken = 0
    at, written = np.int64(start), np.int64(0)
    while at + layout.header <= end:
        captured, original, length = _read_header(source, at, layout)
        kept = captured if length else np.int64(0)
        if written + USUAL_HEADER + kept > target.size or at + length > end:
            break
        _write_number(target, written, file32(source, at + layout.seconds_at, layout.big != 0))
        _write_number(target, written + 4, file32(source, at + layout.seconds_at + 4, layout.big != 0))
        _write_number(target, written + 8, captured)
        _write_number(target, written + 12, original)
        written += USUAL_HEADER
        if not length:
            layout.broken = 1
            break
        for k in range(kept):
            target[written + k] = source[at + layout.header + k]
        written += kept
        if layout.drops_at >= 0:
            layout.dropped = file32(source, at + layout.drops_at, layout.big != 0)
        at += length
    layout.left_at, layout.written = at, written


def compile_translation() -> None:
    """Calls the translation with nothing to read."""
    nothing = np.zeros(1, np.uint8)
    translate(nothing, 0, 0, nothing, make_layout(header=USUAL_HEADER))


class TranslatedSource:
    """A ByteSource of pcap records without a file header, from a window that stands at the first odd record."""

    counted_in = " of the packets put into standard records"

    def __init__(self, window: Window, position: int, layout: NDArray[np.void]) -> None:
        self._window = window
        self._position = position
        self._layout = layout
        self._ready: NDArray[np.uint8] = np.empty(len(window.buffer), np.uint8)
        self._from = self._to = 0
        self._at_end = False

    @property
    def bytes_done(self) -> int:
        """See ByteSource."""
        return self._window.source.bytes_done

    @property
    def damage(self) -> str:
        """See ByteSource."""
        return self._window.source.damage

    @property
    def dropped(self) -> int | None:
        """Packets that the capture says it dropped up to the latest record, None where it does not say."""
        count = int(self._layout["dropped"][0])
        return count if count >= 0 else None

    def read_into(self, view: memoryview) -> int:
        """See ByteSource."""
        filled = 0
        while filled < len(view):
            if self._from == self._to and not self._translate_more():
                break
            count = min(len(view) - filled, self._to - self._from)
            view[filled : filled + count] = self._ready[self._from : self._from + count].data
            self._from += count
            filled += count
        return filled

    def _translate_more(self) -> bool:
        window = self._window
        while not self._at_end:
            translate(window.buffer, self._position, window.end, self._ready, self._layout)
            done = self._layout[0]
            self._position, self._from, self._to = int(done["left_at"]), 0, int(done["written"])
            self._at_end = bool(done["broken"])
            if self._to:
                return True
            if window.ended:
                return self._take_tail()
            window.refill(self._position)
            self._position = 0
        return False

    def _take_tail(self) -> bool:
        """A record cut short goes on as the header of one, so that the loop reports it."""
        self._at_end = True
        if self._position == self._window.end:
            return False
        self._ready[:USUAL_HEADER] = 0
        self._ready[8] = 1  # captured bytes, none of which follows
        self._from, self._to = 0, USUAL_HEADER
        return True
