"""Foreign programs that read a stranger's bytes: no home, no network names, bounded in time, memory and output."""

from __future__ import annotations

import os
import resource
import selectors
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from backend.errors import TooCostly, UnreadableInput
from workers.confinement.kernel import die_with_parent, never_gain_privileges
from workers.confinement.seccomp import forbid_processes
from workers.confinement.trial import confinement

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
    with _started(command, scratch, bounds, given) as (process, errors):
        assert process.stdout is not None
        left, until = bounds.output_bytes, time.monotonic() + 2 * bounds.seconds
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while True:
                if not selector.select(max(0.0, until - time.monotonic())):
                    raise TooCostly(f"It took longer than {2 * bounds.seconds} s, the limit, and was ended.")
                piece = os.read(process.stdout.fileno(), _PIECE)
                if not piece:
                    break
                left -= len(piece)
                if left < 0:
                    raise TooCostly(f"Its answer is longer than {bounds.output_bytes >> 20} MiB, the limit.")
                yield piece
        _judge(process.wait(timeout=bounds.seconds), errors, bounds)


@contextmanager
def _started(
    command: Sequence[str], scratch: Path, bounds: Bounds, given: bytes
) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes]]]:
    home = scratch / "home"
    home.mkdir(exist_ok=True)
    parent = os.getpid()
    filters = confinement().seccomp

    def limit() -> None:
        die_with_parent(parent)
        for kind, most in (
            (resource.RLIMIT_CPU, bounds.seconds),
            (resource.RLIMIT_DATA, bounds.memory_bytes),
            (resource.RLIMIT_FSIZE, _FILES_BYTES),
            (resource.RLIMIT_CORE, 0),
        ):
            hard = resource.getrlimit(kind)[1]
            least = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(kind, (least, least))
        if filters:
            never_gain_privileges()
            forbid_processes()

    environment = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(home), "LC_ALL": "C.UTF-8"}
    environment |= {"XDG_CONFIG_HOME": str(home), "TMPDIR": str(home), "WIRESHARK_QUIT_AFTER_CAPTURE": "1"}
    asked = scratch / "given"
    asked.write_bytes(given)
    with (scratch / "errors").open("w+b") as errors, asked.open("rb") as standard_input:
        process = subprocess.Popen(
            command, stdin=standard_input, stdout=subprocess.PIPE, stderr=errors, env=environment, cwd=home,
            preexec_fn=limit,  # noqa: PLW1509 - the child that calls this has one thread
        )  # fmt: skip
        try:
            yield process, errors
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
            assert process.stdout is not None
            process.stdout.close()


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
