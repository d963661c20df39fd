from __future__ import annotations

import pytest

from backend.access.callers import Caller
from backend.access.rate_limit import SECRET, RateLimiter
from backend.access.rights import ROLE_GIVES, SCOPE_GIVES, Need, Role, Scope
from backend.access.tokens import issue_token, recognise_token, revoke_token
from backend.errors import InvalidRequest, SignInNeeded, TooManyAttempts
from backend.storage import members
from backend.storage.store import Store
from backend.storage.tables import AccessTokenRow

ADDRESS = "192.0.2.1"


def recognise(store: Store, text: str) -> Caller:
    return recognise_token(store, RateLimiter(), ADDRESS, text)


@pytest.mark.parametrize("scope", list(Scope))
def test_a_token_gives_what_its_scope_gives(store: Store, scope: Scope) -> None:
    made = issue_token(store, "nightly", scope, expires_days=1, member_id=None)
    assert recognise(store, made.text).may == SCOPE_GIVES[scope]


@pytest.mark.parametrize("role", list(Role))
def test_it_never_gives_more_than_the_role_of_who_made_it(store: Store, role: Role) -> None:
    with store.database.writing() as session:
        members.add_member(session, "m1", "ann", "admin")
    made = issue_token(store, "nightly", Scope.ADMIN, expires_days=1, member_id="m1")
    with store.database.writing() as session:
        members.change_member(session, "m1", role=role)
    assert recognise(store, made.text).may == ROLE_GIVES[role]


def test_only_the_hash_is_stored_and_the_last_use_noted(store: Store) -> None:
    made = issue_token(store, "nightly", Scope.READ, expires_days=1, member_id=None)
    secret = made.text.split("_", 2)[2]
    assert len(made.text) == len("stallscope_") + 16 + 1 + 43
    assert made.token.last_used is None
    recognise(store, made.text)
    with store.database.reading() as session:
        row = session.get_one(AccessTokenRow, made.token.id)
        assert secret not in str(vars(row))
        assert row.last_used is not None


def test_a_revoked_an_expired_and_a_blocked_members_token_open_nothing(store: Store) -> None:
    with store.database.writing() as session:
        members.add_member(session, "m1", "ann", "admin")
    revoked, expired, blocked = (
        issue_token(store, name, Scope.READ, expires_days=1, member_id="m1") for name in "abc"
    )
    for made in (revoked, expired, blocked):
        assert Need.READ in recognise(store, made.text).may
    revoke_token(store, revoked.token.id)
    with store.database.writing() as session:
        session.get_one(AccessTokenRow, expired.token.id).expires = "2020-01-01T00:00:00Z"
    for made in (revoked, expired):
        with pytest.raises(SignInNeeded):
            recognise(store, made.text)
    with store.database.writing() as session:
        members.change_member(session, "m1", blocked=True)
    with pytest.raises(SignInNeeded):
        recognise(store, blocked.text)


def test_guessing_ends_with_too_many(store: Store) -> None:
    limiter = RateLimiter()
    good = issue_token(store, "nightly", Scope.READ, expires_days=1, member_id=None).text
    wrong = good[:-1] + ("A" if good[-1] != "A" else "B")
    for _ in range(SECRET.per_address.wrong):
        recognise_token(store, limiter, ADDRESS, good)
        with pytest.raises(SignInNeeded):
            recognise_token(store, limiter, ADDRESS, wrong)
    with pytest.raises(TooManyAttempts):
        recognise_token(store, limiter, ADDRESS, wrong)
    assert Need.READ in recognise_token(store, limiter, "192.0.2.9", good).may


@pytest.mark.parametrize("text", ["", "x", "stallscope_", "stallscope_0123456789abcdef_" + "é" * 43])
def test_what_is_no_token_is_refused(store: Store, text: str) -> None:
    with pytest.raises(SignInNeeded):
        recognise(store, text)


@pytest.mark.parametrize(("name", "days"), [("", 1), (" ", 1), ("x" * 101, 1), ("x", 0), ("x", 366)])
def test_a_token_has_a_name_and_an_end(store: Store, name: str, days: int) -> None:
    with pytest.raises(InvalidRequest):
        issue_token(store, name, Scope.READ, expires_days=days, member_id=None)
