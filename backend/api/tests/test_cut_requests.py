"""Clients that go away in the middle of a request: nothing stays of it, and nobody's log calls it a bug."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from backend.access.rules import RULES
from backend.api.app import create_app
from backend.api.tests.guarded_server import guarded_server, guarded_store
from backend.api.tests.in_process import ask
from backend.api.tests.others_things import DUMP, People, Things, people, things_of
from backend.storage.store import Store

CHANGING = sorted(route for route in RULES if route.partition(" ")[0] in ("POST", "PUT", "PATCH"))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder: Path = tmp_path_factory.mktemp("cut")
    with guarded_store(folder) as opened:
        yield opened


@pytest.fixture(scope="module")
def everybody(store: Store) -> Iterator[People]:
    with guarded_server(store) as address, people(store, address) as found:
        yield found


@pytest.fixture(scope="module")
def made(store: Store, everybody: People) -> Things:
    return things_of(store, everybody.actors["owner"])


@pytest.mark.promise("A request that its client cuts off leaves no bytes and no error in the log.")
@pytest.mark.parametrize("route", CHANGING)
async def test_a_request_that_is_cut_off(store: Store, everybody: People, made: Things, route: str) -> None:
    method, _, template = route.partition(" ")
    address = template.format(
        investigation_id=made.investigation,
        name="cut.txt",
        upload_id=made.upload.id,
        member_id="ab",
        token_id="ab",
        share_id=made.link.share.id,
    )
    cookie = {"cookie": everybody.clients["admin"].headers["cookie"]}
    tus = {
        "content-length": "30",
        "upload-length": "30",
        "upload-offset": "0",
        "upload-metadata": "filename bmV3LnR4dA==",
    }
    before = sorted(store.settings.blobs.rglob("*"))
    app = create_app(store)
    with capture_logs() as logged:
        # Nothing is raised, either: the server would write that into its log.
        reply = await ask(app, method, address, {**cookie, **tus}, DUMP[:10], cut=True)
    assert [each for each in logged if each["event"] == "bug"] == []
    assert reply.status < 500
    if "uploads" not in route:
        assert sorted(store.settings.blobs.rglob("*")) == before
