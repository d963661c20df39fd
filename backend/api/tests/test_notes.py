from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from backend.access.manage_members import add_member
from backend.access.rights import Role
from backend.api.tests.guarded_server import guarded_server, guarded_store, signed_in
from backend.services.write_notes import MOST_NOTES
from backend.storage import notes
from backend.storage.notes import NewNote
from backend.storage.store import Store


@pytest.fixture
def investigation(client: httpx.Client) -> str:
    return str(client.post("/api/v1/investigations", json={"label": "noted"}).headers["location"])


def test_a_note_is_kept_as_it_was_written_until_it_is_deleted(
    client: httpx.Client, investigation: str
) -> None:
    address = f"{investigation}/notes"
    text = "  <b>eth0</b> was replaced here\nask the network team \u2691 "
    given = {"text": text, "author": "ann", "from": 1_025_000_000, "to": 2**53 - 1, "lane": "a.pcap#0"}
    made = client.post(address, json=given)
    assert made.status_code == 201
    expected = {**given, "text": text.strip(), "kind": "note", "finding": "", "cause": ""}
    assert {name: made.json()[name] for name in expected} == expected
    later = client.post(address, json={"text": "at no time"}).json()
    assert (later["from"], later["to"], later["author"]) == (None, None, "")
    assert client.get(address).json()["items"] == [made.json(), later]
    assert client.delete(f"{address}/{made.json()['id']}").status_code == 204
    assert client.get(address).json()["items"] == [later]
    assert client.delete(f"{address}/{made.json()['id']}").status_code == 404


@pytest.mark.parametrize(
    ("given", "status", "part"),
    [
        ({"text": ""}, 422, "text"),
        ({"text": " \n "}, 400, "needs a text"),
        ({"text": "x" * 2_001}, 422, "text"),
        ({"text": "a\x00b"}, 400, "control character"),
        ({"text": "a", "author": "x" * 121}, 422, "author"),
        ({"text": "a", "from": -1}, 422, "from"),
        ({"text": "a", "from": 1.5}, 422, "from"),
        ({"text": "a", "from": "1"}, 422, "from"),
        ({"text": "a", "from": 2**53}, 422, "from"),
        ({"text": "a", "to": 5}, 400, "needs a beginning"),
        ({"text": "a", "from": 6, "to": 5}, 400, "before it begins"),
        ({"text": "a", "kind": "verdict"}, 422, "kind"),
        ({"text": "a", "kind": "disagreement"}, 400, "names its cause"),
        ({"text": "a", "kind": "disagreement", "cause": "no-such-cause"}, 404, ""),
        ({"text": "a", "finding": "no-such-finding"}, 404, ""),
    ],
)
def test_what_cannot_be_a_note_is_refused_and_not_kept(
    client: httpx.Client, investigation: str, given: dict[str, object], status: int, part: str
) -> None:
    refused = client.post(f"{investigation}/notes", json=given)
    assert (refused.status_code, part in refused.text) == (status, True), refused.text
    assert client.get(f"{investigation}/notes").json()["items"] == []


@pytest.mark.parametrize(
    "given", [{"text": "x" * 2_000}, {"text": "a", "from": 5, "to": 5}, {"text": "a", "from": 0}]
)
def test_the_limits_themselves_are_allowed(
    client: httpx.Client, investigation: str, given: dict[str, object]
) -> None:
    assert client.post(f"{investigation}/notes", json=given).status_code == 201


def test_notes_belong_to_their_investigation(client: httpx.Client, investigation: str) -> None:
    other = client.post("/api/v1/investigations", json={"label": "other"}).headers["location"]
    made = client.post(f"{investigation}/notes", json={"text": "mine"}).json()
    assert client.delete(f"{other}/notes/{made['id']}").status_code == 404
    assert client.get(f"{other}/notes").json()["items"] == []
    assert client.get("/api/v1/investigations/abcd/notes").status_code == 404
    assert client.post("/api/v1/investigations/abcd/notes", json={"text": "a"}).status_code == 404
    client.delete(investigation)
    assert client.get(f"{investigation}/notes").status_code == 404


def test_an_investigation_holds_only_so_many(client: httpx.Client, investigation: str, store: Store) -> None:
    key = investigation.rsplit("/", 1)[1]
    with store.database.writing() as session:
        for number in range(MOST_NOTES - 1):
            notes.add_note(session, f"{number:x}", key, NewNote("note", "one"))
    address = f"{investigation}/notes"
    assert client.post(address, json={"text": "the last"}).status_code == 201
    refused = client.post(address, json={"text": "one more"})
    assert (refused.status_code, "1,000 notes" in refused.json()["detail"]) == (400, True)


def test_a_link_does_not_show_notes(client: httpx.Client, investigation: str) -> None:
    client.post(f"{investigation}/notes", json={"text": "do not tell"})
    made = client.post(f"{investigation}/shares", json={"addresses": "real"}).json()
    session = client.post(f"/api/v1/shared/{made['id']}/session", json={"secret": made["secret"]}).json()
    token = {"X-Stallscope-Share": session["token"]}
    assert client.get(f"/api/v1/shared/{made['id']}/notes", headers=token).status_code == 404
    shown = client.get(f"/api/v1/shared/{made['id']}/investigation", headers=token)
    assert shown.status_code == 200
    assert "do not tell" not in shown.text


def test_who_is_signed_in_cannot_write_in_another_name(tmp_path: Path) -> None:
    with guarded_store(tmp_path) as store, guarded_server(store) as address:
        made = add_member(store, "grace", Role.ANALYST)
        with signed_in(address, "grace", made.password) as grace:
            place = grace.post("/api/v1/investigations", json={"label": "noted"}).headers["location"]
            note = grace.post(f"{place}/notes", json={"text": "seen", "author": "somebody else"}).json()
        assert note["author"] == "grace"


def test_half_a_letter_is_refused(client: httpx.Client, investigation: str) -> None:
    headers = {"Content-Type": "application/json"}
    refused = client.post(f"{investigation}/notes", content=b'{"text": "a\\ud800b"}', headers=headers)
    assert refused.status_code == 400
    assert client.get(f"{investigation}/notes").json()["items"] == []
