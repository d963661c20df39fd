"""Standard output and error outlive their readers: what a command returns does not depend on who still reads it."""

from __future__ import annotations

import io
import os
import sys
from typing import TextIO


class _Outliving(io.FileIO):
    """A descriptor whose reader may leave (`| head`), or whose disk may be full, which is an error once: from then on
    what is written goes nowhere."""

    def write(self, data) -> int:  # type: ignore[no-untyped-def]
        try:
            return super().write(data)
        except OSError as error:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            if not isinstance(error, BrokenPipeError):
                raise
            return len(data)


def outlive_readers() -> None:
    """Of this process's own streams; those that a program put in their place stay."""
    if sys.stdout is sys.__stdout__:
        sys.stdout = _outliving(sys.stdout)
    if sys.stderr is sys.__stderr__:
        sys.stderr = _outliving(sys.stderr)


def _outliving(stream: TextIO | None) -> TextIO:
    if stream is None:  # started with the descriptor closed
        return open(os.devnull, "w", encoding="utf-8")
    stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(_Outliving(stream.fileno(), "w", closefd=False)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.isatty() or stream is sys.__stderr__,
    )
