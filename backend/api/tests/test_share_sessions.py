"""What the secret of a link gives a browser: short, renewed in use, worth nothing elsewhere."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from starlette.requests import Request

from backend.api.share_session import share_cookie
from backend.services.share_sessions import LASTS, RENEWED_AFTER, new_session
from backend.storage import shares
from backend.storage.records import Share
from backend.storage.store import Store

SECOND = timedelta(seconds=1)


def made_link(client: httpx.Client, **options: object) -> dict[str, str]:
    investigation = client.post("/api/v1/investigations", json={"label": "shared"}).headers["location"]
    made: dict[str, str] = client.post(f"{investigation}/shares", json=options).raise_for_status().json()
    return made


def link_of(store: Store, made: dict[str, str]) -> Share:
    with store.database.reading() as session:
        return shares.get_share(session, made["id"])


def read(client: httpx.Client, made: dict[str, str], **headers: str) -> httpx.Response:
    return client.get(f"/api/v1/shared/{made['id']}/investigation", headers=headers)


def begun(store: Store, made: dict[str, str], before: timedelta) -> str:
    return new_session(store, link_of(store, made), datetime.now(UTC) - before)


@pytest.mark.promise("The session of a share link ends after an hour without use.")
@pytest.mark.parametrize(("before", "status"), [(LASTS - 30 * SECOND, 200), (LASTS + SECOND, 403)])
def test_a_session_ends_after_an_hour(
    client: httpx.Client, store: Store, before: timedelta, status: int
) -> None:
    made = made_link(client)
    token = begun(store, made, before)
    assert read(client, made, Cookie=f"stallscope_share={token}").status_code == status
    assert read(client, made, **{"X-Stallscope-Share": token}).status_code == status


def test_it_is_renewed_in_use_and_never_outlives_the_link(client: httpx.Client, store: Store) -> None:
    made = made_link(client, expires_days=1)
    used = begun(store, made, RENEWED_AFTER + 30 * SECOND)
    renewed = read(client, made, Cookie=f"stallscope_share={used}").headers["set-cookie"]
    token = renewed.split(";")[0].removeprefix("stallscope_share=")
    assert int(token.partition(".")[0]) > int(used.partition(".")[0])
    assert "set-cookie" not in read(client, made, Cookie=f"stallscope_share={token}").headers
    ends = datetime.fromisoformat(link_of(store, made).expires)
    late = new_session(store, link_of(store, made), ends - SECOND)
    assert int(late.partition(".")[0]) == int(ends.timestamp())


@pytest.mark.promise(
    "The session of a share link opens no other link, and cannot be prolonged or made outside."
)
def test_a_session_is_worth_nothing_elsewhere(client: httpx.Client, store: Store) -> None:
    made, other = made_link(client), made_link(client)
    token = begun(store, made, 0 * SECOND)
    ends, _, signature = token.partition(".")
    assert read(client, made, Cookie=f"stallscope_share={token}").status_code == 200
    assert made["secret"] not in token
    for wrong in (f"{int(ends) + 1}.{signature}", f"{ends}.{'0' * 64}", f"{ends}.", made["secret"]):
        assert read(client, made, Cookie=f"stallscope_share={wrong}").status_code == 403
    assert read(client, other, Cookie=f"stallscope_share={token}").status_code == 403


def test_a_cookie_that_was_renewed_outlives_the_header_that_came_first(
    client: httpx.Client, store: Store
) -> None:
    made = made_link(client)
    ended, fresh = begun(store, made, LASTS + SECOND), begun(store, made, 0 * SECOND)
    sent = {"X-Stallscope-Share": ended, "Cookie": f"stallscope_share={fresh}"}
    assert read(client, made, **sent).status_code == 200


def test_a_session_of_a_revoked_link_opens_nothing(client: httpx.Client, store: Store) -> None:
    made = made_link(client)
    token = begun(store, made, 0 * SECOND)
    own = link_of(store, made).investigation_id
    client.delete(f"/api/v1/investigations/{own}/shares/{made['id']}").raise_for_status()
    assert read(client, made, Cookie=f"stallscope_share={token}").status_code == 410


@pytest.mark.promise("Behind https the cookie of a share link is Secure, HttpOnly and SameSite=Strict.")
@pytest.mark.parametrize(
    ("origin", "name", "secure"),
    [
        ("https://a.example", "__Secure-stallscope_share", True),
        ("http://a.example", "stallscope_share", False),
    ],
)
def test_the_cookie_is_for_this_link_and_for_https_where_there_is_https(
    origin: str, name: str, secure: bool
) -> None:
    request = Request({"type": "http", "headers": [], "state": {"origin": origin}})
    cookie = share_cookie(request, "ab", "1.2")
    assert cookie.startswith(f"{name}=1.2; Path=/api/v1/shared/ab; HttpOnly; SameSite=Strict")
    assert cookie.endswith("; Secure") is secure


@pytest.mark.promise("Without its secret nobody learns whether there is a share link.")
def test_a_link_without_its_secret_looks_like_one_that_never_was(client: httpx.Client) -> None:
    made = made_link(client)
    pages, answers = [], []
    for share_id in (made["id"], "0" * 16):
        page = client.get(f"/s/{share_id}")
        nonce = re.findall(r"nonce-([^']+)", page.headers["content-security-policy"])[0]
        pages.append(page.text.replace(nonce, "").replace(share_id, ""))
        for headers in (
            {},
            {"X-Stallscope-Share": "x" * 43},
            {"X-Stallscope-Share": f"9999999999.{'0' * 64}"},
        ):
            read_ = client.get(f"/api/v1/shared/{share_id}/investigation", headers=headers)
            answers.append((share_id == made["id"], read_.status_code, read_.content))
        wrong = client.post(f"/api/v1/shared/{share_id}/session", json={"secret": "x" * 43})
        answers.append((share_id == made["id"], wrong.status_code, wrong.content))
    assert pages[0] == pages[1]
    assert [each[1:] for each in answers if each[0]] == [each[1:] for each in answers if not each[0]]
