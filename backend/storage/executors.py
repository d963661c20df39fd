"""Signs of life of the worker processes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from backend.storage.tables import ExecutorRow

DEAD_AFTER_BEATS: Final = 4
_BETWEEN: Final = ", "


@dataclass(frozen=True)
class Worker:
    """A worker with a recent heartbeat."""

    machine: str
    not_confined_by: tuple[str, ...]
    """What its machine refuses to confine the processes with that read uploads: "Landlock", "seccomp", "network
    namespaces"; empty where everything holds."""


def beat(
    session: Session, executor_id: str, *, machine: str, now_s: float, not_confined_by: tuple[str, ...] = ()
) -> None:
    """Say that this worker is alive."""
    alive = (
        update(ExecutorRow)
        .where(ExecutorRow.id == executor_id)
        .values(beat_s=now_s)
        .returning(ExecutorRow.id)
    )
    if session.execute(alive).first() is None:
        missing = _BETWEEN.join(not_confined_by)
        session.add(ExecutorRow(id=executor_id, machine=machine, beat_s=now_s, not_confined_by=missing))
        session.flush()


def living(session: Session, since_s: float) -> list[Worker]:
    """The workers that were heard of since then, by machine."""
    rows = session.scalars(
        select(ExecutorRow).where(ExecutorRow.beat_s >= since_s).order_by(ExecutorRow.machine, ExecutorRow.id)
    )
    return [
        Worker(row.machine, tuple(part for part in row.not_confined_by.split(_BETWEEN) if part))
        for row in rows
    ]


def silent_since(session: Session, before_s: float) -> list[str]:
    """The workers that have not been heard of since then."""
    return list(session.scalars(select(ExecutorRow.id).where(ExecutorRow.beat_s < before_s)))


def known(session: Session) -> set[str]:
    """The workers whose jobs nobody has taken over."""
    return set(session.scalars(select(ExecutorRow.id)))


def machines(session: Session, since_s: float) -> set[str]:
    """The machines whose workers were heard of since then."""
    return set(session.scalars(select(ExecutorRow.machine).where(ExecutorRow.beat_s >= since_s)))


def forget(session: Session, executor_id: str) -> None:
    """The worker has stopped, or its work was taken over."""
    session.execute(delete(ExecutorRow).where(ExecutorRow.id == executor_id))
