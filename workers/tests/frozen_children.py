"""Children of a worker that stand still, so that a fault meets the work at a known place."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from backend.api.tests.running_product import Product, children_of

LOOK_EVERY_S = 0.02


class FrozenChildren:
    """Stops every child that any worker of the product has or starts, until they are let go."""

    def __init__(self, product: Product) -> None:
        self._product = product
        self._going = threading.Event()
        self._ended = threading.Event()
        self._keeper = threading.Thread(target=self._keep, daemon=True)

    def start(self) -> None:
        """From now on they stand still."""
        self._signal(signal.SIGSTOP)
        self._keeper.start()

    def let_go(self) -> None:
        """They go on."""
        self._going.set()
        self._signal(signal.SIGCONT)

    def stop_again(self) -> None:
        """They stand still again."""
        self._going.clear()

    def end(self) -> None:
        """For good."""
        self._going.set()
        self._ended.set()
        self._keeper.join()
        self._signal(signal.SIGCONT)

    def pids(self) -> list[int]:
        """Processes that the workers have started."""
        launchers = [child for worker in self._product.worker_pids() for child in _children(worker)]
        launchers = [launcher for launcher in launchers if _is_ready(launcher)]
        return [*launchers, *(child for launcher in launchers for child in _children(launcher))]

    def _keep(self) -> None:
        while not self._ended.wait(LOOK_EVERY_S):
            if not self._going.is_set():
                self._signal(signal.SIGSTOP)

    def _signal(self, number: signal.Signals) -> None:
        for pid in self.pids():
            with suppress(ProcessLookupError):
                os.kill(pid, number)


def _children(pid: int) -> list[int]:
    try:
        return children_of(pid)
    except OSError:  # it ended just now
        return []


def _is_ready(pid: int) -> bool:
    """A child that is stopped before it is a program of its own would stop its parent as well (vfork)."""
    try:
        return b"workers.sandbox.launcher" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


@contextmanager
def frozen_children(product: Product) -> Iterator[FrozenChildren]:
    """Inside, no child of a worker moves unless it is let go."""
    frozen = FrozenChildren(product)
    frozen.start()
    try:
        yield frozen
    finally:
        frozen.end()
