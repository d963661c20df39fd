"""Walks all routes of the API's description and asks each as every kind of caller."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from fastapi.routing import iter_route_contexts

from backend.access.manage_members import add_member
from backend.access.rights import Need, Role, Scope
from backend.access.rules import PAGE_RULES, RULES
from backend.api.app import create_app
from backend.api.tests.guarded_server import guarded_server, guarded_store, program, signed_in, visitor
from backend.storage.store import Store

EVERYBODY = {"stranger", "viewer", "analyst", "admin", "read token", "upload token", "admin token"}
MAY = {
    Need.OPEN: EVERYBODY,
    Need.READ: EVERYBODY - {"stranger"},
    Need.UPLOAD: {"analyst", "admin", "upload token", "admin token"},
    Need.SHARE: {"analyst", "admin", "admin token"},
    Need.DELETE: {"analyst", "admin", "admin token"},
    Need.ADMIN: {"admin", "admin token"},
}
"""What roles and scopes allow; whose things they are is tested in `test_whose_things`."""
REFUSALS = (
    "This server asks who you are",
    "Your role does not",
    "This token's scope does not",
)
STRANGERS_MAY_CHANGE = {
    "POST /api/v1/sign-in",
    "DELETE /api/v1/sign-in",
    "POST /api/v1/sign-in/provider",
    "POST /api/v1/shared/{share_id}/session",
}
LOOKS = {
    "POST /api/v1/investigations/{investigation_id}/looks",
    "DELETE /api/v1/investigations/{investigation_id}/looks/{look_id}",
}
"""Questions that take a while: they are asked and called off, and change no evidence."""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder: Path = tmp_path_factory.mktemp("guarded")
    with guarded_store(folder) as opened:
        yield opened


@pytest.fixture(scope="module")
def address(store: Store) -> Iterator[str]:
    with guarded_server(store) as running:
        yield running


@pytest.fixture(scope="module")
def callers(store: Store, address: str) -> Iterator[dict[str, httpx.Client]]:
    found = {"stranger": visitor(address), "admin": signed_in(address)}
    for role in (Role.VIEWER, Role.ANALYST):
        made = add_member(store, role, role)
        found[role] = signed_in(address, role, made.password)
    found |= {f"{scope} token": program(store, address, scope) for scope in Scope}
    yield found
    for client in found.values():
        client.close()


def routes(store: Store) -> set[str]:
    """Every route, as ``GET /healthz``."""
    found = iter_route_contexts(create_app(store).routes)
    return {f"{method} {route.path_format}" for route in found for method in (route.methods or ["?"])}


def test_every_route_has_a_decision_and_every_decision_a_route(store: Store) -> None:
    undecided = {"GET /api", "GET /api/{rest}", "HEAD /api/openapi.json"}
    assert routes(store) - undecided == {*RULES, *PAGE_RULES}, (
        "decide in backend/access/rules.py who may call it"
    )
    assert not undecided & {*RULES, *PAGE_RULES}


def test_strangers_change_nothing_and_viewers_only_read() -> None:
    changes = {route for route in RULES if not route.startswith(("GET ", "HEAD ", "OPTIONS "))}
    assert {route for route in changes if RULES[route].need is Need.OPEN} == STRANGERS_MAY_CHANGE
    assert {route for route in changes if RULES[route].need is Need.READ} == {
        *LOOKS,
        "PUT /api/v1/sign-in/password",
    }
    for word in ("members", "tokens"):
        assert {RULES[route].need for route in RULES if f"/{word}" in route} == {Need.ADMIN}
    open_reads = {route for route in set(RULES) - changes if RULES[route].need is Need.OPEN}
    assert {route for route in open_reads if "/shared/{share_id}/" not in route} == {
        "GET /healthz",
        "GET /readyz",
        "GET /api/v1/version",
        "GET /api/v1/sign-in",
        "GET /api/v1/sign-in/provider/callback",
        "GET /api/v1/collector",
        "GET /api/v1/causes",
        "GET /api/v1/detectors",
    }


@pytest.mark.parametrize("route", sorted(RULES))
def test_who_may_call_it(callers: dict[str, httpx.Client], route: str) -> None:
    method, _, template = route.partition(" ")
    path = re.sub(r"\{\w+\}", "ab", template)
    admitted = set()
    for name, client in callers.items():
        if route == "DELETE /api/v1/sign-in" and name != "stranger":
            admitted.add(name)  # tested apart: it would end the sign-in of this test
            continue
        answer = client.request(method, path)
        is_problem = answer.content and "problem+json" in answer.headers.get("content-type", "")
        detail = answer.json()["detail"] if is_problem else ""
        is_refused = answer.status_code in (401, 403) and (method == "HEAD" or detail.startswith(REFUSALS))
        assert is_refused or answer.status_code != 401
        if not is_refused:
            admitted.add(name)
    assert admitted == MAY[RULES[route].need]


@pytest.mark.parametrize("route", sorted(PAGE_RULES))
def test_head_of_a_page_is_answered_as_get_is(callers: dict[str, httpx.Client], route: str) -> None:
    path = re.sub(r"\{\w+\}", "ab", route.removeprefix("GET "))
    for client in (callers["stranger"], callers["admin"]):
        got, asked = client.get(path), client.head(path)
        assert (asked.status_code, asked.content) == (got.status_code, b"")
        assert got.status_code in (200, 404)
        for name in ("content-type", "cache-control"):
            assert asked.headers.get(name) == got.headers.get(name)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/v1/nothing"),
        ("GET", "/api/v1/investigations/"),
        ("GET", "/api"),
        ("GET", "/api/"),
        ("GET", "/api/v2/investigations"),
    ],
)
def test_what_nobody_decided_is_not_there(callers: dict[str, httpx.Client], method: str, path: str) -> None:
    assert callers["stranger"].request(method, path).status_code == 401
    assert callers["admin"].request(method, path).status_code == 404


@pytest.mark.parametrize("path", ["/api/v1/investigations", "/metrics", "/"])
def test_a_method_that_nobody_decided_changes_nothing(callers: dict[str, httpx.Client], path: str) -> None:
    assert callers["stranger"].put(path).status_code == 401
    assert callers["admin"].put(path).status_code == 405
