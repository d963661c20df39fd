"""What is away comes back: the database, the stored bytes, the disk. Work waits for it; none of it is an outcome."""

from __future__ import annotations

import errno
import time
from collections.abc import Callable
from typing import Final, TypeVar

import structlog

from backend.errors import Cancelled, Unavailable, UnreadableInput
from backend.storage.reachable import is_away
from backend.storage.store import Store
from workers.sandbox import ChildDied

FIRST_WAIT_S: Final = 0.25
LONGEST_WAIT_S: Final = 5.0
_MACHINE: Final = frozenset(
    {
        errno.EIO,
        errno.ESTALE,
        errno.ENOTCONN,
        errno.EROFS,
        errno.ENODEV,
        errno.ENXIO,
        errno.ETIMEDOUT,
        errno.EHOSTDOWN,
        errno.EHOSTUNREACH,
        errno.ENOSPC,
        errno.EDQUOT,
    }
)
"""What a disk or a file server answers that is broken, away or full."""

log = structlog.get_logger()
Answer = TypeVar("Answer")


def is_outage(error: BaseException) -> bool:
    """Whether the machinery around the work is the reason, not the work."""
    if isinstance(error, OSError):
        return error.errno in _MACHINE
    return isinstance(error, Unavailable) or is_away(error)


def when_reachable(work: Callable[[], Answer]) -> Answer:
    """The work's answer; tried again as long as something is away, so it must be safe to repeat."""
    wait_s = FIRST_WAIT_S
    while True:
        try:
            return work()
        except Exception as error:
            if not is_outage(error):
                raise
            if wait_s == FIRST_WAIT_S:
                log.warning("waiting for what is away", error=str(error))
        time.sleep(wait_s)
        wait_s = min(2 * wait_s, LONGEST_WAIT_S)


def if_reachable(work: Callable[[], Answer], otherwise: Answer) -> Answer:
    """The work's answer, or the other one while something is away: for what is asked again soon."""
    try:
        return work()
    except Exception as error:
        if not is_outage(error):
            raise
        return otherwise


def with_successor(store: Store, work: Callable[[], Answer]) -> Answer:
    """The work's answer. A child that dies gets one successor (the system may have been short of memory for a moment),
    and what fails while something is away is no failure. Raises what the work raises otherwise."""
    died = False
    while True:
        try:
            return when_reachable(work)
        except Cancelled:
            raise
        except ChildDied as error:
            if died:
                raise
            died = True
            log.warning("starting a successor of a child that died", error=str(error))
        except Exception:
            if not _wait_for_bytes(store):
                raise


def require_room(store: Store) -> None:
    """Raises UnreadableInput with a sentence where the disk is too full to begin."""
    lack = store.room().lack_for_work()
    if lack:
        raise UnreadableInput(f"{lack} Free space, then re-run the analysis.")


def _wait_for_bytes(store: Store) -> bool:
    """Whether the stored bytes were away, which then explains a failure; comes back when they are here again."""
    if store.blobs.is_reachable():
        return False
    log.warning("waiting for the stored files")
    while not store.blobs.is_reachable():
        time.sleep(LONGEST_WAIT_S)
    return True
