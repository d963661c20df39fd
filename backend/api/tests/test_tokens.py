"""Tokens on a server that only this machine reaches; with sign-in they are part of test_who_may and test_sign_in."""

from __future__ import annotations

import httpx
import pytest

TOKENS = "/api/v1/tokens"
LIST = "/api/v1/investigations"


def create(client: httpx.Client, scope: str) -> dict[str, str]:
    made = client.post(TOKENS, json={"name": f"nightly {scope}", "scope": scope, "expires_days": 7})
    assert made.status_code == 201
    found: dict[str, str] = made.json()
    return found


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_a_token_is_shown_once(client: httpx.Client) -> None:
    made = create(client, "upload")
    listed = client.get(TOKENS)
    assert made["token"].split("_", 2)[2] not in listed.text
    (item,) = listed.json()["items"]
    assert (item["name"], item["scope"], item["last_used"]) == ("nightly upload", "upload", None)
    client.get(LIST, headers=bearer(made["token"]))
    assert client.get(TOKENS).json()["items"][0]["last_used"] is not None


@pytest.mark.parametrize(
    ("scope", "statuses"),
    [("read", (200, 403, 403)), ("upload", (200, 201, 403)), ("admin", (200, 201, 200))],
)
def test_a_token_that_is_shown_counts_even_where_nobody_signs_in(
    client: httpx.Client, scope: str, statuses: tuple[int, int, int]
) -> None:
    headers = bearer(create(client, scope)["token"])
    assert (
        client.get(LIST, headers=headers).status_code,
        client.post(LIST, headers=headers, json={"label": "x"}).status_code,
        client.get(TOKENS, headers=headers).status_code,
    ) == statuses


def test_a_revoked_token_is_refused_and_an_address_is_no_place_for_one(client: httpx.Client) -> None:
    made = create(client, "read")
    assert client.delete(f"{TOKENS}/{made['id']}").status_code == 204
    refused = client.get(LIST, headers=bearer(made["token"]))
    assert (refused.status_code, "revoked" in refused.json()["detail"]) == (401, True)
    assert client.delete(f"{TOKENS}/{made['id']}").status_code == 404


@pytest.mark.parametrize(
    "options", [{}, {"name": "x", "scope": "all"}, {"name": " "}, {"name": "x", "expires_days": 0}]
)
def test_a_token_without_name_scope_or_end_is_not_made(client: httpx.Client, options: dict[str, str]) -> None:
    assert client.post(TOKENS, json=options).status_code in (400, 422)
    assert client.get(TOKENS).json()["items"] == []
