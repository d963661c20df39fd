"""Compiles the packet loop once per machine: ``python -m workers.decode.warm``, or at the first capture."""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final

import llvmlite.binding
import numba
import numpy as np

from workers.decode import messages_version, round_trips_version, signals_version
from workers.decode.conntrack.reading import scan
from workers.decode.interfaces import LARGEST_PACKET
from workers.decode.loop.walk import walk_pcap, walk_pcapng
from workers.decode.messages.reader import MessageReader
from workers.decode.round_trips.reader import RoundTripReader
from workers.decode.signals.reader import SignalReader
from workers.decode.tables import Tables

_SECONDS: Final = 60
"""About how long compiling takes on a slow machine, for the announcement."""


def _folder() -> Path:
    return Path(os.environ["NUMBA_CACHE_DIR"])


def _marker() -> Path:
    """Exists when this Python on this kind of processor has compiled this version of the loop, here: numba keeps its
    machine code by the path of the source."""
    processor = os.environ.get("NUMBA_CPU_NAME") or llvmlite.binding.get_host_cpu_name()
    here = hashlib.sha256(str(Path(__file__).parent).encode()).hexdigest()[:8]
    versions = (
        f"{messages_version()}-{round_trips_version()}-{signals_version()}-{platform.python_version()}"
        f"-numba-{numba.__version__}"
    )
    return _folder() / f"warm-{versions}-{processor}-{here}"


def _load_or_compile() -> None:
    """Calls each entry of the loop with nothing to read: numba loads it from its cache or compiles it."""
    tables = Tables(batch_rows=1)
    tables.grow_connections()
    tables.make_room_for_tracks()
    nothing = np.zeros(1, np.uint8)
    walk_pcap(nothing, 0, False, *tables.arguments())
    walk_pcapng(nothing, 0, False, LARGEST_PACKET, *tables.arguments())
    MessageReader(tables, None).finish()
    RoundTripReader(None).take(tables.rows[:0], tables.connections)
    SignalReader().take(tables.rows[:0], tables.connections)


def _load_or_compile_scanner() -> None:
    scan([b"\n"])


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # noqa: T201 - a wait without a word looks like a hang


@cache
def ensure_compiled(announce: Callable[[str], None] = _say) -> None:
    """Makes the loop ready. One process compiles while the others wait for it; both say so."""
    marker = _marker()
    if marker.exists():
        _load_or_compile()
        return
    _folder().mkdir(parents=True, exist_ok=True)
    with (_folder() / "compiling.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            announce("Waiting for another process that compiles the packet loop …")
            fcntl.flock(lock, fcntl.LOCK_EX)
        if not marker.exists():
            announce(f"Compiling the packet loop (once, about {_SECONDS} s) …")
        _load_or_compile()
        _load_or_compile_scanner()
        marker.touch()


@cache
def ensure_scanner(announce: Callable[[str], None] = _say) -> None:
    """Makes the scanner of connection-tracking lines ready; whoever has neither compiles both."""
    if not _marker().exists():
        ensure_compiled(announce)
    _load_or_compile_scanner()


if __name__ == "__main__":
    ensure_compiled()
    _say(f"The packet loop is ready ({_folder()}).")
