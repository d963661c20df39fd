"""How long the programs of an instance were held by this machine, as they measure it themselves.

A machine under load lets a program wait for its processor. Packets are late then, and a report that says so is right:
the truth has these pauses, measured apart from the captures."""

from __future__ import annotations

import fcntl
import json
import os
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

BEAT_S = 0.005
LONG_S = 0.02
"""Shorter pauses are not kept: no cause rests on them."""
LOG_BYTES = 1 << 24


@dataclass(frozen=True)
class Held:
    """One pause of one program."""

    program: str
    until_wall_s: float
    seconds: float


class HeldLog:
    """A log in memory that processes forked later share."""

    def __init__(self) -> None:
        self._file = os.memfd_create("held")
        fcntl.fcntl(self._file, fcntl.F_SETFL, os.O_APPEND)

    def beat(self, program: str) -> Beat:
        """The measure of one program's loop, which comes around at least every `BEAT_S`."""
        return Beat(self, program)

    def add(self, program: str, seconds: float) -> None:
        """Keep a pause that has just ended."""
        os.write(self._file, (json.dumps([program, time.time(), seconds]) + "\n").encode())

    def __iter__(self) -> Iterator[Held]:
        for line in os.pread(self._file, LOG_BYTES, 0).splitlines():
            yield Held(*json.loads(line))

    def watch(self, program: str) -> None:
        """Measure the calling process, from a thread of its own."""
        threading.Thread(target=self._watch, args=(program,), daemon=True, name="held").start()

    def _watch(self, program: str) -> None:
        beat = self.beat(program)
        while True:
            time.sleep(BEAT_S)
            beat.around()


@dataclass
class Beat:
    """When a loop came around last."""

    log: HeldLog
    program: str

    def __post_init__(self) -> None:
        self._last_s = time.monotonic()

    def around(self, meant_s: float = 0) -> None:
        """The loop comes around, after a pause of its own that was meant to be so long."""
        now = time.monotonic()
        held_s = now - self._last_s - BEAT_S - meant_s
        self._last_s = now
        if held_s > LONG_S:
            self.log.add(self.program, held_s)


log = HeldLog()
"""Of this process and of those that it forks."""
