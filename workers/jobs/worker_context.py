"""What the jobs of this process work with: the store and the child processes."""

from __future__ import annotations

from dataclasses import dataclass, field

from backend.storage.store import Store
from workers.jobs.running import RunningJobs, Turns
from workers.sandbox import ChildPool


@dataclass(frozen=True)
class WorkerContext:
    """Set once, before the engine starts."""

    store: Store
    children: ChildPool
    tool_version: str
    looking: ChildPool
    """Children of small limits, for dissections: nobody waits behind a file that is decoded."""
    anonymizing: ChildPool
    """Whole captures are rewritten in them, which takes as long as decoding: no file waits behind that."""
    running: RunningJobs = field(default_factory=RunningJobs)
    turns: Turns = field(default_factory=Turns)


_current: list[WorkerContext] = []


def set_worker_context(context: WorkerContext) -> None:
    """Called once by the engine; jobs are plain functions that the engine finds by name."""
    _current[:] = [context]


def worker_context() -> WorkerContext:
    """The context of this process."""
    return _current[0]
