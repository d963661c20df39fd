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


def test_what_does_not_confine_children_is_told_of_living_workers(database: Database) -> None:
    with database.writing() as session:
        executors.beat(session, "a", machine="one", now_s=100.0, not_confined_by=("Landlock", "seccomp"))
        executors.beat(session, "b", machine="two", now_s=100.0)
        executors.beat(session, "c", machine="three", now_s=90.0, not_confined_by=("seccomp",))
        assert executors.living(session, 95.0) == [
            executors.Worker("one", ("Landlock", "seccomp")),
            executors.Worker("two", ()),
        ]
