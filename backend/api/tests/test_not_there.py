"""What somebody else has is answered like what never was: every route with an id, every kind of caller."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from backend.access.rights import ROLE_GIVES, SCOPE_GIVES, Need, Role, Scope
from backend.access.rules import PAGE_RULES, RULES
from backend.api.app import create_app
from backend.api.event_broadcaster import EventBroadcaster
from backend.api.tests.guarded_server import guarded_server, guarded_store
from backend.api.tests.in_process import Reply, ask
from backend.api.tests.others_things import Things, people, things_of
from backend.services.share_investigation import (
    NewShare,
    ShareOptions,
    begin_session,
    revoke_share,
    share_investigation,
)
from backend.storage import members
from backend.storage.store import Store
from backend.storage.tables import ShareRow

PARAMETER = re.compile(r"\{(\w+)\}")
NO_ID = "0123456789abcdef01234567"
NONCE = re.compile(r'(nonce(?:-|="|" content="))[\w-]{22}')
SESSION = "POST /api/v1/shared/{share_id}/session"
BODIES: dict[str, Any] = {
    SESSION: {"secret": "wrong", "password": "wrong"},
    "PATCH /api/v1/investigations/{investigation_id}": {"label": "x"},
    "POST /api/v1/investigations/{investigation_id}/notes": {"text": "seen"},
    "POST /api/v1/investigations/{investigation_id}/texts": {"text": "cpu=0 found=1 insert_failed=3"},
    "POST /api/v1/investigations/{investigation_id}/shares": {"expires_days": 1},
    "POST /api/v1/investigations/{investigation_id}/comparisons": {"base": "latest:none"},
    "PATCH /api/v1/members/{member_id}": {"blocked": True},
}
MAY = {
    "stranger": frozenset({Need.OPEN}),
    "link": frozenset({Need.OPEN}),
    "owner": ROLE_GIVES[Role.ANALYST],
    "other": ROLE_GIVES[Role.ANALYST],
    "viewer": ROLE_GIVES[Role.VIEWER],
    "admin": ROLE_GIVES[Role.ADMIN],
    "maker": SCOPE_GIVES[Scope.UPLOAD],
    "read token": SCOPE_GIVES[Scope.READ],
    "admin token": SCOPE_GIVES[Scope.ADMIN],
}
SEES = {"investigation_id": Need.READ, "member_id": Need.ADMIN, "token_id": Need.ADMIN}
"""Who has that is shown all of them, and so learns nothing from a refusal."""


@dataclass(frozen=True)
class Case:
    """One server, an investigation, and what belongs elsewhere."""

    store: Store
    app: FastAPI
    own: Things
    headers: dict[str, dict[str, str]]
    """Of each kind of caller."""
    elsewhere: dict[str, list[str]]
    """Path parameter -> ids that there are, and that are not part of the investigation."""
    links: list[str]
    """Ids of links that nobody here has opened."""


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Case]:
    folder: Path = tmp_path_factory.mktemp("not-there")
    with guarded_store(folder) as store, guarded_server(store) as address, people(store, address) as found:
        own, others = (things_of(store, found.actors[name]) for name in ("owner", "other"))
        headers = {
            name: {
                header: value
                for header, value in client.headers.items()
                if header in ("cookie", "authorization")
            }
            for name, client in found.clients.items()
        }
        headers["link"] = {"x-stallscope-share": _session(store, own.link)}
        app = create_app(store)
        app.state.broadcaster = EventBroadcaster(store)
        with store.database.reading() as session:
            member = members.find_member(session, "", "viewer")
        assert member is not None
        links = _links(store, others.investigation)
        elsewhere = {
            "investigation_id": [others.investigation],
            "file_id": [others.file.id, others.upload.id],
            "upload_id": [others.upload.id, others.file.id],
            "note_id": [others.note],
            "look_id": [others.look],
            "comparison_id": [others.comparison],
            "share_id": [others.link.share.id, *links],
            "member_id": [member.id],
            "token_id": [found.actors["read token"].id],
        }
        yield Case(store, app, own, headers, elsewhere, [others.link.share.id, *links])


def _session(store: Store, link: NewShare) -> str:
    return begin_session(store, link.share.id, link.secret, None)[1]


def _links(store: Store, investigation: str) -> list[str]:
    wishes = {
        "closed": ShareOptions(1),
        "ended": ShareOptions(1),
        "guarded": ShareOptions(1, password="correct horse"),
    }
    made = {
        kind: share_investigation(store, investigation, options).share.id for kind, options in wishes.items()
    }
    revoke_share(store, investigation, made["closed"])
    with store.database.writing() as session:
        row = session.get(ShareRow, made["ended"])
        assert row is not None
        row.expires = "2026-01-01T00:00:00Z"
    return list(made.values())


def _own_values(own: Things) -> dict[str, str]:
    return {
        "investigation_id": own.investigation,
        "file_id": own.file.id,
        "upload_id": own.upload.id,
        "note_id": own.note,
        "look_id": own.look,
        "comparison_id": own.comparison,
        "share_id": own.link.share.id,
    }


async def _told(case: Case, route: str, caller: str, values: dict[str, str], secret: str) -> tuple[Any, ...]:
    """The answer, without the id that was asked for."""
    method, _, template = route.partition(" ")
    address = PARAMETER.sub(lambda found: values.get(found[1], "1"), template)
    body = json.dumps(BODIES[route]).encode() if route in BODIES else b""
    # So many wrong guesses would be refused unheard.
    case.app.state.limiter.__init__()
    reply: Reply = await ask(case.app, method, address, case.headers[caller], body)
    headers = [(name, NONCE.sub(r"\1", value).replace(secret, "ID")) for name, value in reply.headers]
    return reply.status, NONCE.sub(r"\1", reply.text).replace(secret, "ID"), headers


@pytest.mark.promise("Nobody learns whether an id exists that is not theirs to see.")
@pytest.mark.parametrize("caller", MAY)
async def test_what_is_not_yours_is_answered_like_what_never_was(case: Case, caller: str) -> None:
    compared = 0
    for route in {**RULES, **PAGE_RULES}:
        if route.startswith("GET /s/") and caller != "stranger":
            continue
        for name in PARAMETER.findall(route):
            if name not in case.elsewhere or SEES.get(name) in MAY[caller]:
                continue
            for exists in case.elsewhere[name]:
                absent = NO_ID[: len(exists)]
                asked = _own_values(case.own)
                told = await _told(case, route, caller, {**asked, name: exists}, exists)
                never = await _told(case, route, caller, {**asked, name: absent}, absent)
                assert told == never, (route, name)
                compared += 1
    assert compared > 60


async def test_the_comparison_would_find_a_difference(case: Case) -> None:
    """Of one's own file and of none."""
    route = "GET /api/v1/investigations/{investigation_id}/files/{file_id}"
    values = _own_values(case.own)
    told = await _told(case, route, "viewer", values, case.own.file.id)
    assert told != await _told(case, route, "viewer", {**values, "file_id": NO_ID[:16]}, NO_ID[:16])
