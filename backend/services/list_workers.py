"""The worker processes that are alive, and what confines the children in which they read uploads."""

from __future__ import annotations

import time
from dataclasses import dataclass

from backend.storage import executors
from backend.storage.executors import Worker
from backend.storage.store import Store


@dataclass(frozen=True)
class WorkerList:
    """Those with a recent heartbeat."""

    items: tuple[Worker, ...]


def list_workers(store: Store) -> WorkerList:
    """The workers that are alive."""
    silence_s = executors.DEAD_AFTER_BEATS * store.settings.heartbeat_s
    with store.database.reading() as session:
        return WorkerList(tuple(executors.living(session, time.time() - silence_s)))


def not_confined_by(store: Store) -> list[str]:
    """What at least one worker's machine refuses."""
    return sorted({part for worker in list_workers(store).items for part in worker.not_confined_by})
