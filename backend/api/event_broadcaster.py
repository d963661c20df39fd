"""One task a process asks the database what is new; a listener holds no thread and no connection."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import structlog
from anyio import to_thread

from backend.errors import Unavailable
from backend.services.read_progress import read_revisions
from backend.storage.store import Store

log = structlog.get_logger()
LOOK_EVERY_S = 0.2
News = int | Unavailable | None
"""The newest revision; why there is none at the moment; or that the stream is over."""


class EventBroadcaster:
    """Tells listeners the newest revision of the investigation they listen to."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._listeners: dict[str, set[asyncio.Queue[News]]] = defaultdict(set)
        self._last: dict[str, int] = {}
        self._task: asyncio.Task[None] | None = None
        self._closing = False
        self._listened_to = asyncio.Event()

    def start(self) -> None:
        """Begin to watch; call inside the running loop."""
        self._task = asyncio.create_task(self._watch())

    def end_streams(self) -> None:
        """All that are there, and each that begins from now on."""
        self._closing = True
        for queues in self._listeners.values():
            for queue in queues:
                _replace(queue, None)

    async def stop(self) -> None:
        """End all streams and stop watching."""
        self.end_streams()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    @asynccontextmanager
    async def listening(self, investigation_id: str) -> AsyncIterator[asyncio.Queue[News]]:
        """A queue that holds at most the newest of the news."""
        queue: asyncio.Queue[News] = asyncio.Queue(maxsize=1)
        self._listeners[investigation_id].add(queue)
        self._listened_to.set()
        if self._closing:
            _replace(queue, None)
        try:
            yield queue
        finally:
            self._listeners[investigation_id].discard(queue)
            if not self._listeners[investigation_id]:
                del self._listeners[investigation_id]
                self._last.pop(investigation_id, None)

    async def _watch(self) -> None:
        while True:
            if not self._listeners:
                self._listened_to.clear()
                await self._listened_to.wait()
            await asyncio.sleep(LOOK_EVERY_S)
            try:
                await self._look()
            except Unavailable as error:
                self._notify_all(error)
            except Exception as error:
                log.warning("progress not read", error=str(error))

    def _notify_all(self, error: Unavailable) -> None:
        # What was reported last counts no more: whoever listens gets where the work is when it can be read again.
        self._last.clear()
        for queues in self._listeners.values():
            for queue in queues:
                _replace(queue, error)

    async def _look(self) -> None:
        watched = list(self._listeners)
        found = await to_thread.run_sync(read_revisions, self._store, watched)
        for investigation_id in watched:
            revision = found.get(investigation_id)
            if revision is not None and revision == self._last.get(investigation_id):
                continue
            if revision is not None:
                self._last[investigation_id] = revision
            for queue in self._listeners.get(investigation_id, ()):
                _replace(queue, revision)


def _replace(queue: asyncio.Queue[News], news: News) -> None:
    while not queue.empty():
        queue.get_nowait()
    queue.put_nowait(news)
