"""Whose work a free child takes: owners in turn, and one child that only small work may take."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from backend.errors import Cancelled

_ASK_EVERY_S: Final = 1.0


class Turns:
    """`size` children for any work; with `quick` one more, for small work alone, so that it never waits for long."""

    def __init__(self, size: int, *, quick: bool) -> None:
        self._free = size
        self._quick_free = int(quick)
        self._running = Counter[str]()
        self._waiting: dict[object, tuple[str, bool]] = {}
        """In the order in which they came: owner, and whether the work is small."""
        self._changed = threading.Condition()

    @contextmanager
    def turn(self, owner: str, *, is_small: bool, is_wanted: Callable[[], bool]) -> Iterator[None]:
        """Wait for a child: of those that wait, the owner with the fewest running comes first, then who came first.

        Raises Cancelled when the work is no longer wanted."""
        quick = self._take(owner, is_small, is_wanted)
        try:
            yield
        finally:
            with self._changed:
                self._running[owner] -= 1
                self._running += Counter()  # forget those that have none
                self._quick_free += quick
                self._free += not quick
                self._changed.notify_all()

    def _take(self, owner: str, is_small: bool, is_wanted: Callable[[], bool]) -> bool:
        """Whether it is the child for small work."""
        ticket = object()
        with self._changed:
            self._waiting[ticket] = owner, is_small
            try:
                while self._next() is not ticket:
                    self._changed.wait(_ASK_EVERY_S)
                    if not is_wanted():
                        raise Cancelled
            finally:
                del self._waiting[ticket]
                self._changed.notify_all()
            self._running[owner] += 1
            quick = is_small and self._quick_free > 0
            self._quick_free -= quick
            self._free -= not quick
            return quick

    def _next(self) -> object:
        may_go = [
            ticket
            for ticket, (_, is_small) in self._waiting.items()
            if self._free or (is_small and self._quick_free)
        ]
        return min(may_go, key=lambda ticket: self._running[self._waiting[ticket][0]], default=None)
