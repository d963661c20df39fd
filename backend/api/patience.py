"""For what must not be lost because the database is away for a moment: bytes that have all arrived."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, TypeVar

import anyio
from anyio import to_thread

from backend.errors import DatabaseAway

PATIENCE_S: Final = 15.0
ASK_EVERY_S: Final = 1.0

Answer = TypeVar("Answer")


async def when_reachable(work: Callable[[], Answer]) -> Answer:
    """The work's answer, once the database is back; raises DatabaseAway when it stays away. No thread waits."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            return await to_thread.run_sync(work)
        except DatabaseAway:
            if time.monotonic() > deadline:
                raise
            await anyio.sleep(ASK_EVERY_S)
