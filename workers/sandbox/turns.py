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
        self._last_turn: dict[str, int] = {}
        """Of owners that wait or have work running: which turn was theirs."""
        self._turns_taken = 0
        self._changed = threading.Condition()

    @contextmanager
    def turn(self, owner: str, *, is_small: bool, is_wanted: Callable[[], bool]) -> Iterator[None]:
        """Wait for a child: of those that wait, the owner with the fewest running comes first, then the one
        whose last turn is longest ago, then who came first.

        Raises Cancelled when the work is no longer wanted."""
        quick = self._take(owner, is_small, is_wanted)
        try:
            yield
        finally:
            with self._changed:
                self._running[owner] -= 1
                self._forget_absent()
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
                self._forget_absent()
                self._changed.notify_all()
            self._running[owner] += 1
            self._turns_taken += 1
            self._last_turn[owner] = self._turns_taken
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
        return min(may_go, key=lambda ticket: self._rank(self._waiting[ticket][0]), default=None)

    def _rank(self, owner: str) -> tuple[int, int]:
        return self._running[owner], self._last_turn.get(owner, 0)

    def _forget_absent(self) -> None:
        self._running += Counter()
        present = self._running.keys() | {owner for owner, _ in self._waiting.values()}
        self._last_turn = {owner: turn for owner, turn in self._last_turn.items() if owner in present}
