from __future__ import annotations

import httpx
import pytest

from backend.access.rate_limit import PASSWORD
from backend.storage.store import Store
from backend.storage.tables import ShareRow

DUMP = b"cpu=0 found=1 insert_failed=3 search_restart=0\n"


@pytest.fixture
def investigation(client: httpx.Client) -> str:
    address = client.post("/api/v1/investigations", json={"label": "shared"}).headers["location"]
    client.put(f"{address}/files/stats.txt", content=DUMP)
    return str(address)


def open_link(client: httpx.Client, made: dict[str, str]) -> dict[str, str]:
    session = client.post(f"/api/v1/shared/{made['id']}/session", json={"secret": made["secret"]})
    client.cookies.clear()
    return {"X-Stallscope-Share": session.raise_for_status().json()["token"]}


def test_a_link_reads_and_nothing_else(client: httpx.Client, investigation: str) -> None:
    made = client.post(f"{investigation}/shares", json={"expires_days": 7, "addresses": "real"}).json()
    assert made["url_path"] == f"/s/{made['id']}#k={made['secret']}"
    shared, token = f"/api/v1/shared/{made['id']}", open_link(client, made)
    assert client.get(f"{shared}/investigation", headers=token).json()["label"] == "shared"
    file = client.get(f"{shared}/files", headers=token).json()["items"][0]
    assert client.get(f"{shared}/files/stats.txt/lines", headers=token).json()["lines_total"] == 1
    assert client.get(f"{shared}/report", headers=token).status_code == 404
    assert client.get(f"{shared}/files/{file['id']}/content", headers=token).status_code == 404
    assert client.delete(f"{shared}/files/{file['id']}", headers=token).status_code in (404, 405)


def test_the_cookie_of_a_session_opens_the_same(client: httpx.Client, investigation: str) -> None:
    made = client.post(f"{investigation}/shares", json={}).json()
    session = client.post(f"/api/v1/shared/{made['id']}/session", json={"secret": made["secret"]})
    cookie = session.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert f"Path=/api/v1/shared/{made['id']}" in cookie
    headers = {"Cookie": cookie.split(";")[0]}
    assert client.get(f"/api/v1/shared/{made['id']}/investigation", headers=headers).status_code == 200


def test_without_the_secret_nothing_opens(client: httpx.Client, investigation: str) -> None:
    made = client.post(f"{investigation}/shares", json={}).json()
    shared = f"/api/v1/shared/{made['id']}"
    assert client.get(f"{shared}/investigation").status_code == 403
    assert client.get(f"{shared}/investigation", headers={"X-Stallscope-Share": "x" * 43}).status_code == 403
    assert client.post(f"{shared}/session", json={"secret": "x"}).status_code == 403
    assert client.post("/api/v1/shared/abcd/session", json={"secret": made["secret"]}).status_code == 403


def test_the_secret_has_256_bits_and_only_its_hash_is_stored(
    client: httpx.Client, investigation: str, store: Store
) -> None:
    made = client.post(f"{investigation}/shares", json={}).json()
    assert len(made["secret"]) == 43
    with store.database.reading() as session:
        row = session.get_one(ShareRow, made["id"])
        assert made["secret"] not in str(vars(row))
    assert made["secret"] not in client.get(f"{investigation}/shares").text


def test_a_revoked_link_answers_410_with_the_date(client: httpx.Client, investigation: str) -> None:
    made = client.post(f"{investigation}/shares", json={}).json()
    token = open_link(client, made)
    assert client.get(investigation).json()["share_count"] == 1
    assert client.delete(f"{investigation}/shares/{made['id']}").status_code == 204
    revoked = client.get(f"{investigation}/shares").json()["items"][0]["revoked"]
    answer = client.get(f"/api/v1/shared/{made['id']}/files", headers=token)
    assert answer.status_code == 410
    assert revoked[:10] in answer.json()["detail"]
    assert client.get(investigation).json()["share_count"] == 0


def test_an_expired_link_answers_410_with_the_date(
    client: httpx.Client, investigation: str, store: Store
) -> None:
    made = client.post(f"{investigation}/shares", json={}).json()
    token = open_link(client, made)
    with store.database.writing() as session:
        session.get_one(ShareRow, made["id"]).expires = "2020-02-03T00:00:00Z"
    answer = client.get(f"/api/v1/shared/{made['id']}/files", headers=token)
    assert answer.status_code == 410
    assert "2020-02-03" in answer.json()["detail"]


@pytest.mark.parametrize("days", [0, -1, 366])
def test_a_link_lives_at_least_a_day_and_at_most_a_year(
    client: httpx.Client, investigation: str, days: int
) -> None:
    assert client.post(f"{investigation}/shares", json={"expires_days": days}).status_code == 400


def test_a_links_password_has_so_many_wrong_guesses_and_not_one_more(
    client: httpx.Client, investigation: str
) -> None:
    made = client.post(f"{investigation}/shares", json={"password": "correct horse"}).json()
    session = f"/api/v1/shared/{made['id']}/session"
    wrong = {"secret": made["secret"], "password": "battery"}
    good = {**wrong, "password": "correct horse"}
    for _ in range(PASSWORD.per_address.wrong - 1):
        assert client.post(session, json=wrong).status_code == 403
    assert client.post(session, json=good).status_code == 200
    assert client.post(session, json=wrong).status_code == 403
    refused = client.post(session, json=good)
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) > 60
