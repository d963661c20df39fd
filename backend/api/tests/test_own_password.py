"""A member changes their own password."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from backend.access.manage_members import NewPassword, add_member
from backend.access.own_password import change_own_password
from backend.access.passwords import LONGEST, SHORTEST
from backend.access.rate_limit import PASSWORD as ALLOWED
from backend.access.rate_limit import RateLimiter
from backend.access.rights import Role, Scope
from backend.api.tests.guarded_server import (
    PASSWORD,
    guarded_server,
    guarded_store,
    program,
    signed_in,
    visitor,
)
from backend.errors import Conflict
from backend.storage import members
from backend.storage.store import Store

OWN = "/api/v1/sign-in/password"
WHO = "/api/v1/sign-in"
NEW = "battery staple"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with guarded_store(tmp_path) as opened:
        yield opened


@pytest.fixture
def address(store: Store) -> Iterator[str]:
    with guarded_server(store) as running:
        yield running


@pytest.fixture
def made(store: Store) -> NewPassword:
    return add_member(store, "grace", Role.VIEWER)


def _status(browser: httpx.Client, old: str, new: str) -> int:
    return browser.put(OWN, json={"old": old, "new": new}).status_code


def test_the_new_one_signs_in_and_all_others_are_signed_out(address: str, made: NewPassword) -> None:
    with (
        signed_in(address, "grace", made.password) as here,
        signed_in(address, "grace", made.password) as elsewhere,
        signed_in(address) as admin,
    ):
        assert here.get(WHO).json()["may_change_password"]
        changed = here.put(OWN, json={"old": made.password, "new": NEW})
        assert (changed.status_code, changed.content) == (204, b"")
        cookie = changed.headers["set-cookie"].split(";")[0]
        assert elsewhere.get(WHO).json()["kind"] == "nobody"
        assert here.get(WHO).json()["kind"] == "nobody"  # the cookie of before, as somebody may have seen it
        assert admin.get(WHO).json()["kind"] == "member"
    with visitor(address, Cookie=cookie) as kept:
        assert kept.get(WHO).json()["name"] == "grace"
    with visitor(address) as again:
        for password, status in ((made.password, 401), (NEW, 200)):
            answer = again.post(WHO, json={"name": "grace", "password": password})
            assert answer.status_code == status


@pytest.mark.parametrize(
    ("new", "status"),
    [("x" * (SHORTEST - 1), 400), ("x" * SHORTEST, 204), ("x" * LONGEST, 204), ("x" * (LONGEST + 1), 422)],
)
def test_its_length_is_bounded(address: str, made: NewPassword, new: str, status: int) -> None:
    with signed_in(address, "grace", made.password) as browser:
        assert _status(browser, made.password, new) == status


def test_the_old_one_again_is_none(address: str, made: NewPassword) -> None:
    with signed_in(address, "grace", made.password) as browser:
        refused = browser.put(OWN, json={"old": made.password, "new": made.password})
        assert (refused.status_code, "is the old one" in refused.text) == (400, True)
        assert browser.get(WHO).json()["kind"] == "member"


def test_wrong_old_ones_are_counted_with_those_of_sign_ins(address: str, made: NewPassword) -> None:
    wrong = ALLOWED.per_address.wrong
    with signed_in(address, "grace", made.password) as browser:
        assert [_status(browser, "wrong", NEW) for _ in range(wrong)] == [403] * wrong
        refused = browser.put(OWN, json={"old": made.password, "new": NEW})
        assert (refused.status_code, "retry-after" in refused.headers) == (429, True)
        assert browser.get(WHO).json()["kind"] == "member"
    with visitor(address) as stranger:
        assert stranger.post(WHO, json={"name": "grace", "password": made.password}).status_code == 429


def test_who_has_none_here_cannot_change_it(address: str, store: Store) -> None:
    with signed_in(address) as admin:
        assert not admin.get(WHO).json()["may_change_password"]
        refused = admin.put(OWN, json={"old": PASSWORD, "new": NEW})
        assert (refused.status_code, "server's settings" in refused.text) == (409, True)
    with program(store, address, Scope.ADMIN) as token:
        assert _status(token, "", NEW) == 409
    with visitor(address) as stranger:
        assert _status(stranger, "", NEW) == 401
    with store.database.writing() as session:
        members.add_member(session, "5a", "ada", Role.VIEWER, issuer="https://id.example", subject="1")
        ada = members.get_member(session, "5a")
    with pytest.raises(Conflict, match="identity provider"):
        change_own_password(store, RateLimiter(), "192.0.2.1", ada, old="", new=NEW)
