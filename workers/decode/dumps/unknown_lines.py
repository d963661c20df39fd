"""Lines of no known format, in texts that hold little else: asking every format about each of them takes 50 us."""

from __future__ import annotations

from typing import Final

ASKED_AT_LEAST: Final = 1_000
"""Lines in a row that no format owns before any line is passed by."""
_SHAPES_AT_MOST: Final = 10_000
_DIGITS: Final = str.maketrans("23456789", "11111111")


class UnknownLines:
    """Remembers what the lines of a stretch that no format owns look like; an owned line ends the stretch."""

    def __init__(self) -> None:
        self._in_a_row = 0
        self._shapes: set[str] = set()

    def hold(self, line: str) -> bool:
        """Whether a line that differs from this one in digits other than 0 alone was of no format, in a long stretch
        of such lines."""
        return self._in_a_row >= ASKED_AT_LEAST and line.translate(_DIGITS) in self._shapes

    def add(self, line: str) -> None:
        """A line that no format owns."""
        self._in_a_row += 1
        if len(self._shapes) < _SHAPES_AT_MOST:
            self._shapes.add(line.translate(_DIGITS))

    def end(self) -> None:
        """A line that a format owns."""
        if self._in_a_row:
            self._in_a_row = 0
            self._shapes.clear()
