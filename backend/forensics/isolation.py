"""One part of an analysis that breaks loses its own answer, and no other one."""

from __future__ import annotations

import logging
import resource
import signal
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from backend.forensics.part_budget import Budget, OverBudget, within
from backend.forensics.report import CheckedPart
from backend.forensics.report_timings import TimingPart

_log: Final = logging.getLogger("stallscope.analysis")
_Result = TypeVar("_Result")
_Otherwise = TypeVar("_Otherwise")
CAUSE: Final = "cause:"
"""Before the name of a cause in `CheckedPart.kind`: some have the name of a detector."""
REPORT: Final = "report:"
"""Before the name of a list of the report."""
_OTHERS: Final = "the others are complete"


@dataclass(frozen=True)
class BrokenPart:
    """Which part broke, and at which places: the log's, for the report quotes no code."""

    kind: str
    why: str
    places: str


class Isolation:
    """Runs the parts of one analysis within their budgets, and keeps which of them broke and what each took."""

    strict = False
    """Raise what a part raises: for tests, which are to fail then."""

    def __init__(
        self,
        budget: Budget = Budget(),  # noqa: B008 - frozen
        without: Mapping[str, str] | None = None,
        begins: Callable[[str], None] = lambda kind: None,
    ) -> None:
        """`without`: parts that are not run, and why; `begins` hears of each before it runs, and of "" after it."""
        self._budget = budget
        self._without = without or {}
        self._begins = begins
        self._failed: dict[str, CheckedPart] = {}
        self.broken: list[BrokenPart] = []
        self._taken: dict[str, _Taken] = {}

    def run(self, kind: str, part: Callable[[], _Result], otherwise: _Otherwise) -> _Result | _Otherwise:
        """What `part` returns; `otherwise` where it raises or takes too much, which is logged."""
        if kind in self._without:
            self._say(kind, self._without[kind])
            return otherwise
        self._begins(kind)
        began = _Taken.so_far()
        try:
            with within(self._budget):
                return part()
        except (Exception, OverBudget) as error:
            if self.strict:
                raise
            # The message of an error may hold addresses and other values of the packets; the places do not.
            places = "".join(traceback.format_tb(error.__traceback__))
            why = self._reason(error)
            _log.error("%s broke with %s:\n%s", kind, type(error).__name__, places)
            self.broken.append(BrokenPart(kind, why, places))
            self._say(kind, why)
            return otherwise
        finally:
            self._taken[kind] = self._taken.get(kind, _Taken(0, 0)) + (_Taken.so_far() - began)
            self._begins("")

    def _reason(self, error: BaseException) -> str:
        if isinstance(error, OverBudget):
            return too_slow(self._budget)
        if isinstance(error, MemoryError):
            most = f"{self._budget.memory_bytes >> 20:,} MiB"
            return f"stopped: it needed more than {most} of memory, the limit part_memory_bytes; {_OTHERS}."
        return f"this part of the analysis failed ({type(error).__name__}); {_OTHERS}. The log says where."

    def _say(self, kind: str, why: str) -> None:
        self._failed[kind] = CheckedPart(kind=kind, status="failed", why=why)

    @property
    def failed(self) -> tuple[CheckedPart, ...]:
        """What broke, in order."""
        return tuple(self._failed.values())

    @property
    def timings(self) -> list[TimingPart]:
        """What each part that was run took, in order."""
        return [
            TimingPart(kind=kind, cpu_s=round(taken.cpu_s, 6), grown_bytes=taken.peak_bytes)
            for kind, taken in self._taken.items()
        ]


@dataclass(frozen=True)
class _Taken:
    """By this process: processor time, and its largest resident memory."""

    cpu_s: float
    peak_bytes: int

    @classmethod
    def so_far(cls) -> _Taken:
        return cls(time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10)

    def __add__(self, other: _Taken) -> _Taken:
        return _Taken(self.cpu_s + other.cpu_s, self.peak_bytes + other.peak_bytes)

    def __sub__(self, other: _Taken) -> _Taken:
        return _Taken(self.cpu_s - other.cpu_s, self.peak_bytes - other.peak_bytes)


def too_slow(budget: Budget) -> str:
    """Of a part that took more time than it may."""
    return f"stopped after {budget.cpu_s:,.0f} s of CPU time, the limit part_cpu_s; {_OTHERS}."


def ended_process(ended_by: signal.Signals | None, budget: Budget) -> str:
    """Of a part in the middle of which the process ended."""
    if ended_by == signal.SIGVTALRM:
        return too_slow(budget)
    how = ended_by.name if ended_by else "without a signal"
    return (
        f"the process that ran this part of the analysis ended in it ({how}); {_OTHERS}. The log says where."
    )
