"""Whether jobs wait for a worker: one small question in place of several of the engine's own for each queue."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, Engine, create_engine

from backend.storage.job_queue import JOBS_VERSION
from backend.storage.postgres import bounded_engine

_QUESTION: Final = "SELECT 1 FROM {} WHERE status = 'ENQUEUED' AND application_version = {} LIMIT 1"
SQLITE_BUSY_S: Final = 5.0


class QueuedJobs:
    """Asks the engine's table directly; the engine's version is pinned."""

    def __init__(self, url: str) -> None:
        is_sqlite = url.startswith("sqlite")
        self._engine: Engine = (
            create_engine(url, connect_args={"timeout": SQLITE_BUSY_S, "check_same_thread": False})
            if is_sqlite
            else bounded_engine(url)
        )
        self._question = (
            _QUESTION.format("workflow_status", ":version")
            if is_sqlite
            else _QUESTION.format("dbos.workflow_status", "%(version)s")
        )
        self._connection: Connection | None = None

    def any(self) -> bool:
        """Raises DBAPIError, the driver's own error or TimeoutError where the database does not answer."""
        if self._connection is None:
            # Kept, and without transactions: taking one from the pool costs ten times as much as the question.
            self._connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        try:
            # By the driver: SQLAlchemy's way to it and back costs as much again, five times a second.
            answer = self._connection.connection.cursor()
            answer.execute(self._question, {"version": JOBS_VERSION})
            return answer.fetchone() is not None
        except Exception:
            # Nobody but the driver saw the error: the pool is not to hand this connection out again.
            self._connection.invalidate()
            self._connection.close()
            self._connection = None
            raise

    def close(self) -> None:
        """Let go of the connection."""
        if self._connection is not None:
            self._connection.close()
        self._engine.dispose()
