from __future__ import annotations

import threading

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from backend.errors import Unavailable
from backend.storage import investigations
from backend.storage.database import Database
from backend.storage.tables import Base


def test_migrating_twice_changes_nothing(database: Database) -> None:
    database.upgrade()
    assert database.ready()


def test_the_migrations_make_the_tables_that_the_code_expects(database: Database) -> None:
    with database.reading() as session:
        context = MigrationContext.configure(session.connection())
        assert compare_metadata(context, Base.metadata) == []


def test_what_is_raised_in_a_transaction_undoes_it(database: Database) -> None:
    with pytest.raises(RuntimeError), database.writing() as session:  # noqa: PT012 (both belong to it)
        investigations.add_investigation(session, "a1", "lost")
        raise RuntimeError
    with database.reading() as session:
        assert investigations.list_investigations(session, 10) == []


def test_writers_at_the_same_time_lose_no_change(database: Database) -> None:
    with database.writing() as session:
        investigations.add_investigation(session, "a1", "counted")

    def count_up() -> None:
        for _ in range(10):
            with database.writing() as session:
                session.execute(text("UPDATE investigations SET revision = revision + 1"))

    writers = [threading.Thread(target=count_up) for _ in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    with database.reading() as session:
        assert investigations.revisions(session, ["a1"]) == {"a1": 40}


def test_a_database_that_is_away_is_named_in_a_sentence() -> None:
    absent = Database("postgresql+psycopg://nobody@127.0.0.1:1/nothing")
    with pytest.raises(Unavailable, match="does not answer"):
        absent.upgrade()
    absent.dispose()
