"""Runs a command in a process of its own, and once more without the part of the analysis that ended that process."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workers.running_part import Suspects, places_of_end

if TYPE_CHECKING:
    from backend.forensics.isolation import Isolation


@dataclass(frozen=True)
class _Try:
    """What the process that works was given."""

    folder: Path
    without: dict[str, signal.Signals | None]


_current: list[_Try] = []


def with_second_try(command: Callable[[], int]) -> int:
    """The exit code of `command`. To be called while this process has one thread and little memory."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="stallscope-") as folder:
        suspects = Suspects(Path(folder))
        while True:
            code = _in_child(command, _Try(Path(folder), dict(suspects.without)))
            ended_by = signal.Signals(-code) if code < 0 else None
            part = suspects.blame(ended_by)
            if part is None:
                break
            how = ended_by.name if ended_by else f"exit code {code}"
            print(
                f"stallscope: the process ended in {part} ({how}); trying once more.\n{places_of_end(Path(folder))}",
                file=sys.stderr,
            )
    return code if code >= 0 else _end_by_signal(-code)


def _in_child(command: Callable[[], int], attempt: _Try) -> int:
    sys.stdout.flush()
    sys.stderr.flush()
    parent = os.getpid()
    process = os.fork()
    if process == 0:
        from workers.confinement.kernel import die_with_parent

        code = 1
        try:
            die_with_parent(parent)
            _current[:] = [attempt]
            code = command()
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else code
        except BaseException:
            import traceback

            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    # Ctrl-C reaches both; the one that works says how it ends.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    finally:
        signal.signal(signal.SIGINT, before)


def _end_by_signal(number: int) -> int:
    """Whoever started this process gets the same end."""
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    return 128 + number


def isolation_here() -> Isolation:
    """For the analysis of this process."""
    from backend.forensics.isolation import Isolation, ended_process
    from backend.forensics.part_budget import Budget
    from workers.cli.read_evidence import chosen_limits
    from workers.running_part import RunningPart

    limits = chosen_limits()
    budget = Budget(limits.part_cpu_s, limits.part_memory_bytes, ends_process=bool(_current))
    if not _current:
        return Isolation(budget)
    (attempt,) = _current
    without = {part: ended_process(ended_by, budget) for part, ended_by in attempt.without.items()}
    return Isolation(budget, without, RunningPart(attempt.folder).note)
