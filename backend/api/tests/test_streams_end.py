"""An event stream ends when the right that opened it does, whatever ended it."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from structlog.testing import capture_logs

from backend.access.manage_members import add_member, change_member, remove_member
from backend.access.rights import Role, Scope
from backend.access.tokens import issue_token
from backend.api.routes import progress
from backend.api.tests.guarded_server import guarded_server, guarded_store, signed_in, visitor
from backend.storage.store import Store

PATIENCE_S = 60.0
LONG_AGO = "2020-01-01T00:00:00Z"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder: Path = tmp_path_factory.mktemp("guarded")
    with guarded_store(folder) as opened:
        yield opened


@pytest.fixture(scope="module")
def address(store: Store) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(progress, "HEARTBEAT_S", 0.1)
        with guarded_server(store) as running:
            yield running


@dataclass
class Listener:
    """Reads a stream in a thread of its own."""

    client: httpx.Client
    path: str
    heard: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    over: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        try:
            with self.client.stream("GET", self.path, timeout=PATIENCE_S) as answer:
                for _ in answer.raise_for_status().iter_lines():
                    self.heard.release()
        except (httpx.HTTPError, httpx.StreamError, OSError):
            return  # the test has hung up
        self.over.set()

    def hears(self, times: int) -> bool:
        return all(self.heard.acquire(timeout=PATIENCE_S) for _ in range(times))


@contextmanager
def listening(client: httpx.Client, path: str) -> Iterator[Listener]:
    found = Listener(client, path)
    thread = threading.Thread(target=found.run, daemon=True)
    thread.start()
    assert found.hears(8)
    yield found
    client.close()
    thread.join(PATIENCE_S)


def as_member(store: Store, address: str, name: str) -> tuple[httpx.Client, str]:
    made = add_member(store, name, Role.VIEWER)
    return signed_in(address, name, made.password), made.member.id


def as_token(store: Store, address: str, member_id: str | None) -> tuple[httpx.Client, str]:
    made = issue_token(store, "a program", Scope.READ, expires_days=1, member_id=member_id)
    return visitor(address, Authorization=f"Bearer {made.text}"), made.token.id


def expire(store: Store, table: str, key: str, value: str) -> None:
    """As if its time had come."""
    with closing(sqlite3.connect(store.settings.data / "stallscope.sqlite", timeout=PATIENCE_S)) as database:
        database.execute(f"UPDATE {table} SET expires = ? WHERE {key} = ?", (LONG_AGO, value))
        database.commit()


End = Callable[[Store, httpx.Client, str], object]
OF_A_MEMBER: dict[str, End] = {
    "blocked": lambda store, _client, member: change_member(store, member, blocked=True),
    "removed": lambda store, _client, member: remove_member(store, member),
    "signed out": lambda _store, client, _member: client.delete("/api/v1/sign-in"),
    "sign-in expired": lambda store, _client, member: expire(store, "sign_ins", "member_id", member),
}


@pytest.fixture(scope="module")
def admin(address: str) -> Iterator[httpx.Client]:
    with signed_in(address) as client:
        yield client


@pytest.fixture
def events(admin: httpx.Client) -> str:
    created = admin.post("/api/v1/investigations", json={"label": "x"})
    return f"{created.headers['location']}/events"


@pytest.mark.promise(
    "An event stream ends when its member is blocked, removed or signed out, or the sign-in expires."
)
@pytest.mark.parametrize("how", OF_A_MEMBER)
def test_a_members_stream_ends(store: Store, address: str, events: str, how: str) -> None:
    client, member = as_member(store, address, how)
    other, _ = as_member(store, address, f"not {how}")
    with capture_logs() as logged, listening(client, events) as ended, listening(other, events) as lasting:
        OF_A_MEMBER[how](store, client, member)
        assert ended.over.wait(PATIENCE_S)
        # What ended one is nothing to the other.
        while lasting.heard.acquire(blocking=False):
            pass
        assert lasting.hears(6)
        assert not lasting.over.is_set()
        assert client.get(events.removesuffix("/events")).status_code == 401
    assert [each for each in logged if each["event"] == "bug"] == []


OF_A_TOKEN: dict[str, End] = {
    "revoked": lambda _store, admin, token: admin.delete(f"/api/v1/tokens/{token}"),
    "expired": lambda store, _admin, token: expire(store, "access_tokens", "id", token),
}


@pytest.mark.promise(
    "An event stream ends when its token is revoked or expires, or the token's member is blocked."
)
@pytest.mark.parametrize("how", [*OF_A_TOKEN, "its member blocked"])
def test_a_tokens_stream_ends(store: Store, address: str, admin: httpx.Client, events: str, how: str) -> None:
    member = add_member(store, f"maker of {how}", Role.ANALYST).member.id
    client, token = as_token(store, address, member)
    with listening(client, events) as ended:
        if how in OF_A_TOKEN:
            OF_A_TOKEN[how](store, admin, token)
        else:
            change_member(store, member, blocked=True)
        assert ended.over.wait(PATIENCE_S)


def test_a_role_that_still_reads_keeps_its_stream(store: Store, address: str, events: str) -> None:
    made = add_member(store, "demoted", Role.ADMIN)
    with listening(signed_in(address, "demoted", made.password), events) as lasting:
        change_member(store, made.member.id, role=Role.VIEWER)
        while lasting.heard.acquire(blocking=False):
            pass
        assert lasting.hears(6)
        assert not lasting.over.is_set()


@pytest.mark.promise("An event stream ends when its investigation is deleted.")
def test_the_stream_of_a_deleted_investigation_ends(
    store: Store, address: str, admin: httpx.Client, events: str
) -> None:
    client, _ = as_member(store, address, "a reader")
    with listening(client, events) as ended:
        assert admin.delete(events.removesuffix("/events")).status_code == 204
        assert ended.over.wait(PATIENCE_S)
