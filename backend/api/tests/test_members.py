from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from backend.access.rights import Scope
from backend.access.tokens import issue_token
from backend.api.tests.guarded_server import guarded_server, guarded_store, signed_in
from backend.storage.store import Store

MEMBERS = "/api/v1/members"
LIST = "/api/v1/investigations"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with guarded_store(tmp_path) as opened:
        yield opened


@pytest.fixture
def address(store: Store) -> Iterator[str]:
    with guarded_server(store) as running:
        yield running


@pytest.fixture
def admin(address: str) -> Iterator[httpx.Client]:
    with signed_in(address) as client:
        yield client


def test_a_member_signs_in_with_the_password_shown_once(admin: httpx.Client, address: str) -> None:
    made = admin.post(MEMBERS, json={"name": " Ann  Lee", "role": "analyst"})
    assert (made.status_code, made.json()["name"]) == (201, "ann lee")
    password = made.json()["password"]
    assert password not in admin.get(MEMBERS).text
    with signed_in(address, "Ann Lee", password) as ann:
        assert ann.post(LIST, json={"label": "hers"}).status_code == 201
        assert ann.get(MEMBERS).status_code == 403
    assert admin.post(MEMBERS, json={"name": "ANN LEE", "role": "viewer"}).status_code == 409


def test_a_change_of_role_holds_from_the_next_request_on(admin: httpx.Client, address: str) -> None:
    made = admin.post(MEMBERS, json={"name": "ann", "role": "viewer"}).json()
    with signed_in(address, "ann", made["password"]) as ann:
        assert ann.post(LIST, json={"label": "x"}).status_code == 403
        changed = admin.patch(f"{MEMBERS}/{made['id']}", json={"role": "analyst"}).json()
        assert changed["role"] == "analyst"
        assert ann.post(LIST, json={"label": "x"}).status_code == 201
        admin.patch(f"{MEMBERS}/{made['id']}", json={"blocked": True})
        assert ann.get(LIST).status_code == 401
        admin.patch(f"{MEMBERS}/{made['id']}", json={"blocked": False})
        assert ann.get(LIST).status_code == 401, "blocked once, signed out for good"


def test_a_new_password_ends_the_old_one_and_its_sign_ins(admin: httpx.Client, address: str) -> None:
    made = admin.post(MEMBERS, json={"name": "ann", "role": "viewer"}).json()
    with signed_in(address, "ann", made["password"]) as ann:
        again = admin.post(f"{MEMBERS}/{made['id']}/password").json()
        assert ann.get(LIST).status_code == 401
        old = ann.post("/api/v1/sign-in", json={"name": "ann", "password": made["password"]})
        assert old.status_code == 401
    with signed_in(address, "ann", again["password"]) as ann:
        assert ann.get(LIST).status_code == 200


def test_a_removed_member_leaves_their_work_but_not_their_tokens(
    admin: httpx.Client, address: str, store: Store
) -> None:
    made = admin.post(MEMBERS, json={"name": "ann", "role": "analyst"}).json()
    token = issue_token(store, "hers", Scope.READ, expires_days=1, member_id=made["id"]).text
    with signed_in(address, "ann", made["password"]) as ann:
        investigation = ann.post(LIST, json={"label": "x"}).headers["location"]
        assert admin.delete(f"{MEMBERS}/{made['id']}").status_code == 204
        assert ann.get(investigation).status_code == 401
    refused = httpx.get(
        f"{address}{investigation}",
        headers={"Host": admin.headers["Host"], "Authorization": f"Bearer {token}"},
        trust_env=False,
        timeout=120,
    )
    assert refused.status_code == 401
    assert admin.get(investigation).status_code == 200
    assert admin.delete(f"{MEMBERS}/{made['id']}").status_code == 404


def test_the_last_admin_stays(admin: httpx.Client) -> None:
    (own,) = admin.get(MEMBERS).json()["items"]
    for change in ({"role": "analyst"}, {"blocked": True}):
        assert admin.patch(f"{MEMBERS}/{own['id']}", json=change).status_code == 409
    assert admin.delete(f"{MEMBERS}/{own['id']}").status_code == 409
    other = admin.post(MEMBERS, json={"name": "bob", "role": "admin"}).json()
    assert admin.delete(f"{MEMBERS}/{other['id']}").status_code == 204
    assert admin.get(MEMBERS).json()["items"][0]["role"] == "admin"


@pytest.mark.parametrize("name", ["", "  ", "x" * 101, "a\u202eb"])
def test_a_name_can_be_read(admin: httpx.Client, name: str) -> None:
    assert admin.post(MEMBERS, json={"name": name, "role": "viewer"}).status_code == 400
