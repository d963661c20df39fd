"""From bytes to entries, and the lines that are none as text."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.forensics.dumps.conntrack import CONNTRACK_DTYPE
from workers.decode.conntrack.scanner import scan_lines
from workers.decode.growing import RecordList

_BATCH: Final = 1 << 14
_KEPT_OF_A_LINE: Final = 1 << 17
"""Bytes; what is longer is understood by nobody, so the rest of it need not be held."""

Entries = NDArray[np.void]


@dataclass(frozen=True)
class Run:
    """Lines in a row that are all entries of one kind of listing, read already."""

    events: bool
    rows: Entries
    """CONNTRACK_DTYPE, one row a line, in their order."""


@dataclass
class Scanned:
    """A text after the scan."""

    lines: int = 0
    others: list[str] = field(default_factory=list)
    """Each line that is no entry."""
    other_numbers: array[int] = field(default_factory=lambda: array("q"))
    latin_lines: list[int] = field(default_factory=list)
    """Numbers of the lines that are not UTF-8 and were read as Latin-1."""
    _rows: RecordList = field(default_factory=lambda: RecordList(CONNTRACK_DTYPE))

    @property
    def entries(self) -> Entries:
        """All entries, of listings and of events."""
        return self._rows.view()

    def items(self) -> Iterator[str | Run]:
        """Every line of the text in its order, entries in runs."""
        position = 0
        for run in _runs_of(self.entries):
            first = int(run.rows["line"][0])
            while position < len(self.others) and self.other_numbers[position] < first:
                yield self.others[position]
                position += 1
            yield run
        yield from self.others[position:]

    def add(self, entries: Entries, text: bytes, spans: list[list[int]]) -> None:
        """Keeps what one call of the scanner found: `spans` are (begin, end, number) in `text`."""
        self._rows.extend(entries)
        for begin, end, number in spans:
            line = text[begin:end]
            try:
                self.others.append(line.decode("utf-8"))
            except UnicodeDecodeError:
                self.others.append(line.decode("latin-1"))
                self.latin_lines.append(number)
            self.other_numbers.append(number)


def scan(blocks: Iterable[bytes], *, first_line: int = 1) -> Scanned:
    """Reads a text that comes in blocks of any size; its lines count from `first_line`."""
    from workers.decode.warm import ensure_compiled  # which compiles this module's scanner

    ensure_compiled()
    scanner = _Scanner(first_line)
    for block in blocks:
        scanner.feed(block)
    return scanner.finish()


class _Scanner:
    """Holds what is left of the last line between two blocks."""

    def __init__(self, first_line: int) -> None:
        self._scanned = Scanned()
        self._rest = b""
        self._first_line = first_line
        # Where in the block, number of the line, rows used, others used: as `scan_lines` counts them.
        self._state = np.array([0, first_line, 0, 0], np.int64)
        self._rows = np.zeros(_BATCH, CONNTRACK_DTYPE)
        self._others = np.zeros(3 * _BATCH, np.int64)

    def feed(self, block: bytes) -> None:
        whole, line_feed, rest = block.rpartition(b"\n")
        if not line_feed:
            self._rest = (self._rest + block)[:_KEPT_OF_A_LINE]
            return
        self._scan(self._rest + whole + line_feed)
        self._rest = rest

    def finish(self) -> Scanned:
        if self._rest:
            self._scan(self._rest + b"\n")
        self._scanned.lines = int(self._state[1]) - self._first_line
        return self._scanned

    def _scan(self, text: bytes) -> None:
        # A copy that may be written to: numba would compile once more for one that may not.
        buffer = np.frombuffer(bytearray(text), np.uint8)
        state = self._state
        state[0] = 0
        while state[0] < len(buffer):
            state[2] = state[3] = 0
            scan_lines(buffer, len(buffer), self._rows, self._others, state)
            spans = self._others[: 3 * state[3]].reshape(-1, 3).tolist()
            self._scanned.add(self._rows[: state[2]], text, spans)


def compile_scanner() -> None:
    """Calls the scanner with nothing to read."""
    scanner = _Scanner(1)
    nothing = np.zeros(1, np.uint8)
    scan_lines(nothing, 0, scanner._rows, scanner._others, scanner._state)


def _runs_of(rows: Entries) -> Iterator[Run]:
    if not len(rows):
        return
    is_event = rows["event"] != 0
    breaks = (np.diff(rows["line"].astype(np.int64)) != 1) | (is_event[1:] != is_event[:-1])
    bounds = [0, *(np.flatnonzero(breaks) + 1).tolist(), len(rows)]
    for begin, end in pairwise(bounds):
        yield Run(bool(is_event[begin]), rows[begin:end])
