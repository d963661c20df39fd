"""Lets the job engine's threads rest while no job waits: a look at all its queues takes a dozen statements."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from typing import Final

LOOK_EVERY_S: Final = 0.2
"""How often somebody asks whether a job waits."""
REST_S: Final = 10.0
"""The engine looks by itself after this long, whatever that somebody says."""
AWAKE_AT_START_S: Final = 3.0
"""The engine looks for its queues once a second before it begins to look into them."""


class RestingQueues:
    """One thread asks; the engine's wait for its answer in place of waiting for the time of their next look."""

    def __init__(self, is_waiting: Callable[[], bool]) -> None:
        self._is_waiting = is_waiting
        self._awake = threading.Event()
        self._awake.set()

    def let_rest(self, events: Iterable[threading.Event]) -> None:
        """`events` are those that stop the engine's threads: between two looks the threads wait for them."""
        for event in events:
            event.wait = _Rest(event, self._awake).wait  # type: ignore[method-assign]
        threading.Thread(target=self._watch, name="queue-watch", daemon=True).start()

    def is_awake(self) -> bool:
        """Whether the engine looks as often as it is asked to."""
        return self._awake.is_set()

    def _watch(self) -> None:
        awake_until = time.monotonic() + AWAKE_AT_START_S
        while True:
            if self._is_any() or time.monotonic() < awake_until:
                self._awake.set()
            else:
                self._awake.clear()
            time.sleep(LOOK_EVERY_S)

    def _is_any(self) -> bool:
        try:
            return self._is_waiting()
        except Exception:  # the engine asks the same database, and says what is wrong with it
            return True


class _Rest:
    """The wait of one thread of the engine."""

    def __init__(self, stop: threading.Event, awake: threading.Event) -> None:
        self._awake = awake
        self._stop = stop
        self._wait = stop.wait

    def wait(self, timeout: float | None = None) -> bool:
        if timeout and not self._awake.is_set():
            self._awake.wait(max(timeout, REST_S))
            return self._stop.is_set()
        return self._wait(timeout)
