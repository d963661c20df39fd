"""Rows that each older version of the tables held are there after the migrations, and can be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import JSON, Connection, MetaData, Table, insert, select

from backend.storage.database import Database, migrations_folder
from backend.storage.tables import Base
from backend.storage.tests.scratch_database import ENGINES, scratch_database

FORGOTTEN = {"idempotency_keys"}
"""Keys of repeated requests: those of before 0014 name no caller, and matter for a day."""


@pytest.mark.promise("Everything stored by an older version is there after an upgrade.")
@pytest.mark.parametrize("engine", ENGINES)
def test_rows_of_every_older_version_are_kept(
    engine: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    with scratch_database(engine, request, tmp_path) as url:
        database = Database(url)
        config = Config()
        config.set_main_option("script_location", str(migrations_folder()))
        revisions = [each.revision for each in ScriptDirectory.from_config(config).walk_revisions()][::-1]
        written: dict[str, int] = {}
        for revision in revisions:
            with database._writing_engine.begin() as connection:
                config.attributes["connection"] = connection
                command.upgrade(config, revision)
                for table in _fill_all(connection, f"r{revision}"):
                    written[table] = written.get(table, 0) + 1
        assert len(revisions) >= 18
        assert written["investigations"] == len(revisions)
        with database.reading() as session:
            rows = {
                each.class_.__tablename__: session.scalars(select(each.class_)).all()
                for each in Base.registry.mappers
            }
        kept = {table: len(found) for table, found in rows.items() if table not in FORGOTTEN}
        assert kept == {table: count for table, count in written.items() if table not in FORGOTTEN}
        database.dispose()


def _fill_all(connection: Connection, tag: str) -> list[str]:
    """One row in each table as it is now; their names."""
    tables = MetaData()
    tables.reflect(connection)
    filled = [each for each in tables.sorted_tables if each.name != "alembic_version"]
    for table in filled:
        connection.execute(insert(table).values(_row(table, tag)))
    return [each.name for each in filled]


def _row(table: Table, tag: str) -> dict[str, Any]:
    return {
        column.name: _value(column.type, tag, int(tag[1:]))
        for column in table.columns
        if not column.nullable and (column.server_default is None or column.primary_key)
    }


def _value(kind: Any, tag: str, number: int) -> Any:
    if isinstance(kind, JSON):
        return []
    values: dict[type, Any] = {bool: False, int: number, float: 1.0, bytes: bytes([number]) * 32}
    return values.get(kind.python_type, tag)
