"""Compiles the packet loop once per machine: ``python -m workers.decode.warm``, or at the first capture."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

from workers.confinement.kernel import die_with_parent
from workers.decode import loop_cache, messages_cache
from workers.decode.interfaces import LARGEST_PACKET
from workers.decode.loop.compiler import COMPILES, compiling, interpreted
from workers.decode.loop.machine import processor
from workers.decode.loop.walk import walk_pcap, walk_pcapng
from workers.decode.messages.reader import MessageReader
from workers.decode.round_trips.packed_file import Unpacker
from workers.decode.tables import Tables
from workers.decode.translated import compile_translation

_SECONDS: Final = 60
"""About how long compiling takes on a slow machine, for the announcement."""


def _folder() -> Path:
    return Path(loop_cache())


def _marker() -> str:
    """Name of the file that exists when this version of the loop is compiled."""
    return f"warm-{Path(messages_cache()).name}"


def _compile() -> None:
    """Calls each entry of the loop with nothing to read, which here compiles it."""
    tables = Tables(batch_rows=1)
    tables.grow_connections()
    tables.make_room_for_tracks()
    nothing = np.zeros(1, np.uint8)
    walk_pcap(nothing, 0, False, *tables.arguments())
    walk_pcapng(nothing, 0, False, LARGEST_PACKET, *tables.arguments())
    compile_translation()
    MessageReader(tables, None).finish()
    sampler = tables.sampler
    Unpacker().columns(sampler["rows"][0][:0], sampler["whole"][0][:0], tables.connections, ["kind"])
    from workers.decode.conntrack.reading import compile_scanner  # its records take others 50 ms to import

    compile_scanner()


def end_with_who_asked() -> None:
    """A process that compiles for nobody would keep the processor busy for minutes."""
    die_with_parent(int(os.environ[COMPILES]))


def _compile_in_child(module: str) -> None:
    """In a process of its own: numba is large and slow to import, and nobody else needs it."""
    result = subprocess.run(
        [sys.executable, "-m", module],
        env={**os.environ, COMPILES: str(os.getpid())}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    if result.returncode != 0:
        raise RuntimeError(f"{module} could not compile: {result.stderr[-2000:]}")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # noqa: T201 - a wait without a word looks like a hang


@cache
def ensure_compiled(announce: Callable[[str], None] = _say) -> None:
    """Makes the loop, and the scanner of connection-tracking lines, ready. One process compiles while the others
    wait for it; both say so. Raises RuntimeError when it cannot be compiled."""
    compile_once("workers.decode.warm", _folder(), _marker(), "the packet loop", announce)


def compile_once(
    module: str, folder: Path, marker: str, what: str, announce: Callable[[str], None] = _say
) -> None:
    """Runs a module that compiles, unless the marker says that it has run for this kind of processor."""
    done = folder / f"{marker}-{processor()}"
    if interpreted or done.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"compiling-{marker}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            announce(f"Waiting for another process that compiles {what} …")
            fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            announce(f"Compiling {what} (once, about {_SECONDS} s) …")
            _compile_in_child(module)
            done.touch()


if __name__ == "__main__":
    if compiling:
        end_with_who_asked()
        _compile()
    else:
        ensure_compiled()
        _say(f"The packet loop is ready ({_folder()}).")
