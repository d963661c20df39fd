"""Engine, transactions and migrations of the metadata database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session
from sqlalchemy.pool import ConnectionPoolEntry

from backend.errors import Unavailable
from backend.storage.full_disk import full_disk_reported, sqlite_folder
from backend.storage.postgres import bounded_engine, patient_engine
from backend.storage.reachable import Reachability

MIGRATION_LOCK = 7_420_611
"""Key of the PostgreSQL advisory lock that lets one process migrate while others wait."""
SQLITE_BUSY_MS = 10_000


class Database:
    """One engine a process; a transaction ends at the edge of `reading` or `writing`, nowhere else.

    Both raise DatabaseAway while the database does not answer.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.is_sqlite = url.startswith("sqlite")
        self._folder = sqlite_folder(url)
        self._engine = _sqlite_engine(url) if self.is_sqlite else bounded_engine(url)
        self._reachability = Reachability()
        # SQLite can refuse to turn a reader into a writer; a transaction that will write says so at once.
        self._writing_engine = self._engine.execution_options(stallscope_writes=True)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A session whose changes are thrown away."""
        with (
            self._reachability.asking(),
            full_disk_reported(self._folder),
            Session(self._engine, expire_on_commit=False) as session,
        ):
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A session that is committed at the end, or rolled back when anything is raised."""
        with (
            self._reachability.asking(),
            full_disk_reported(self._folder),
            Session(self._writing_engine, expire_on_commit=False) as session,
            session.begin(),
        ):
            yield session

    def upgrade(self) -> None:
        """Bring the tables to the newest shape; safe when several processes start at once.

        Raises Unavailable when the database does not answer, DiskFull when it cannot write.
        """
        try:
            with full_disk_reported(self._folder):
                self._upgrade()
        except OperationalError as error:
            raise Unavailable(f"The database does not answer: {error.orig}") from error

    def _upgrade(self) -> None:
        engine = self._writing_engine if self.is_sqlite else patient_engine(self.url)
        with engine.begin() as connection:
            if not self.is_sqlite:
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": MIGRATION_LOCK})
            config = Config()
            config.set_main_option("script_location", str(migrations_folder()))
            config.attributes["connection"] = connection
            command.upgrade(config, "head")

    def ready(self) -> bool:
        """Whether the database answers."""
        with self.reading() as session:
            return session.execute(text("SELECT 1")).scalar() == 1

    def dispose(self) -> None:
        """Close all connections."""
        self._engine.dispose()


def migrations_folder() -> Path:
    """Inside the package when installed from a wheel, beside it in a checkout."""
    package = Path(__file__).parents[1]
    installed = package / "migrations"
    return installed if installed.is_dir() else package.parent / "migrations"


def _sqlite_engine(url: str) -> Engine:
    engine = create_engine(url, connect_args={"timeout": SQLITE_BUSY_MS / 1000})

    @event.listens_for(engine, "connect")
    def _set_up(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
        # The driver must not open transactions by itself, or BEGIN IMMEDIATE below comes too late.
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in (
            "journal_mode=WAL",
            "synchronous=NORMAL",
            "foreign_keys=ON",
            f"busy_timeout={SQLITE_BUSY_MS}",
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("stallscope_writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine
