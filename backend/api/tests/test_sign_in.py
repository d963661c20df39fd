from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from backend.access.manage_members import add_member, ensure_admin
from backend.access.rate_limit import PASSWORD as ALLOWED
from backend.access.rate_limit import SECRET
from backend.access.rights import Role, Scope
from backend.api.tests.guarded_server import (
    HOST,
    PASSWORD,
    guarded_server,
    guarded_store,
    program,
    signed_in,
    visitor,
)
from backend.storage.store import Store
from backend.storage.tables import MemberRow

WHO = "/api/v1/sign-in"
LIST = "/api/v1/investigations"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with guarded_store(tmp_path, public_url="https://stallscope.example.org") as opened:
        yield opened


@pytest.fixture
def address(store: Store) -> Iterator[str]:
    with guarded_server(store) as running:
        yield running


@pytest.fixture
def stranger(address: str) -> Iterator[httpx.Client]:
    with visitor(address) as client:
        yield client


@pytest.fixture
def admin(address: str) -> Iterator[httpx.Client]:
    with signed_in(address) as client:
        yield client


def test_a_stranger_learns_how_to_sign_in_and_nothing_else(stranger: httpx.Client) -> None:
    told = stranger.get(WHO).json()
    assert told == {
        "required": True,
        "password": True,
        "provider": "",
        "kind": "nobody",
        "name": "",
        "role": "",
        "may": ["open"],
        "may_change_password": False,
    }
    refused = stranger.get(LIST)
    assert (refused.status_code, refused.headers["www-authenticate"]) == (401, 'Bearer realm="Stallscope"')
    assert stranger.get("/").status_code == 200


def test_the_admin_signs_in_and_out(address: str, admin: httpx.Client) -> None:
    who = admin.get(WHO).json()
    assert (who["kind"], who["name"], who["role"], "admin" in who["may"]) == (
        "member",
        "admin",
        "admin",
        True,
    )
    assert admin.get(LIST).status_code == 200
    out = admin.delete(WHO)
    assert (out.status_code, "Max-Age=0" in out.headers["set-cookie"]) == (204, True)
    # The browser still sends the cookie, but the server has forgotten it.
    assert admin.get(LIST).status_code == 401


def test_the_cookie_is_kept_from_scripts_and_other_sites(stranger: httpx.Client) -> None:
    good = {"name": " ADMIN ", "password": PASSWORD}
    plain = stranger.post(WHO, json=good).headers["set-cookie"]
    assert plain.startswith("stallscope=")
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(plain.split("; "))
    assert "Secure" not in plain
    public = {"Host": "stallscope.example.org", "Origin": "https://stallscope.example.org"}
    safe = stranger.post(WHO, json=good, headers=public).headers["set-cookie"]
    assert safe.startswith("__Host-stallscope=")
    assert {"Secure", "HttpOnly", "SameSite=Strict", "Path=/"} <= set(safe.split("; "))
    assert "Domain" not in safe


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        (HOST, f"http://{HOST}", 200),
        ("[2001:db8::1]:8000", "http://[2001:db8::1]:8000", 200),
        ("stallscope.example.org", "https://stallscope.example.org", 200),
        ("stallscope.example.org", "http://stallscope.example.org", 403),
        ("stallscope.example.org", "https://evil.example", 403),
        (HOST, f"https://{HOST}", 403),
        ("evil.example:8000", "http://evil.example:8000", 421),
        ("192.0.2.7:8001", "http://192.0.2.7:8001", 421),
        ("192.0.2.7", "http://192.0.2.7", 421),
        ("192.0.2.7.evil.example:8000", "http://192.0.2.7.evil.example:8000", 421),
    ],
)
def test_only_the_own_page_at_an_own_address_signs_in(
    stranger: httpx.Client, host: str, origin: str, status: int
) -> None:
    given = {"name": "admin", "password": PASSWORD}
    headers = {"Host": host, "Origin": origin}
    assert stranger.post(WHO, json=given, headers=headers).status_code == status


def test_a_wrong_name_and_a_wrong_password_look_alike(stranger: httpx.Client, store: Store) -> None:
    made = add_member(store, "Ann", Role.VIEWER)
    with store.database.writing() as session:
        session.get_one(MemberRow, made.member.id).blocked = True
    given = [("admin", "wrong"), ("nobody", PASSWORD), ("ann", made.password), ("admin", "")]
    answers = {
        (answer.status_code, answer.text)
        for answer in (stranger.post(WHO, json={"name": n, "password": p}) for n, p in given)
    }
    assert len(answers) == 1
    assert answers.pop()[0] == 401


def test_guessing_passwords_ends_with_429(stranger: httpx.Client) -> None:
    for _ in range(ALLOWED.per_address.wrong):
        assert stranger.post(WHO, json={"name": "admin", "password": "wrong"}).status_code == 401
    refused = stranger.post(WHO, json={"name": "admin", "password": PASSWORD})
    assert refused.status_code == 429
    assert 0 < int(refused.headers["retry-after"]) <= ALLOWED.per_address.within_s
    assert stranger.get(WHO).status_code == 200


def test_guessing_tokens_ends_with_429(store: Store, address: str, stranger: httpx.Client) -> None:
    wrong = {"Authorization": "Bearer stallscope_0123456789abcdef_" + "x" * 43}
    for _ in range(SECRET.per_address.wrong):
        assert stranger.get(LIST, headers=wrong).status_code == 401
    assert stranger.get(LIST, headers=wrong).status_code == 429
    with program(store, address, Scope.READ) as client:
        assert client.get(LIST).status_code == 429


def test_guessing_links_ends_with_429_and_signs_nobody_in(
    admin: httpx.Client, stranger: httpx.Client
) -> None:
    investigation = admin.post(LIST, json={"label": "shared"}).headers["location"]
    made = admin.post(f"{investigation}/shares", json={"addresses": "real"}).json()
    shared = f"/api/v1/shared/{made['id']}"
    opened = stranger.post(f"{shared}/session", json={"secret": made["secret"]})
    stranger.cookies.clear()
    token = {"X-Stallscope-Share": opened.raise_for_status().json()["token"]}
    assert stranger.get(f"{shared}/investigation", headers=token).json()["label"] == "shared"
    assert stranger.get(investigation, headers=token).status_code == 401
    wrong = {"X-Stallscope-Share": "x" * 43}
    for number in range(SECRET.per_address.wrong):
        if number % 2:
            assert stranger.post(f"{shared}/session", json={"secret": "x"}).status_code == 403
        else:
            assert stranger.get(f"{shared}/investigation", headers=wrong).status_code == 403
    assert stranger.get(f"{shared}/investigation", headers=wrong).status_code == 429
    assert stranger.post(f"{shared}/session", json={"secret": "x"}).status_code == 429


def test_a_stranger_sends_no_large_body(stranger: httpx.Client) -> None:
    for body in ({"name": "admin", "password": "x" * 20_000}, {"secret": "x" * 20_000}):
        path = WHO if "name" in body else "/api/v1/shared/ab/session"
        assert stranger.post(path, json=body).status_code == 413
    pieces = (b"x" for _ in range(3))
    assert stranger.post(WHO, content=pieces).status_code == 413
    assert stranger.post(LIST, content=b"x" * 200_000).status_code == 401


def test_a_session_and_a_token_of_another_server_mean_nothing(
    admin: httpx.Client, stranger: httpx.Client
) -> None:
    for cookie in ("stallscope=", "stallscope=x", f"stallscope={'x' * 43}", "__Host-stallscope=x"):
        assert stranger.get(LIST, headers={"Cookie": cookie}).status_code == 401
    # The cookie of a plain address is not taken where https is meant.
    public = {"Host": "stallscope.example.org"}
    assert admin.get(LIST, headers=public).status_code == 401


def test_a_changed_admin_password_signs_the_admin_out(
    store: Store, admin: httpx.Client, address: str
) -> None:
    ensure_admin(store, PASSWORD)
    assert admin.get(LIST).status_code == 200
    ensure_admin(store, "another password")
    assert admin.get(LIST).status_code == 401
    with signed_in(address, password="another password") as again:
        assert again.get(LIST).status_code == 200
    with store.database.reading() as session:
        stored = session.query(MemberRow).one()
        assert "password" not in stored.password_hash
