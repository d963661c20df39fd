"""Tells a database that is away from a mistake of ours, and remembers that it is away."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import psycopg
import structlog
from sqlalchemy.exc import DBAPIError, InterfaceError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from backend.errors import DatabaseAway

log = structlog.get_logger()

_SQLITE_AWAY: Final = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PROTOCOL,
    }
)
"""Primary result codes (https://www.sqlite.org/rescode.html) that the machine causes, not the statement."""
_SQLITE_BUSY: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_PRIMARY_CODE: Final = 0xFF
_POSTGRES_AWAY: Final = ("08", "25006", "25P03", "40", "53", "55", "57", "58")
"""Classes and codes (https://www.postgresql.org/docs/current/errcodes-appendix.html): connection, a standby that only
reads, an idle transaction that was ended, a transaction to repeat, resources, locks, an operator, the system."""


def is_away(error: BaseException) -> bool:
    """Whether the database, not what was asked of it, is the reason."""
    if isinstance(error, DatabaseAway | PoolTimeout | InterfaceError):
        return True
    if not isinstance(error, DBAPIError):
        return False
    cause = error.orig
    if isinstance(cause, sqlite3.Error):
        return getattr(cause, "sqlite_errorcode", 0) & _PRIMARY_CODE in _SQLITE_AWAY
    if not isinstance(cause, psycopg.Error):
        return error.connection_invalidated
    if cause.sqlstate is None:  # the server was not asked, or did not answer
        return error.connection_invalidated or isinstance(cause, psycopg.OperationalError)
    return error.connection_invalidated or cause.sqlstate.startswith(_POSTGRES_AWAY)


def _is_busy(error: BaseException) -> bool:
    """Whether only this one came at a bad moment (a lock, a transaction to repeat, all connections in use)."""
    if isinstance(error, PoolTimeout):
        return True
    cause = error.orig if isinstance(error, DBAPIError) else None
    if isinstance(cause, sqlite3.Error):
        return getattr(cause, "sqlite_errorcode", 0) & _PRIMARY_CODE in _SQLITE_BUSY
    return isinstance(cause, psycopg.Error) and (cause.sqlstate or "").startswith(("40", "55"))


class Reachability:
    """While a database is away one caller at a time asks whether it is back; the others are refused at once.

    Otherwise everybody waits for the same time-out, and what needs no database waits for a thread.
    """

    def __init__(self) -> None:
        self._away = threading.Event()
        self._asking = threading.Lock()

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Around everything that needs the database; raises DatabaseAway."""
        if not self._away.is_set():
            with self._noted():
                yield
            return
        if not self._asking.acquire(blocking=False):
            raise DatabaseAway
        try:
            with self._noted():
                yield
        finally:
            self._asking.release()

    @contextmanager
    def _noted(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            if not is_away(error):
                self._answers()
                raise
            if not _is_busy(error) and not self._away.is_set():
                self._away.set()
                log.warning("database not reachable", error=str(getattr(error, "orig", error)))
            raise DatabaseAway from error
        self._answers()

    def _answers(self) -> None:
        if self._away.is_set():
            self._away.clear()
            log.info("database reachable again")
