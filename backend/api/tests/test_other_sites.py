"""Another site makes the browser of somebody who is signed in ask: nothing is changed, whatever the route."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from backend.api.tests.guarded_server import HOST, guarded_server, guarded_store, signed_in

UNSAFE = ("post", "put", "patch", "delete")
FOREIGN: tuple[dict[str, str], ...] = (
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": f"http://{HOST}.evil.example"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Origin": f"http://{HOST}", "Sec-Fetch-Site": "cross-site"},
)


@pytest.fixture
def admin(tmp_path: Path) -> Iterator[httpx.Client]:
    with guarded_store(tmp_path) as store, guarded_server(store) as address, signed_in(address) as client:
        yield client


def test_no_route_that_changes_something_hears_another_site(admin: httpx.Client) -> None:
    told = admin.get("/api/openapi.json").json()["paths"]
    routes = [(method, path) for path, methods in told.items() for method in methods if method in UNSAFE]
    assert len(routes) > 20
    heard = []
    for number, (method, path) in enumerate(routes):
        address = path.replace("{investigation_id}", "a" * 16).replace("{", "").replace("}", "")
        headers = {**FOREIGN[number % len(FOREIGN)], "Content-Type": "text/plain"}  # what a form may send
        status = admin.request(method, address, content=b'{"label": "forged"}', headers=headers).status_code
        if status != 403:
            heard.append((method, path, status))
    assert heard == []
    assert admin.get("/api/v1/investigations").json()["items"] == []


@pytest.mark.parametrize("foreign", FOREIGN, ids=str)
def test_only_the_own_page_makes_an_investigation(admin: httpx.Client, foreign: dict[str, str]) -> None:
    made = admin.post("/api/v1/investigations", json={"label": "forged"}, headers=foreign)
    assert made.status_code == 403
    own = {"Origin": f"http://{HOST}", "Sec-Fetch-Site": "same-origin"}
    assert admin.post("/api/v1/investigations", json={"label": "own"}, headers=own).status_code == 201


def test_a_form_cannot_pretend_to_be_json(admin: httpx.Client) -> None:
    """Even where a browser forgot to say whence it asks."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        made = admin.post(
            "/api/v1/investigations", content=b'{"label": "forged"}', headers={"Content-Type": kind}
        )
        assert made.status_code in (403, 415, 422)
    assert admin.get("/api/v1/investigations").json()["items"] == []
