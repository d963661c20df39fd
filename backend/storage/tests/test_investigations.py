from __future__ import annotations

import pytest
from sqlalchemy.orm import Session

from backend.errors import NotFound
from backend.storage import evidence_files, investigations, shares
from backend.storage.database import Database
from backend.storage.records import MOST_SHOWN


def investigation(database: Database, name: str = "a1") -> str:
    with database.writing() as session:
        investigations.add_investigation(session, name, "checkout is slow")
    return name


def test_a_finished_analysis_keeps_its_summary(database: Database) -> None:
    found = investigation(database)
    with database.writing() as session:
        generation = investigations.request_analysis(session, found)
        assert investigations.set_analysis(
            session, found, generation, "finished", summary={"time_lost_s": 2.5}
        )
    with database.reading() as session:
        row = investigations.get_investigation(session, found)
    assert (row.analysis, row.summary) == ("finished", {"time_lost_s": 2.5})


def test_an_analysis_of_older_inputs_changes_nothing(database: Database) -> None:
    found = investigation(database)
    with database.writing() as session:
        old = investigations.request_analysis(session, found)
        investigations.request_analysis(session, found)
        assert not investigations.set_analysis(session, found, old, "finished")
        assert investigations.get_investigation(session, found).analysis == "queued"


def test_a_cancelled_analysis_cannot_finish(database: Database) -> None:
    found = investigation(database)
    with database.writing() as session:
        generation = investigations.request_analysis(session, found)
        assert investigations.cancel_analysis(session, found) == generation
        assert not investigations.set_analysis(session, found, generation, "finished")
        assert investigations.cancel_analysis(session, found) is None


def test_stages_never_go_back(database: Database) -> None:
    found = investigation(database)
    with database.writing() as session:
        generation = investigations.request_analysis(session, found)
        investigations.set_stage(session, found, generation, 5, message="detecting", findings=1)
        investigations.set_stage(session, found, generation, 4, message="joining", findings=0)
        row = investigations.get_investigation(session, found)
    assert (row.stage_number, row.stage_name, row.findings_so_far) == (5, "detect", 1)


def test_every_visible_change_has_a_new_revision(database: Database) -> None:
    found = investigation(database)
    seen = []
    for change in ("rename", "analyse", "touch"):
        with database.writing() as session:
            if change == "rename":
                investigations.rename_investigation(session, found, "other")
            elif change == "analyse":
                investigations.request_analysis(session, found)
            else:
                investigations.touch_investigation(session, found)
            seen.append(investigations.get_investigation(session, found).revision)
    assert seen == [1, 2, 3]


def test_pages_follow_one_another_without_gap_or_repetition(database: Database) -> None:
    for number in range(5):
        investigation(database, f"a{number}")
    with database.reading() as session:
        first = investigations.list_investigations(session, 3)
        rest = investigations.list_investigations(session, 3, (first[-1].created, first[-1].id))
    assert [row.id for row in first + rest] == ["a4", "a3", "a2", "a1", "a0"]


def test_deleting_takes_everything_along(database: Database) -> None:
    found = investigation(database)
    with database.writing() as session:
        evidence_files.add_file(
            session, "f1", found, name="a.pcap", kind="capture", format_name="pcap", size_bytes=1
        )
        new = shares.NewShare(secret_sha256="0" * 64, expires="2999-01-01T00:00:00Z")
        shares.add_share(session, "5a", found, new)
        investigations.request_analysis(session, found)
    with database.writing() as session:
        investigations.delete_investigation(session, found)
    with database.reading() as session:
        for lookup in (
            lambda: investigations.get_investigation(session, found),
            lambda: evidence_files.get_file(session, found, "f1"),
            lambda: shares.get_share(session, "5a"),
        ):
            with pytest.raises(NotFound):
                lookup()


def _found(number: int, count: int = 1) -> dict[str, object]:
    return {"id": f"dns-delay-{number}", "count": count}


def test_what_was_found_keeps_its_place_until_the_analysis_is_over(database: Database) -> None:
    found = investigation(database)

    def at(session: Session, *listed: dict[str, object]) -> list[dict[str, object]] | None:
        investigations.set_stage(
            session, found, generation, 5, message="", findings=len(listed), found=listed
        )
        return investigations.get_investigation(session, found).found_so_far

    for state in ("finished", "failed", "cancelled"):
        with database.writing() as session:
            generation = investigations.request_analysis(session, found)
            assert investigations.get_investigation(session, found).found_so_far is None
            assert at(session, _found(2)) == [_found(2)]
            assert at(session, _found(1), _found(2, 5)) == [_found(2, 5), _found(1)]
            assert at(session) == [_found(2, 5), _found(1)]
            if state == "cancelled":
                investigations.cancel_analysis(session, found)
            else:
                investigations.set_analysis(session, found, generation, state)
            assert investigations.get_investigation(session, found).found_so_far is None
            assert at(session, _found(3)) is None  # it came too late


def test_only_so_much_of_what_was_found_is_kept(database: Database) -> None:
    found = investigation(database)
    for number in (MOST_SHOWN, MOST_SHOWN + 1):
        with database.writing() as session:
            generation = investigations.request_analysis(session, found)
            listed = [_found(each) for each in range(number)]
            investigations.set_stage(session, found, generation, 5, message="", findings=number, found=listed)
            row = investigations.get_investigation(session, found)
        assert (row.findings_so_far, len(row.found_so_far or ())) == (number, MOST_SHOWN)
