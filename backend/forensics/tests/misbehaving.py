"""Parts of an analysis that do what none should."""

from __future__ import annotations

import ctypes
import itertools
import os
import signal
import time
from collections import deque
from collections.abc import Callable
from typing import Final, NoReturn

import numpy as np


class BrokenError(Exception):
    """What no part of the analysis expects."""


def fail(*_: object, **__: object) -> NoReturn:
    raise BrokenError("198.51.100.77")


def run_for_ever(*_: object, **__: object) -> NoReturn:
    while True:
        pass


def run_deaf(*_: object, **__: object) -> NoReturn:
    """As code that catches everything once does."""
    try:
        run_for_ever()
    except BaseException:
        run_for_ever()


def sleep_for_ever(*_: object, **__: object) -> NoReturn:
    while True:
        time.sleep(1000)


def allocate_for_ever(*_: object, **__: object) -> NoReturn:
    held = []
    while True:
        held.append(np.ones(1 << 20))


def allocate_objects(*_: object, **__: object) -> NoReturn:
    held = []
    while True:
        held.append([0] * 100_000)


def run_compiled(*_: object, **__: object) -> None:
    """Machine code that never comes back to ask for signals."""
    deque(itertools.repeat(0), maxlen=0)


def segfault(*_: object, **__: object) -> None:
    ctypes.string_at(0)


def kill_process(*_: object, **__: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def leave_process(*_: object, **__: object) -> None:
    os._exit(3)


STOPPED: Final[dict[str, tuple[Callable[..., object], str]]] = {
    "fail": (fail, "BrokenError"),
    "run_for_ever": (run_for_ever, "limit part_cpu_s"),
    "run_deaf": (run_deaf, "limit part_cpu_s"),
    "sleep_for_ever": (sleep_for_ever, "limit part_cpu_s"),
    "allocate_for_ever": (allocate_for_ever, "limit part_memory_bytes"),
    "allocate_objects": (allocate_objects, "limit part_memory_bytes"),
}
"""By name: what ends without its process, and a word of what is said then."""
DEADLY: Final[dict[str, tuple[Callable[..., object], str]]] = {
    "run_compiled": (run_compiled, "limit part_cpu_s"),
    "segfault": (segfault, "SIGSEGV"),
    "kill_process": (kill_process, "SIGKILL"),
    "leave_process": (leave_process, "without a signal"),
}
"""What takes its process with it."""
