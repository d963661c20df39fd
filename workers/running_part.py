"""Which part of an analysis a child is in, in a small file: known also when the child is no more."""

from __future__ import annotations

import faulthandler
import os
import re
import signal
from pathlib import Path
from typing import Final

MOST_LEFT_OUT: Final = 5
"""Parts that may end a process each before the whole analysis is called failed."""
_BY_OTHERS: Final = (signal.SIGKILL, signal.SIGTERM)
_RUNNING: Final = "running"
_PLACES: Final = "places"
_LONGEST: Final = 80
_NAME: Final = re.compile(rf"[a-z][a-z0-9:_-]{{0,{_LONGEST - 1}}}")
_LONGEST_PLACES: Final = 16 << 10


class RunningPart:
    """The child's side: writes the name before each part, and where it is when a signal ends it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._files = (folder / _RUNNING, folder / _PLACES)
        self._running, self._places = (
            os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC) for file in self._files
        )
        faulthandler.enable(self._places, all_threads=False)
        faulthandler.register(signal.SIGVTALRM, self._places, all_threads=False, chain=True)

    def note(self, kind: str) -> None:
        """`kind` begins; "" is no part."""
        os.pwrite(self._running, kind.encode().ljust(_LONGEST)[:_LONGEST], 0)

    def end(self) -> None:
        """All parts are over."""
        faulthandler.unregister(signal.SIGVTALRM)
        faulthandler.disable()
        os.close(self._running)
        os.close(self._places)
        for file in self._files:
            file.unlink()


def part_that_ran(folder: Path) -> str | None:
    """The parent's side, after the child's end: the part in the middle of which it ended. None where it was in none."""
    try:
        text = (folder / _RUNNING).read_bytes()[:_LONGEST].decode("ascii", "replace").strip()
    except OSError:
        return None
    return text if _NAME.fullmatch(text) else None


class Suspects:
    """Which parts of an analysis are not run again after they ended their process."""

    def __init__(self, folder: Path) -> None:
        self.without: dict[str, signal.Signals | None] = {}
        """By part: the signal that ended the process in it."""
        self._folder = folder
        self._suspect = ""

    def blame(self, ended_by: signal.Signals | None) -> str | None:
        """The part in which the process ended; None where another try is of no use. One that others may have killed
        (the system, short of memory, or a person) is only left out when it happens again."""
        part = part_that_ran(self._folder)
        if part is None or part in self.without or len(self.without) == MOST_LEFT_OUT:
            return None
        if ended_by in _BY_OTHERS and part != self._suspect:
            self._suspect = part
        else:
            self.without[part] = ended_by
        return part


def places_of_end(folder: Path) -> str:
    """Where it was, as far as the signal that ended it left time to say so."""
    try:
        with (folder / _PLACES).open("rb") as file:
            return file.read(_LONGEST_PLACES).decode("utf-8", "replace")
    except OSError:
        return ""
