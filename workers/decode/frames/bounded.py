"""Foreign programs that read a stranger's bytes: no home, no network names, bounded in time, memory and output."""

from __future__ import annotations

import os
import selectors
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from backend.errors import TooCostly, UnreadableInput
from workers.confinement.programs import Run, Running, start_program

_PIECE: Final = 1 << 16
_SAID_AT_MOST: Final = 8192
_FILES_BYTES: Final = 64 << 20


@dataclass(frozen=True)
class Bounds:
    """What one run may cost."""

    seconds: int
    """Of processor time, and twice that by the clock."""
    memory_bytes: int
    output_bytes: int


class ProgramFailed(UnreadableInput):
    """The program ended with an error; the sentence is what it said."""


def run_bounded(
    command: Sequence[str], scratch: Path, bounds: Bounds, *, given: bytes = b""
) -> Iterator[bytes]:
    """Pieces of the standard output of a program that has an empty home in `scratch` and nothing of our environment.

    Raises TooCostly at a bound, ProgramFailed with the program's own words."""
    with _started(command, scratch, bounds, given) as (program, output, errors):
        left, until = bounds.output_bytes, time.monotonic() + 2 * bounds.seconds
        with selectors.DefaultSelector() as selector:
            selector.register(output, selectors.EVENT_READ)
            while True:
                if not selector.select(max(0.0, until - time.monotonic())):
                    raise TooCostly(f"It took longer than {2 * bounds.seconds} s, the limit, and was ended.")
                piece = os.read(output, _PIECE)
                if not piece:
                    break
                left -= len(piece)
                if left < 0:
                    raise TooCostly(f"Its answer is longer than {bounds.output_bytes >> 20} MiB, the limit.")
                yield piece
        _judge(program.end(kill=False), errors, bounds)


@contextmanager
def _started(
    command: Sequence[str], scratch: Path, bounds: Bounds, given: bytes
) -> Iterator[tuple[_Ended, int, IO[bytes]]]:
    """(the program, its output, its errors)"""
    home = scratch / "home"
    home.mkdir(exist_ok=True)
    environment = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(home), "LC_ALL": "C.UTF-8"}
    environment |= {"XDG_CONFIG_HOME": str(home), "TMPDIR": str(home), "WIRESHARK_QUIT_AFTER_CAPTURE": "1"}
    run = Run(tuple(command), environment, str(home), bounds.seconds, bounds.memory_bytes, _FILES_BYTES)
    asked = scratch / "given"
    asked.write_bytes(given)
    output, its_output = os.pipe()
    try:
        with (scratch / "errors").open("w+b") as errors, asked.open("rb") as standard_input:
            try:
                program = _Ended(start_program(run, (standard_input.fileno(), its_output, errors.fileno())))
            finally:
                os.close(its_output)
            try:
                yield program, output, errors
            finally:
                program.end(kill=True)
    finally:
        os.close(output)


class _Ended:
    """A program that is ended once, however often it is asked."""

    def __init__(self, program: Running) -> None:
        self._program = program
        self._code: int | None = None

    def end(self, *, kill: bool) -> int:
        if self._code is None:
            self._code = self._program.end(kill=kill)
        return self._code


def _judge(code: int, errors: IO[bytes], bounds: Bounds) -> None:
    errors.seek(0)
    said = errors.read(_SAID_AT_MOST).decode("utf-8", "replace")
    if code == 0:
        return
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        raise TooCostly(f"It needs more than {bounds.seconds} s of processor time, the limit, and was ended.")
    if "emory" in said or code in (-signal.SIGABRT, -signal.SIGTRAP, -signal.SIGSEGV):
        raise TooCostly(
            f"It needs more than {bounds.memory_bytes >> 20} MiB of memory, the limit, or crashed."
        )
    raise ProgramFailed(said.strip() or f"It ended with code {code} and said nothing.")
