from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from backend.access.browser_sign_ins import (
    GRACE,
    LASTS,
    ROTATES_AFTER,
    UNUSED_LASTS,
    begin_sign_in,
    end_sign_in,
    recognise_browser,
)
from backend.access.callers import NOBODY
from backend.storage import members
from backend.storage.store import Store
from backend.storage.tables import SignInRow

SECOND = timedelta(seconds=1)


@pytest.fixture
def secret(store: Store) -> str:
    with store.database.writing() as session:
        members.add_member(session, "m1", "ann", "analyst")
    return begin_sign_in(store, "m1")


def age(store: Store, **columns: timedelta) -> None:
    """Move times of the one sign-in into the past."""
    with store.database.writing() as session:
        row = session.query(SignInRow).one()
        for column, by in columns.items():
            moment = datetime.fromisoformat(getattr(row, column))
            setattr(row, column, (moment - by).isoformat(timespec="microseconds").replace("+00:00", "Z"))


def test_the_secret_is_known_and_only_its_hash_is_stored(store: Store, secret: str) -> None:
    caller = recognise_browser(store, secret)
    assert caller.member is not None
    assert (caller.kind, caller.member.name, caller.next_secret) == ("member", "ann", "")
    assert recognise_browser(store, secret + "x") is NOBODY
    with store.database.reading() as session:
        assert secret not in str(vars(session.query(SignInRow).one()))
        assert members.get_member(session, "m1").last_sign_in is not None


def test_each_sign_in_has_a_secret_of_its_own(store: Store, secret: str) -> None:
    other = begin_sign_in(store, "m1")
    assert other != secret
    end_sign_in(store, recognise_browser(store, other).sign_in_id)
    assert recognise_browser(store, other) is NOBODY
    assert recognise_browser(store, secret) is not NOBODY


def test_it_ends_after_its_time_however_much_it_is_used(store: Store, secret: str) -> None:
    begun = datetime.now(UTC)
    age(store, rotated=-LASTS)
    assert recognise_browser(store, secret, begun + LASTS - SECOND) is not NOBODY
    assert recognise_browser(store, secret, begun + LASTS + SECOND) is NOBODY


def test_it_ends_when_it_is_not_used(store: Store, secret: str) -> None:
    now = datetime.now(UTC)
    assert recognise_browser(store, secret, now + UNUSED_LASTS + SECOND) is NOBODY
    assert recognise_browser(store, secret, now + UNUSED_LASTS - SECOND) is not NOBODY


def test_the_secret_is_replaced_in_use_and_the_old_one_soon_opens_nothing(store: Store, secret: str) -> None:
    now = datetime.now(UTC)
    assert recognise_browser(store, secret, now + ROTATES_AFTER - SECOND).next_secret == ""
    newer = recognise_browser(store, secret, now + ROTATES_AFTER + SECOND).next_secret
    assert newer not in ("", secret)
    assert recognise_browser(store, secret).next_secret == ""
    assert recognise_browser(store, newer) is not NOBODY
    now = datetime.now(UTC)
    assert recognise_browser(store, secret, now + GRACE - SECOND) is not NOBODY
    # After that somebody else must have kept it: the whole sign-in ends.
    assert recognise_browser(store, secret, now + GRACE + SECOND) is NOBODY
    assert recognise_browser(store, newer) is NOBODY


def test_a_new_secret_that_was_lost_on_the_way_signs_nobody_out(store: Store, secret: str) -> None:
    lost = recognise_browser(store, secret, datetime.now(UTC) + ROTATES_AFTER + SECOND).next_secret
    again = recognise_browser(store, secret, datetime.now(UTC) + GRACE + SECOND).next_secret
    assert again not in ("", lost, secret)
    assert recognise_browser(store, lost) is NOBODY
    assert recognise_browser(store, again) is not NOBODY


def test_a_blocked_member_is_out_with_the_next_request(store: Store, secret: str) -> None:
    with store.database.writing() as session:
        members.change_member(session, "m1", blocked=True)
    assert recognise_browser(store, secret) is NOBODY
