"""A database that is away is told from a mistake of ours, within a bounded time, and is found again."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError, ProgrammingError

from backend.errors import DatabaseAway, NotFound
from backend.storage import database as module
from backend.storage import investigations
from backend.storage.database import Database
from backend.storage.job_queue import JobQueue, prepare_job_tables
from backend.storage.tests.cut_line import CutLine, line_to
from backend.storage.tests.scratch_database import scratch_database


@pytest.fixture
def line(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[CutLine]:
    with scratch_database("postgresql", request, tmp_path) as url, line_to(url) as line:
        yield line


@pytest.fixture
def database(line: CutLine) -> Iterator[Database]:
    opened = Database(line.url)
    opened.upgrade()
    yield opened
    opened.dispose()


def answers(database: Database) -> bool:
    try:
        return database.ready()
    except DatabaseAway:
        return False


def wait_until_it_answers(database: Database) -> None:
    deadline = time.monotonic() + 60
    while not answers(database):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_cut_line_is_an_absence_and_is_found_again(line: CutLine, database: Database) -> None:
    assert answers(database)
    line.cut()
    with pytest.raises(DatabaseAway, match="not reachable"), database.writing() as session:
        investigations.add_investigation(session, "a", "lost")
    line.mend()
    wait_until_it_answers(database)
    with database.writing() as session:
        investigations.add_investigation(session, "a", "kept")


def test_a_line_cut_in_the_middle_of_a_transaction_leaves_nothing_behind(
    line: CutLine, database: Database
) -> None:
    def add() -> None:
        with database.writing() as session:
            investigations.add_investigation(session, "a", "lost")
            line.cut()
            time.sleep(0.2)
            session.execute(text("SELECT 1"))

    with pytest.raises(DatabaseAway):
        add()
    line.mend()
    wait_until_it_answers(database)
    with database.reading() as session, pytest.raises(NotFound):
        investigations.get_investigation(session, "a")


@pytest.mark.long
def test_a_server_that_stands_still_holds_nobody_for_ever_and_only_one_waits(
    line: CutLine, database: Database
) -> None:
    assert answers(database)
    line.silence()
    with pytest.raises(DatabaseAway):
        database.ready()
    asking = threading.Thread(target=answers, args=(database,))
    asking.start()
    time.sleep(0.5)
    assert asking.is_alive()
    with pytest.raises(DatabaseAway):  # at once: somebody asks already
        database.ready()
    assert asking.is_alive()
    line.mend()
    asking.join()
    wait_until_it_answers(database)


def test_the_queue_of_jobs_says_the_same(line: CutLine, database: Database) -> None:
    prepare_job_tables(line.url)
    jobs = JobQueue(line.url)
    jobs.enqueue_analysis("a", 1)
    line.cut()
    with pytest.raises(DatabaseAway):
        jobs.enqueue_analysis("a", 2)
    line.mend()
    wait_until_it_answers(database)
    jobs.enqueue_analysis("a", 2)
    assert jobs.states(["a/1", "a/2", "a/3"], []) == {"a/1": True, "a/2": True}
    jobs.close()


def test_a_mistake_of_ours_is_not_called_an_absence(database: Database) -> None:
    with pytest.raises(ProgrammingError), database.reading() as session:
        session.execute(text("SELECT * FROM no_such_table"))
    assert answers(database)


@pytest.fixture
def file_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Database, Path]]:
    monkeypatch.setattr(module, "SQLITE_BUSY_MS", 100)
    path = tmp_path / "stallscope.sqlite"
    opened = Database(f"sqlite:///{path}")
    opened.upgrade()
    yield opened, path
    opened.dispose()


def test_a_locked_sqlite_is_an_absence_for_who_writes_alone(file_database: tuple[Database, Path]) -> None:
    database, path = file_database
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(DatabaseAway), database.writing() as session:
        investigations.add_investigation(session, "a", "lost")
    assert database.ready()
    holder.execute("ROLLBACK")
    holder.close()
    with database.writing() as session:
        investigations.add_investigation(session, "a", "kept")


def test_a_sqlite_whose_folder_is_gone_is_an_absence(file_database: tuple[Database, Path]) -> None:
    database, path = file_database
    database.dispose()
    away = path.parent.with_name("away")
    path.parent.rename(away)
    with pytest.raises(DatabaseAway):
        database.ready()
    away.rename(path.parent)
    assert database.ready()


def test_a_mistake_in_sqlite_is_not_called_an_absence(file_database: tuple[Database, Path]) -> None:
    database, _ = file_database
    with pytest.raises(OperationalError), database.reading() as session:
        session.execute(text("SELECT * FROM no_such_table"))
