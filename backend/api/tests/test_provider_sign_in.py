"""Sign-in at a real OpenID Connect provider, a process of its own on loopback."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from backend.access.provider_settings import identity_provider
from backend.access.provider_sign_in import Attempt, ProviderSignIn
from backend.api.tests.guarded_server import guarded_server, guarded_store
from backend.errors import Unavailable
from backend.settings import Settings
from backend.storage.store import Store
from backend.storage.tables import MemberRow

SERVER = Path(__file__).parents[2] / "access" / "tests" / "oidc_server.mjs"
BEGIN, CALLBACK = "/api/v1/sign-in/provider", "/api/v1/sign-in/provider/callback"
HOST = "localhost:8000"
ADMINS = {"oidc_admins": "ann@example.org,group:sre", "oidc_analysts": "bob@example.org"}


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    node = shutil.which("node")
    if node is None or not (SERVER.parents[3] / "node_modules" / "oidc-provider").is_dir():
        pytest.skip("the provider needs node and `npm ci`")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = [node, str(SERVER), str(port), f"http://{HOST}{CALLBACK}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        assert any(line.startswith("ready") for line in process.stdout)
        yield f"http://127.0.0.1:{port}"
        process.terminate()


@pytest.fixture
def store(issuer: str, tmp_path: Path) -> Iterator[Store]:
    given = {"oidc_issuer": issuer, "oidc_client_id": "stallscope", "oidc_scopes": "openid email groups"}
    secret = {"oidc_client_secret": "a secret of the client", "admin_password": ""}
    with guarded_store(tmp_path, **given, **secret, **ADMINS) as opened:
        yield opened


@pytest.fixture
def browser(store: Store) -> Iterator[httpx.Client]:
    with (
        guarded_server(store) as address,
        httpx.Client(base_url=address, headers={"Host": HOST}, trust_env=False, timeout=120) as client,
    ):
        yield client


def sign_in_there(begun: str, name: str) -> str:
    """Sign in at the provider, agree, and give the address that it sends the browser back to."""
    with httpx.Client(trust_env=False, timeout=120) as there:
        answer = there.get(begun)
        for _ in range(12):
            if answer.is_redirect:
                target = str(answer.next_request.url) if answer.next_request else ""
                if urlsplit(target).netloc == HOST:
                    return target
                answer = there.get(target)
                continue
            form = re.search(r'action="([^"]+)"', answer.text)
            prompt = re.search(r'name="prompt" value="(\w+)"', answer.text)
            assert form is not None, answer.text
            assert prompt is not None, answer.text
            given = {"prompt": prompt[1], "login": name, "password": "any"}
            answer = there.post(answer.url.join(form[1]), data=given)
    raise AssertionError("the provider never came back")


def come_back(browser: httpx.Client, target: str) -> httpx.Response:
    parts = urlsplit(target)
    return browser.get(f"{parts.path}?{parts.query}")


def sign_in(browser: httpx.Client, name: str, return_to: str = "/i/ab?w=1.5~2") -> httpx.Response:
    begun = browser.post(BEGIN, json={"return_to": return_to}).raise_for_status().json()["address"]
    return come_back(browser, sign_in_there(begun, name))


@pytest.mark.parametrize(("name", "role"), [("ann", "admin"), ("gina", "admin"), ("bob", "analyst")])
def test_a_person_signs_in_with_the_role_of_the_settings(browser: httpx.Client, name: str, role: str) -> None:
    back = sign_in(browser, name)
    assert (back.status_code, back.headers["location"]) == (303, "/i/ab?w=1.5~2")
    who = browser.get("/api/v1/sign-in").json()
    assert (who["kind"], who["name"], who["role"]) == ("member", f"{name}@example.org", role)
    assert browser.delete("/api/v1/sign-in").status_code == 204
    assert browser.get("/api/v1/investigations").status_code == 401


@pytest.mark.parametrize("name", ["eve", "mallory"])
def test_who_has_no_role_or_an_unverified_address_stays_out(
    browser: httpx.Client, store: Store, name: str
) -> None:
    assert sign_in(browser, name).headers["location"] == "/?refused=not-allowed"
    assert browser.get("/api/v1/investigations").status_code == 401
    with store.database.reading() as session:
        assert session.query(MemberRow).count() == 0


def test_a_blocked_member_stays_out_and_the_same_person_is_the_same_member(
    browser: httpx.Client, store: Store
) -> None:
    sign_in(browser, "ann")
    sign_in(browser, "ann")
    with store.database.writing() as session:
        session.query(MemberRow).one().blocked = True
    assert sign_in(browser, "ann").headers["location"] == "/?refused=blocked"


def test_the_request_has_pkce_state_and_nonce(browser: httpx.Client) -> None:
    begun = browser.post(BEGIN, json={})
    asked = parse_qs(urlsplit(begun.json()["address"]).query)
    assert asked["response_type"] == ["code"]
    assert asked["code_challenge_method"] == ["S256"]
    assert {"state", "nonce", "code_challenge"} <= set(asked)
    assert {"HttpOnly", "SameSite=Lax"} <= set(begun.headers["set-cookie"].split("; "))
    again = parse_qs(urlsplit(browser.post(BEGIN, json={}).json()["address"]).query)
    assert all(again[name] != asked[name] for name in ("state", "nonce", "code_challenge"))


@pytest.mark.parametrize("broken", ["state", "code", "iss"])
def test_an_answer_that_was_changed_signs_nobody_in(browser: httpx.Client, broken: str) -> None:
    target = sign_in_there(browser.post(BEGIN, json={}).json()["address"], "ann")
    changed = re.sub(rf"([?&]{broken}=)[^&]+", r"\1http%3A%2F%2Fevil.example", target)
    assert changed != target
    assert come_back(browser, changed).headers["location"] == "/?refused=failed"
    assert browser.get("/api/v1/investigations").status_code == 401


@pytest.mark.parametrize("place", [0, 1, 2])
def test_an_attempt_belongs_to_the_browser_that_began_it(browser: httpx.Client, place: int) -> None:
    """State (forged sign-in), nonce (an ID token of another attempt) and verifier (a stolen code)."""
    target = sign_in_there(browser.post(BEGIN, json={}).json()["address"], "ann")
    kept = browser.cookies["stallscope_attempt"].split(".", 3)
    kept[place] = "x" * len(kept[place])
    browser.cookies.clear()
    parts = urlsplit(target)
    stolen = browser.get(
        f"{parts.path}?{parts.query}", headers={"Cookie": f"stallscope_attempt={'.'.join(kept)}"}
    )
    assert stolen.headers["location"] == "/?refused=failed"
    assert come_back(browser, target).headers["location"] == "/?refused=stale"


@pytest.mark.parametrize(
    "path", ["//evil.example", "/\\evil.example", "https://evil.example", "", "/a\r\nX: y"]
)
def test_one_comes_back_to_this_server_alone(browser: httpx.Client, path: str) -> None:
    assert sign_in(browser, "ann", return_to=path).headers["location"] == "/"


def test_a_provider_that_is_away_is_told(tmp_path: Path) -> None:
    given = {"oidc_issuer": "http://127.0.0.1:9", "oidc_client_id": "x", "oidc_client_secret": "x"}
    with (
        guarded_store(tmp_path, **given, **ADMINS) as store,
        guarded_server(store) as address,
        httpx.Client(base_url=address, headers={"Host": HOST}, trust_env=False, timeout=120) as client,
    ):
        answer = client.post(BEGIN, json={})
        assert (answer.status_code, "does not answer" in answer.json()["detail"]) == (503, True)
        assert client.get("/api/v1/sign-in").json()["provider"] == "127.0.0.1:9"


def test_a_provider_that_hangs_holds_one_thread_at_most(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        issuer = f"http://127.0.0.1:{silent.getsockname()[1]}"
        given = {"oidc_issuer": issuer, "oidc_client_id": "x", "oidc_client_secret": "x", **ADMINS}
        provider = identity_provider(Settings.model_validate({"host": "0.0.0.0", **given}))
        assert provider is not None
        talk = ProviderSignIn(provider)
        refused: list[str] = []

        def begin() -> None:
            try:
                talk.address(Attempt.new(), "http://localhost:8000/")
            except Unavailable as error:
                refused.append(error.sentence)

        threads = [threading.Thread(target=begin) for _ in range(5)]
        for thread in threads:
            thread.start()
        connection, _ = silent.accept()
        deadline = time.monotonic() + 30
        while len(refused) < 4 and time.monotonic() < deadline:
            time.sleep(0.01)
        connection.close()
        for thread in threads:
            thread.join()
        assert [sentence for sentence in refused if "not answered yet" in sentence] == refused[:4]
        assert len(refused) == 5
