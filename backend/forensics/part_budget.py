"""What one part of an analysis may take: beyond it Python code is interrupted, and compiled code loses its process."""

from __future__ import annotations

import resource
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Final

CLOCK_FACTOR: Final = 10
"""Seconds by the clock for each second of processor time: a loaded machine is slow, a sleeping part is not."""
HARD_FACTOR: Final = 2
_AGAIN_EVERY_S: Final = 1.0
"""Whoever catches the interruption is interrupted again."""
_DATA_PAGES: Final = 5
"""Field of /proc/self/statm that RLIMIT_DATA bounds."""


@dataclass(frozen=True)
class Budget:
    """Of one detector, cause or list."""

    cpu_s: float = 300
    memory_bytes: int = 2 << 30
    ends_process: bool = False
    """Whether the kernel may end this process where code does not let itself be interrupted."""


class OverBudget(BaseException):
    """Raised in the middle of the part that took too long."""


@contextmanager
def within(budget: Budget) -> Iterator[None]:
    """Raises OverBudget, or MemoryError, out of what runs inside. Time is only bounded in the main thread."""
    with _bounded_memory(budget.memory_bytes):
        if threading.current_thread() is threading.main_thread():
            with _bounded_time(budget):
                yield
        else:
            yield


@contextmanager
def _bounded_time(budget: Budget) -> Iterator[None]:
    is_inside = True

    def stop(_number: int, _frame: FrameType | None) -> None:
        if is_inside:
            raise OverBudget

    before = [(number, signal.signal(number, stop)) for number in (signal.SIGPROF, signal.SIGALRM)]
    try:
        try:
            _set_timers(budget)
            yield
        finally:
            is_inside = False
    finally:
        for timer in (signal.ITIMER_PROF, signal.ITIMER_REAL, signal.ITIMER_VIRTUAL):
            signal.setitimer(timer, 0)
        for number, handler in before:
            signal.signal(number, handler)


def _set_timers(budget: Budget) -> None:
    signal.setitimer(signal.ITIMER_PROF, budget.cpu_s, _AGAIN_EVERY_S)
    signal.setitimer(signal.ITIMER_REAL, CLOCK_FACTOR * budget.cpu_s, _AGAIN_EVERY_S)
    if budget.ends_process:
        # Nobody handles this signal, so it needs no Python code to run.
        signal.setitimer(signal.ITIMER_VIRTUAL, HARD_FACTOR * budget.cpu_s)


@contextmanager
def _bounded_memory(memory_bytes: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    with suppress(OSError, ValueError):  # no /proc, or less is allowed already
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[_DATA_PAGES])
        most = pages * resource.getpagesize() + memory_bytes
        limits = [limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY]
        resource.setrlimit(resource.RLIMIT_DATA, (min([most, *limits]), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
