from __future__ import annotations

from backend.storage import executors
from backend.storage.database import Database


def test_the_silent_are_told_from_the_living(database: Database) -> None:
    with database.writing() as session:
        executors.beat(session, "old", machine="one", now_s=100.0)
        executors.beat(session, "alive", machine="two", now_s=100.0)
        executors.beat(session, "alive", machine="two", now_s=110.0)
        assert executors.silent_since(session, 105.0) == ["old"]
        assert executors.machines(session, 105.0) == {"two"}
        executors.forget(session, "old")
        assert executors.silent_since(session, 105.0) == []
