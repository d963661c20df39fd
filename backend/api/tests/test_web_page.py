from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest

from backend.api import web_page


@pytest.fixture(autouse=True)
def built_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "web"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><meta name='csp-nonce' content='__CSP_NONCE__'>page")
    (folder / "assets" / "index-4f2a.js").write_text("1")
    (folder / "icon.svg").write_text("<svg/>")
    (tmp_path / "secret.txt").write_text("secret")
    monkeypatch.setattr(web_page, "page_folder", lambda: folder)
    return folder


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/new",
        "/compare",
        "/i/0123/timeline",
        "/i/0123/connections/15",
        "/i/0123/findings/dns-delay-1",
        "/i/0123/",
        "/s/ab12",
    ],
)
def test_every_address_of_the_interface_is_the_page(client: httpx.Client, path: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-cache")
    assert answer.text.endswith("page")


@pytest.mark.parametrize(
    "path",
    [
        "/nowhere",
        "/settings/x",
        "/i/",
        "/i/a b",
        "/i/0123/nothing",
        "/i/0123/timeline/x",
        "/i/0123/connections/abc",
        "/i/" + "a" * 65,
        "/i/../x",
        "/api2",
        "/i/%00",
        "/i/0123/%0a",
        "/%85",
    ],
)
def test_a_browser_at_any_other_address_gets_the_page_that_says_so(client: httpx.Client, path: str) -> None:
    answer = client.get(path, headers={"Accept": "text/html,*/*;q=0.8"})
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.text.endswith("page")


@pytest.mark.parametrize("path", ["/i/%00", "/api/%00", "/api/v1/investigations/%00"])
def test_a_program_at_an_address_with_control_characters_gets_a_problem(
    client: httpx.Client, path: str
) -> None:
    for accept in ("*/*", "text/html") if path.startswith("/api") else ("*/*",):
        answer = client.get(path, headers={"Accept": accept})
        assert (answer.status_code, answer.headers["content-type"]) == (400, "application/problem+json")


def test_a_program_at_an_unknown_address_gets_a_problem(client: httpx.Client) -> None:
    answer = client.get("/nowhere", headers={"Accept": "*/*"})
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")


def test_styles_need_the_nonce_of_this_very_answer(client: httpx.Client) -> None:
    nonces = set()
    for _ in range(2):
        answer = client.get("/")
        found = re.search(r"content='([^']+)'", answer.text)
        assert found is not None
        assert f"style-src 'self' 'nonce-{found.group(1)}'" in answer.headers["content-security-policy"]
        assert "script-src 'self';" in answer.headers["content-security-policy"]
        nonces.add(found.group(1))
    assert len(nonces) == 2


def test_files_with_a_hash_in_their_name_are_kept_for_ever(client: httpx.Client) -> None:
    assert "immutable" in client.get("/assets/index-4f2a.js").headers["cache-control"]
    assert client.get("/icon.svg").headers["cache-control"] == "no-cache"


@pytest.mark.parametrize(
    "path", ["/../secret.txt", "/%2e%2e/secret.txt", "/assets/..%2f..%2fsecret.txt", "/missing.js"]
)
def test_nothing_outside_the_page_is_served(client: httpx.Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert "secret" not in answer.text


def test_without_a_built_page_it_says_how_to_build_one(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(web_page, "page_folder", lambda: tmp_path / "nowhere")
    assert "make build" in client.get("/").text


@pytest.mark.parametrize("path", ["a" * 300, "a/" * 3000, "b" * 9000, "assets", "icon.svg/", "~", "*"])
def test_an_address_is_looked_for_and_never_opened(client: httpx.Client, path: str) -> None:
    assert client.get(f"/{path}").status_code == 404
