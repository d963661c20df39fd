"""Runs a command and measures what it cost."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Cost:
    """What a finished command used; `peak_mb` is its largest resident memory in 10^6 bytes."""

    wall_s: float
    cpu_s: float
    peak_mb: float


class CommandFailed(RuntimeError):  # noqa: N818 - reads as what happened
    """A measured command did not succeed."""


def measure(command: Sequence[str], allowed: Sequence[int] = (0,)) -> Cost:
    """Runs `command` with its output thrown away; raises CommandFailed with its last words."""
    started = time.perf_counter()
    # Modules are compiled once, as for every user, and not anew in each measured process.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    child = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment
    )
    assert child.stderr is not None
    with child.stderr:
        words = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in allowed:
        raise CommandFailed(f"{' '.join(command)}: exit {child.returncode}: {words[-500:]}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Cost(time.perf_counter() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit / 1e6)
