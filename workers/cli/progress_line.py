"""One line on standard error that says what is being done; nothing when that is no terminal."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TextIO

from workers.cli.terminal_text import visible

if TYPE_CHECKING:
    from workers.decode.reading import DecodeProgress

BETWEEN_UPDATES_S = 0.1
_CLEAR = "\r\x1b[K"


class ProgressLine:
    """Rewrites its line in place, at most ten times a second."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._shown = stream.isatty()
        self._doing = ""
        self._updated_s = 0.0

    def begin(self, doing: str) -> None:
        """A new step; `doing` stands until the next."""
        self._doing = visible(doing)[:80]
        self._write(self._doing)

    def decoded(self, progress: DecodeProgress) -> None:
        """How far the step is."""
        now_s = time.monotonic()
        if now_s - self._updated_s < BETWEEN_UPDATES_S:
            return
        self._updated_s = now_s
        done = 100 * progress.bytes_done // progress.bytes_total if progress.bytes_total else 100
        self._write(f"{self._doing}: {progress.packets:,} packets, {done} %")

    def part_done(self, done: int, total: int) -> None:
        """How much of the step is behind."""
        now_s = time.monotonic()
        if now_s - self._updated_s >= BETWEEN_UPDATES_S:
            self._updated_s = now_s
            self._write(f"{self._doing}: {100 * done // total if total else 100} %")

    def clear(self) -> None:
        """Leave an empty line for what is printed next."""
        if self._shown:
            self._stream.write(_CLEAR)
            self._stream.flush()

    def _write(self, text: str) -> None:
        if self._shown:
            self._stream.write(_CLEAR + text)
            self._stream.flush()
