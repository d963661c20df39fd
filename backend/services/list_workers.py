"""The worker processes that are alive, and what confines the children in which they read uploads."""

from __future__ import annotations

import time

from backend.storage import executors
from backend.storage.executors import Worker
from backend.storage.store import Store


def list_workers(store: Store) -> list[Worker]:
    """Those that were heard of lately."""
    silence_s = executors.DEAD_AFTER_BEATS * store.settings.heartbeat_s
    with store.database.reading() as session:
        return executors.living(session, time.time() - silence_s)


def not_confined_by(store: Store) -> list[str]:
    """What at least one worker's machine refuses."""
    return sorted({part for worker in list_workers(store) for part in worker.not_confined_by})
