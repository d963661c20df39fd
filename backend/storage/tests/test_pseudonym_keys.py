"""The key of each link's names: random, its own, and given to links of before that had none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import MetaData, Table, insert

from backend.storage import shares
from backend.storage.database import Database, migrations_folder
from backend.storage.investigations import add_investigation


@pytest.mark.promise("The names of a link follow from 256 random bits of its own.")
def test_each_link_has_a_random_key(database: Database) -> None:
    new = shares.NewShare(secret_sha256="0" * 64, expires="2099-01-01T00:00:00Z")
    with database.writing() as session:
        add_investigation(session, "a1", "label")
        keys = {shares.add_share(session, f"{n}", "a1", new).pseudonym_key for n in range(8)}
        kept = {share.pseudonym_key for share in shares.list_shares(session, "a1")}
    assert kept == keys
    assert len(keys) == 8
    assert {len(key) for key in keys} == {32}


def test_links_of_before_get_a_key_each(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'old.db'}")
    config = Config()
    config.set_main_option("script_location", str(migrations_folder()))
    with database._writing_engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0016")
        before = MetaData()
        before.reflect(connection)
        for table, rows in (("investigations", ["a1"]), ("shares", ["s1", "s2"])):
            for row in rows:
                connection.execute(insert(before.tables[table]).values(_filled(before.tables[table], row)))
    database.upgrade()
    with database.reading() as session:
        keys = {share.pseudonym_key for share in shares.list_shares(session, "a1")}
    assert len(keys) == 2
    assert {len(key) for key in keys} == {32}
    database.dispose()


def _filled(table: Table, id_: str) -> dict[str, Any]:
    """A row of a table as it was, with something in each column that must have something."""
    needed = [each for each in table.columns if not each.nullable and each.server_default is None]
    filled = {each.name: 0 if each.type.python_type in (int, bool) else "2026" for each in needed}
    return {**filled, "id": id_, **({"investigation_id": "a1"} if "investigation_id" in filled else {})}
