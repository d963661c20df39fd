"""The jobs that this process runs, and who of them may run beside others."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

MOST_STARTS: Final = 3
"""What three workers began and none of them ended is what ended them."""

Forgive = Callable[[], None]


class RunningJobs:
    """Which jobs are under way here. The job engine's table may believe otherwise: of a job that could not write down
    its end."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: dict[str, Forgive] = {}

    @contextmanager
    def under_way(self, job_id: str, forgive: Forgive) -> Iterator[None]:
        """While it runs; `forgive` takes its start back where the worker is asked to stop."""
        with self._lock:
            self._jobs[job_id] = forgive
        try:
            yield
        finally:
            with self._lock:
                self._jobs.pop(job_id, None)

    def ids(self) -> set[str]:
        """Of all of them."""
        with self._lock:
            return set(self._jobs)

    def forgive_all(self) -> None:
        """A worker that is asked to stop was not ended by its work."""
        with self._lock:
            waiting = list(self._jobs.values())
        for forgive in waiting:
            forgive()


class Turns:
    """Work that a worker did not survive is done alone from then on: so the one that ends workers is known by it, and
    what only ran beside it is not blamed."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._together = 0
        self._alone = False
        self._wanting_alone = 0

    @contextmanager
    def turn(self, *, alone: bool) -> Iterator[None]:
        """Beside others that may, or alone; who wants to be alone is not kept waiting by newcomers."""
        with self._changed:
            self._begin_alone() if alone else self._begin_together()
        try:
            yield
        finally:
            with self._changed:
                if alone:
                    self._alone = False
                else:
                    self._together -= 1
                self._changed.notify_all()

    def _begin_alone(self) -> None:
        self._wanting_alone += 1
        self._changed.wait_for(lambda: not self._alone and not self._together)
        self._wanting_alone -= 1
        self._alone = True

    def _begin_together(self) -> None:
        self._changed.wait_for(lambda: not self._alone and not self._wanting_alone)
        self._together += 1
