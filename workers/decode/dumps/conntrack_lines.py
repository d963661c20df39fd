"""Collects the entries of one listing: runs that were read already, and single lines that still have to be."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from backend.forensics.dumps import ConntrackTable
from workers.decode.conntrack.reading import Run, scan
from workers.decode.dumps.text import Item, item_lines


def count_lines(lines: Sequence[Item]) -> int:
    """How many lines these items stand for."""
    return sum(item_lines(item) for item in lines)


class Entries:
    """Entries in the order of their lines. Of an event listing those without an event are not understood."""

    def __init__(self, *, events: bool = False) -> None:
        self._events = events
        self._runs: list[np.ndarray[tuple[int], np.dtype[np.void]]] = []
        self._lines: list[bytes] = []
        self._numbers: list[Sequence[int]] = []
        self._not_understood: list[int] = []

    def add_run(self, run: Run) -> None:
        """Adds lines that were read already."""
        self._read_lines()
        self._runs.append(run.rows)

    def add_line(self, numbers: Sequence[int], line: str) -> None:
        """Adds one that was not; its `numbers` are two where something cut it into two lines."""
        self._lines.append(line.replace("\n", " ").encode("utf-8", errors="replace"))
        self._numbers.append(numbers)

    def finish(self) -> tuple[ConntrackTable, tuple[int, ...]]:
        """The table and the numbers of the lines that were not understood."""
        self._read_lines()
        rows = self._runs[0] if len(self._runs) == 1 else None
        table = ConntrackTable(np.concatenate(self._runs) if rows is None and self._runs else rows)
        return table, tuple(self._not_understood)

    def _read_lines(self) -> None:
        if not self._lines:
            return
        rows = scan([b"\n".join(self._lines)]).entries
        rows = rows[(rows["event"] != 0) == self._events]
        read = set((rows["line"] - 1).tolist())
        for index, numbers in enumerate(self._numbers):
            if index not in read:
                self._not_understood += numbers
        rows["line"] = [self._numbers[line - 1][0] for line in rows["line"].tolist()]
        self._runs += [rows] if len(rows) else []
        self._lines, self._numbers = [], []
