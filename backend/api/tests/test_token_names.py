"""Who has no right to the list of tokens learns no name of one, wherever its work is shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from backend.access.rights import Need, Scope
from backend.access.rules import RULES
from backend.access.tokens import issue_token
from backend.api.share_session import SHARE_HEADER
from backend.api.tests.guarded_server import guarded_server, guarded_store, visitor
from backend.api.tests.others_things import DUMP, People, Things, people, things_of
from backend.services.share_investigation import begin_session
from backend.storage.acting import Actor
from backend.storage.store import Store

NAME = "deploy key of team Kraken"
ADMINS = {"admin", "admin token"}
AUTHORS = "GET /api/v1/investigations/{investigation_id}/notes"
"""Who wrote a note is shown to those who may read it: a member's name, or that of a token."""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder: Path = tmp_path_factory.mktemp("names")
    with guarded_store(folder) as opened:
        yield opened


@pytest.fixture(scope="module")
def everybody(store: Store) -> Iterator[People]:
    with guarded_server(store) as address, people(store, address) as found:
        yield found


@pytest.fixture(scope="module")
def made(store: Store, everybody: People) -> Things:
    """Some by the service, and, as programs do it, over HTTP."""
    admin = everybody.actors["maker"].member_id
    token = issue_token(store, NAME, Scope.UPLOAD, expires_days=1, member_id=admin)
    found = things_of(store, Actor("token", token.token.id, NAME, "", admin))
    with visitor(str(everybody.clients["admin"].base_url), Authorization=f"Bearer {token.text}") as program:
        program.put(f"{found.address}/files/b.txt", content=DUMP).raise_for_status()
        program.post(f"{found.address}/notes", json={"text": "seen"}).raise_for_status()
    return found


def shown(client: httpx.Client, address: str) -> str:
    """An answer with its headers; of a stream the first event."""
    with client.stream("GET", address) as answer:
        if "event-stream" in answer.headers.get("content-type", ""):
            return next(line for line in answer.iter_lines() if line.startswith("data"))
        return f"{answer.read().decode('utf-8', 'replace')} {answer.headers}"


@pytest.mark.promise(
    "Names of access tokens are shown to those alone who may list tokens, but of authors of notes."
)
@pytest.mark.parametrize("route", sorted(route for route in RULES if route.startswith("GET ")))
def test_no_answer_names_the_token_that_made_something(
    store: Store, everybody: People, made: Things, route: str
) -> None:
    values = {
        "investigation_id": made.investigation,
        "file_id": made.file.id,
        "look_id": made.look,
        "share_id": made.link.share.id,
        "number": "1",
    }
    address = re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], "ab"), route.removeprefix("GET "))
    for caller, client in everybody.clients.items():
        if caller in ADMINS or (route == AUTHORS and caller != "stranger"):
            continue
        text = shown(client, address)
        assert "Kraken" not in text, (caller, text)
    link = begin_session(store, made.link.share.id, made.link.secret, None)[1]
    with visitor(str(everybody.clients["stranger"].base_url), **{SHARE_HEADER: link}) as client:
        assert "Kraken" not in shown(client, address)


def test_the_name_is_there_for_those_who_may_list_tokens(everybody: People, made: Things) -> None:
    del made
    assert {Need.ADMIN} == {RULES[route].need for route in RULES if "/tokens" in route}
    for caller in ADMINS:
        assert NAME in everybody.clients[caller].get("/api/v1/tokens").text
        assert NAME in everybody.clients[caller].get("/api/v1/audit/download").text
