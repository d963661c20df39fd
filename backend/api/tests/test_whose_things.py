"""Every route that changes something, asked by every kind of caller for what an analyst or a token has made."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

from backend.access.rights import Need, Whose
from backend.access.rules import RULES, SAFE_METHODS, Ask, check_table
from backend.api.tests.guarded_server import guarded_server, guarded_store
from backend.api.tests.others_things import DUMP, OTHER_DUMP, People, Things, people, things_of
from backend.storage.looks import LookFolder, LookOutcome
from backend.storage.records import FileKind
from backend.storage.store import Store

OWN = "/api/v1/investigations/{investigation_id}"
UPLOAD = {"Upload-Length": "30", "Upload-Metadata": "filename bmV3LnR4dA=="}
PIECE = {"Upload-Offset": "0", "Content-Type": "application/offset+octet-stream"}
ASKED: dict[str, dict[str, Any]] = {
    f"PATCH {OWN}": {"json": {"label": "taken over"}},
    f"DELETE {OWN}": {},
    f"POST {OWN}/analyses": {},
    f"POST {OWN}/cancel": {},
    f"PUT {OWN}/files/{{name}}": {"content": OTHER_DUMP},
    f"POST {OWN}/texts": {"json": {"text": OTHER_DUMP.decode()}},
    f"DELETE {OWN}/files/{{file_id}}": {},
    f"POST {OWN}/uploads": {"headers": UPLOAD},
    f"HEAD {OWN}/uploads/{{upload_id}}": {},
    f"PATCH {OWN}/uploads/{{upload_id}}": {"headers": PIECE, "content": DUMP},
    f"DELETE {OWN}/uploads/{{upload_id}}": {},
    f"DELETE {OWN}/looks/{{look_id}}": {},
    f"POST {OWN}/comparisons": {"json": {"base": "latest:none"}},
    f"POST {OWN}/notes": {"json": {"text": "seen"}},
    f"DELETE {OWN}/notes/{{note_id}}": {},
    f"GET {OWN}/shares": {},
    f"POST {OWN}/shares": {"json": {"expires_days": 1}},
    f"DELETE {OWN}/shares/{{share_id}}": {},
}
"""The request that would do it."""
CALLERS = (
    "owner",
    "other",
    "viewer",
    "admin",
    "maker",
    "other token",
    "read token",
    "admin token",
    "link",
    "stranger",
)
ADMINS = {"admin", "admin token"}
MAY: dict[tuple[str, Whose], set[str]] = {
    ("owner", Whose.INVESTIGATION): {"owner"},
    ("owner", Whose.FILE): {"owner"},
    ("owner", Whose.NOTE): {"owner"},
    ("owner", Whose.DISSECTION): {"owner"},
    ("owner", Whose.ADDED): {"owner", "other"},
    ("maker", Whose.INVESTIGATION): {"maker"},
    ("maker", Whose.FILE): {"maker"},
    ("maker", Whose.NOTE): {"maker"},
    ("maker", Whose.DISSECTION): {"maker"},
    ("maker", Whose.ADDED): {"maker", "owner", "other"},
}
"""Besides admins: by who made it and what is touched."""
SCOPE_LACKS = {Need.SHARE: {"maker"}, Need.DELETE: {"maker"}}
NEVER_ASKED = (Whose.NOBODYS, Whose.SERVERS, Whose.ORIGINAL, Whose.EXTRACT, None)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder: Path = tmp_path_factory.mktemp("whose")
    with guarded_store(folder) as opened:
        yield opened


@pytest.fixture(scope="module")
def everybody(store: Store) -> Iterator[People]:
    with guarded_server(store) as address, people(store, address) as found:
        yield found


def ask(everybody: People, caller: str, route: str, made: Things, name: str = "stats.txt") -> int:
    method, _, template = route.partition(" ")
    path = template.format(
        investigation_id=made.investigation,
        file_id=made.file.id,
        upload_id=made.upload.id,
        note_id=made.note,
        share_id=made.link.share.id,
        look_id=made.look,
        name=name,
    )
    request = dict(ASKED[route])
    if caller == "link":
        secret = {"X-Stallscope-Share": made.link.secret}
        request["headers"] = {**request.get("headers", {}), **secret}
    client = everybody.clients["stranger" if caller == "link" else caller]
    return client.request(method, path, **request).status_code


def test_the_matrix_asks_every_route_that_touches_what_somebody_made() -> None:
    touching = {route for route, asked in RULES.items() if asked.whose not in NEVER_ASKED}
    assert set(ASKED) == touching
    changing = {route for route in RULES if route.partition(" ")[0] not in SAFE_METHODS}
    for route in changing - touching:
        names_a_thing = "{investigation_id}/" in route or route.endswith("{investigation_id}")
        assert not names_a_thing or route == f"POST {OWN}/looks", "say in RULES whose thing it changes"


def test_a_route_without_a_declared_owner_is_no_rule() -> None:
    with pytest.raises(AssertionError, match="whose thing"):
        check_table({f"POST {OWN}/moves": Ask(Need.UPLOAD)})
    check_table({f"GET {OWN}/moves": Ask(Need.READ)})


@pytest.mark.promise("Nobody but its owner or an admin changes, shares or deletes what somebody has made")
@pytest.mark.parametrize("maker", ["owner", "maker"])
@pytest.mark.parametrize("route", sorted(ASKED))
def test_only_owners_and_admins_change_what_somebody_made(
    store: Store, everybody: People, route: str, maker: Literal["owner", "maker"]
) -> None:
    rule = RULES[route]
    assert rule.whose is not None
    expected = ADMINS | (MAY[maker, rule.whose] - SCOPE_LACKS.get(rule.need, set()))
    made = things_of(store, everybody.actors[maker])
    admitted = set()
    for caller in CALLERS:
        status = ask(everybody, caller, route, made)
        assert status < 500, caller
        if status not in (401, 403):
            admitted.add(caller)
            made = things_of(store, everybody.actors[maker])
    assert admitted == expected


@pytest.mark.promise("A token replaces only files that it uploaded itself")
def test_other_bytes_under_a_taken_name_are_refused(store: Store, everybody: People) -> None:
    made = things_of(store, everybody.actors["maker"])
    path = f"{made.address}/files/admins.txt"
    assert everybody.clients["admin"].put(path, content=DUMP).status_code == 201
    maker = everybody.clients["maker"]
    assert maker.put(path, content=DUMP).status_code == 201, "the same bytes change nothing"
    refused = maker.put(path, content=OTHER_DUMP)
    assert refused.status_code == 409, refused.text
    assert "admins.txt" in refused.json()["detail"]
    kept = maker.get(path).json()
    assert kept["size_bytes"] == len(DUMP)
    assert {file["name"] for file in maker.get(f"{made.address}/progress").json()["files"]} == {
        "stats.txt",
        "half.txt",
        "admins.txt",
    }
    assert maker.put(f"{made.address}/files/stats.txt", content=OTHER_DUMP).status_code == 201
    assert everybody.clients["admin"].put(path, content=OTHER_DUMP).status_code == 201


def test_analysts_take_back_their_own_notes_alone(store: Store, everybody: People) -> None:
    made = things_of(store, everybody.actors["owner"])
    other, owner = everybody.clients["other"], everybody.clients["owner"]
    written = [other.post(f"{made.address}/notes", json={"text": "mine"}).json() for _ in range(2)]
    assert {note["author"] for note in written} == {"other"}
    mine, removed = (note["id"] for note in written)
    assert other.delete(f"{made.address}/notes/{made.note}").status_code == 403
    assert other.delete(f"{made.address}/notes/{mine}").status_code == 204
    assert owner.delete(f"{made.address}/notes/{removed}").status_code == 204


@pytest.mark.parametrize("maker", ["owner", "maker"])
def test_the_page_is_told_what_the_caller_may(store: Store, everybody: People, maker: str) -> None:
    made = things_of(store, everybody.actors[maker])
    everything = ["change", "share", "delete", "download"]
    expected = {caller: everything if caller in ADMINS else [] for caller in everybody.clients}
    expected[maker] = everything if maker == "owner" else ["change", "download"]
    for caller, client in everybody.clients.items():
        if caller == "stranger":
            continue
        assert client.get(made.address).json()["may"] == expected[caller], caller
        notes = client.get(f"{made.address}/notes").json()["items"]
        assert [note["may_delete"] for note in notes] == ["change" in expected[caller]], caller


def test_a_dissection_that_two_wait_for_goes_on_when_one_does_not(store: Store, everybody: People) -> None:
    made = things_of(store, everybody.actors["owner"])
    folder = LookFolder(store.investigation_folder(made.investigation), made.look)
    folder.note_asker(everybody.actors["viewer"].key)
    path = f"{made.address}/looks/{made.look}"
    assert everybody.clients["other"].delete(path).status_code == 403
    assert everybody.clients["viewer"].delete(path).status_code == 204
    assert not folder.is_cancelled
    assert everybody.clients["viewer"].delete(path).status_code == 403
    assert everybody.clients["owner"].delete(path).status_code == 204
    assert folder.is_cancelled


BYTES = ("content", "extract")


def bytes_of(everybody: People, caller: str, what: str, made: Things) -> Any:
    path = f"/files/{made.file.id}/content" if what == "content" else f"/looks/{made.look}/content"
    return everybody.clients[caller].get(made.address + path, params={"credentials": "accept"})


@pytest.mark.promise(
    "An original that holds credentials goes to its owner or an admin alone, never to a read token"
)
@pytest.mark.parametrize("what", BYTES)
@pytest.mark.parametrize("maker", ["owner", "maker"])
def test_who_gets_bytes_of_an_original(store: Store, everybody: People, maker: str, what: str) -> None:
    cases: list[tuple[FileKind, bool, bool]] = [
        ("capture", True, True), ("capture", False, False), ("bundle", False, True)
    ]  # fmt: skip
    for kind, marked, hidden in cases:
        made = things_of(store, everybody.actors[maker], kind=kind, holds_credentials=marked)
        folder = LookFolder(store.investigation_folder(made.investigation), made.look)
        folder.carved.write_bytes(DUMP)
        folder.finish(LookOutcome("done"))
        for caller in everybody.clients:
            answer = bytes_of(everybody, caller, what, made)
            may = caller != "stranger" and (not hidden or caller in ADMINS | {maker})
            assert answer.status_code == (200 if may else 401 if caller == "stranger" else 403), (
                caller,
                kind,
            )
            assert (answer.content == DUMP) is may


def test_what_is_not_decoded_yet_is_kept_like_what_holds_credentials(store: Store, everybody: People) -> None:
    made = things_of(store, everybody.actors["owner"])
    path = f"{made.address}/files/new.txt"
    assert everybody.clients["owner"].put(path, content=DUMP).status_code == 201
    assert everybody.clients["owner"].get(f"{path}/content").content == DUMP
    for caller in ("viewer", "other", "maker", "read token"):
        assert everybody.clients[caller].get(f"{path}/content").status_code == 403


@pytest.mark.promise("An original that holds credentials is handed out only after its warning was accepted")
def test_the_warning_comes_first_for_everybody_who_may(store: Store, everybody: People) -> None:
    made = things_of(store, everybody.actors["owner"], kind="capture", holds_credentials=True)
    path = f"{made.address}/files/{made.file.id}/content"
    for caller in ("owner", "admin", "admin token"):
        for headers in ({}, {"Range": "bytes=0-3"}):
            warned = everybody.clients[caller].get(path, headers=headers)
            assert warned.status_code == 409
            assert DUMP[:4] not in warned.content
        assert everybody.clients[caller].head(path, params={"credentials": "accept"}).status_code == 405


def test_an_extract_ends_when_its_capture_turns_out_to_hold_credentials(
    store: Store, everybody: People
) -> None:
    made = things_of(store, everybody.actors["owner"], kind="capture", holds_credentials=True)
    folder = LookFolder(store.investigation_folder(made.investigation), made.look)
    asked = folder.read().request
    unmarked = asked.__class__(
        "carving", (asked.files[0].__class__(made.file.id, "a", made.file.sha256, False),)
    )
    folder.begin(unmarked, 2)
    folder.carved.write_bytes(b"raw")
    folder.finish(LookOutcome("done"))
    assert bytes_of(everybody, "viewer", "extract", made).status_code == 403
    assert bytes_of(everybody, "owner", "extract", made).status_code == 410


@pytest.mark.promise("An Idempotency-Key answers the caller alone who used it first")
def test_keys_of_repeated_requests_are_each_callers_own(everybody: People) -> None:
    headers = {"Idempotency-Key": "the same"}
    path = "/api/v1/investigations"
    made = {
        caller: everybody.clients[caller].post(path, json={"label": "one"}, headers=headers).json()["id"]
        for caller in ("owner", "other", "admin", "maker", "other token")
    }
    assert len(set(made.values())) == len(made)
    for caller, first in made.items():
        client = everybody.clients[caller]
        assert client.post(path, json={"label": "one"}, headers=headers).json()["id"] == first
        for body in ({"label": "two"}, {"label": "one", "source": "ci"}):
            assert client.post(path, json=body, headers=headers).status_code == 422
        demo = client.post("/api/v1/demo", json={"name": "none"}, headers=headers)
        assert demo.status_code == 404, "another route: nothing of the first answer"
