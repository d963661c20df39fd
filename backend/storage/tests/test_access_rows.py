from __future__ import annotations

import pytest
from sqlalchemy.exc import IntegrityError

from backend.errors import NotFound
from backend.storage import access_tokens, members, sign_ins
from backend.storage.database import Database

LATE = "2999-01-01T00:00:00Z"
EARLY = "2001-01-01T00:00:00Z"


@pytest.fixture
def member(database: Database) -> str:
    with database.writing() as session:
        members.add_member(session, "m1", "ann", "analyst", password_hash="h")
    return "m1"


def test_a_member_is_found_by_what_the_provider_calls_them(database: Database, member: str) -> None:
    with database.writing() as session:
        members.add_member(session, "m2", "ann", "viewer", issuer="https://id.example", subject="42")
    with database.reading() as session:
        found = members.find_member(session, "https://id.example", "42")
        assert found is not None
        assert (found.id, found.role) == ("m2", "viewer")
        assert members.find_member(session, "", "42") is None
        assert members.password_hash_of(session, "ann") == "h"
        assert [one.id for one in members.list_members(session)] in (["m1", "m2"], ["m2", "m1"])


def test_a_name_signs_in_once(database: Database, member: str) -> None:
    with pytest.raises(IntegrityError), database.writing() as session:
        members.add_member(session, "m3", "ann", "viewer")


def test_only_admins_who_are_not_blocked_count(database: Database, member: str) -> None:
    with database.writing() as session:
        assert members.count_admins(session) == 0
        members.change_member(session, member, role="admin")
        assert members.count_admins(session) == 1
        members.change_member(session, member, blocked=True)
        assert members.count_admins(session) == 0


def test_a_sign_in_is_known_by_its_newest_secret_and_the_one_before(database: Database, member: str) -> None:
    with database.writing() as session:
        sign_ins.add_sign_in(session, "s1", member, secret_sha256="one", expires=LATE)
    with database.writing() as session:
        known = sign_ins.find_sign_in(session, "one")
        assert known is not None
        assert sign_ins.rotate(session, known, shown_sha256="one", next_sha256="two")
        assert not sign_ins.rotate(session, known, shown_sha256="one", next_sha256="three")
    with database.writing() as session:
        for secret in ("one", "two"):
            again = sign_ins.find_sign_in(session, secret)
            assert again is not None
            assert (again.id, again.secret_sha256, again.confirmed) == ("s1", "two", None)
        assert sign_ins.find_sign_in(session, "three") is None
        sign_ins.confirm(session, "s1")
        confirmed = sign_ins.find_sign_in(session, "two")
        assert confirmed is not None
        assert confirmed.confirmed is not None


def test_a_new_sign_in_forgets_those_that_expired(database: Database, member: str) -> None:
    with database.writing() as session:
        sign_ins.add_sign_in(session, "old", member, secret_sha256="old", expires=EARLY)
        sign_ins.add_sign_in(session, "new", member, secret_sha256="new", expires=LATE)
        assert sign_ins.find_sign_in(session, "old") is None
        assert sign_ins.find_sign_in(session, "new") is not None


def test_a_removed_member_takes_sign_ins_and_tokens_along(database: Database, member: str) -> None:
    with database.writing() as session:
        sign_ins.add_sign_in(session, "s1", member, secret_sha256="one", expires=LATE)
        made = access_tokens.add_token(
            session, "t1", "nightly", "upload", secret_sha256="x", member_id=member, expires=LATE
        )
        assert made.member is not None
        assert made.last_used is None
        access_tokens.note_use(session, "t1")
    with database.writing() as session:
        (listed,) = access_tokens.list_tokens(session)
        assert listed.last_used is not None
        members.delete_member(session, member)
    with database.writing() as session:
        assert sign_ins.find_sign_in(session, "one") is None
        assert access_tokens.list_tokens(session) == []
        with pytest.raises(NotFound):
            access_tokens.delete_token(session, "t1")
