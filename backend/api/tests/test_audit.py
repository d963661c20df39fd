"""The audit log: everything that the table of rules says is written, refusals too, and no secret with it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from backend.access.rules import RULES
from backend.api.tests.guarded_server import PASSWORD, guarded_server, guarded_store, signed_in, visitor
from backend.api.tests.others_things import DUMP, OTHER_DUMP, People, people, things_of
from backend.services.audit import clear_audit_log
from backend.storage import audit_log
from backend.storage.audit_log import REFUSALS_AT_MOST, Act, AuditFilter
from backend.storage.looks import LookFolder, LookOutcome
from backend.storage.store import Store
from backend.storage.tests.audit_rows import make_older, without_audit_log

LOG = "/api/v1/audit"
WRONG = "wrong horse battery"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder: Path = tmp_path_factory.mktemp("audit")
    with guarded_store(folder, audit_days=30) as opened:
        yield opened


@pytest.fixture(scope="module")
def address(store: Store) -> Iterator[str]:
    with guarded_server(store) as running:
        yield running


@pytest.fixture(scope="module")
def everybody(store: Store, address: str) -> Iterator[People]:
    with people(store, address) as found:
        yield found


def log_of(store: Store) -> list[audit_log.AuditEvent]:
    with store.database.reading() as session:
        return list(audit_log.list_events(session, 10_000, None, AuditFilter()))


def do_everything(store: Store, everybody: People, address: str) -> list[str]:
    """Each act once, as whoever may; the secrets that were shown."""
    owner, admin = everybody.clients["owner"], everybody.clients["admin"]
    made = things_of(store, everybody.actors["owner"], kind="capture", holds_credentials=True)
    folder = LookFolder(store.investigation_folder(made.investigation), made.look)
    folder.carved.write_bytes(DUMP)
    folder.finish(LookOutcome("done"))
    own = made.address
    asked: list[tuple[httpx.Client, str, str, dict[str, Any]]] = [
        (owner, "POST", "/api/v1/investigations", {"json": {"label": "new"}}),
        (owner, "GET", f"{own}/files/{made.file.id}/content?credentials=accept", {}),
        (owner, "GET", f"{own}/looks/{made.look}/content", {}),
        (owner, "PATCH", own, {"json": {"label": "later"}}),
        (owner, "PUT", f"{own}/files/more.txt", {"content": DUMP}),
        (owner, "PUT", f"{own}/files/more.txt", {"content": OTHER_DUMP}),
        (owner, "POST", f"{own}/cancel", {}),
        (owner, "POST", f"{own}/analyses", {}),
        (owner, "DELETE", f"{own}/notes/{made.note}", {}),
        (owner, "DELETE", f"{own}/files/more.txt", {}),
        (owner, "POST", f"{own}/shares", {"json": {"expires_days": 1}}),
        (owner, "DELETE", f"{own}/shares/{made.link.share.id}", {}),
        (owner, "DELETE", own, {}),
        (admin, "GET", f"{LOG}/download", {}),
    ]
    opening = f"/api/v1/shared/{made.link.share.id}/session"
    assert everybody.clients["stranger"].post(opening, json={"secret": made.link.secret}).status_code == 200
    for client, method, path, given in asked:
        answer = client.request(method, path, **given)
        assert answer.status_code < 300, (method, path, answer.text)
    member = admin.post("/api/v1/members", json={"name": "eve", "role": "viewer"}).json()
    token = admin.post("/api/v1/tokens", json={"name": "pipeline", "scope": "read"}).json()
    with signed_in(address, "eve", member["password"]) as eve:
        changed = eve.put(
            "/api/v1/sign-in/password", json={"old": member["password"], "new": "a new long one"}
        )
        assert changed.status_code == 204
    with signed_in(address, "eve", "a new long one") as eve:
        assert eve.delete("/api/v1/sign-in").status_code == 204
    reset = admin.post(f"/api/v1/members/{member['id']}/password").json()
    admin.patch(f"/api/v1/members/{member['id']}", json={"blocked": True})
    admin.delete(f"/api/v1/members/{member['id']}")
    admin.delete(f"/api/v1/tokens/{token['id']}")
    return [
        made.link.secret,
        member["password"],
        "a new long one",
        reset["password"],
        token["token"],
        # "stallscope_", the token's id, "_", the secret: base64 may hold further "_".
        token["token"].split("_", 2)[2],
        PASSWORD,
    ]


@pytest.mark.promise(
    "Every read of an original, export, share, change of rights and deletion is in the audit log"
)
def test_each_act_is_written_down_with_who_and_what(store: Store, everybody: People, address: str) -> None:
    secrets = do_everything(store, everybody, address)
    done = [event for event in log_of(store) if event.result == "done"]
    assert {event.act for event in done} == set(Act)
    declared = {asked.act for asked in RULES.values() if asked.act is not None}
    assert declared == set(Act) - {Act.REPLACE_FILE}, (
        "an act of a route, but for the one that PUT may turn into"
    )
    assert {event.address for event in done} <= {"127.0.0.1", ""}
    read = next(event for event in done if event.act == Act.READ_ORIGINAL)
    assert (read.actor_kind, read.actor_name, read.subject) == ("member", "owner", "stats.txt")
    opened = next(event for event in done if event.act == Act.OPEN_LINK)
    assert opened.actor_kind == "link"
    text_of_log = json.dumps([vars(event) for event in log_of(store)])
    for secret in secrets:
        assert secret not in text_of_log
    assert DUMP.decode().strip() not in text_of_log


@pytest.mark.promise("What is refused to somebody who is known is in the audit log")
def test_refusals_are_written_down_once_a_minute(store: Store, everybody: People, address: str) -> None:
    made = things_of(store, everybody.actors["owner"], kind="capture", holds_credentials=True)
    for _ in range(3):
        for caller in ("viewer", "maker"):
            path = f"{made.address}/files/{made.file.id}/content"
            assert everybody.clients[caller].get(path).status_code == 403
            assert everybody.clients[caller].delete(made.address).status_code == 403
    with visitor(address) as stranger:
        for name in ("owner", "my password"):
            given = {"name": name, "password": WRONG}
            assert stranger.post("/api/v1/sign-in", json=given).status_code == 401
        opening = f"/api/v1/shared/{made.link.share.id}/session"
        assert stranger.post(opening, json={"secret": "x" * 43}).status_code == 403
        assert stranger.delete(made.address).status_code == 401
    refused = [event for event in log_of(store) if event.result == "refused"]
    told = {
        (event.act, event.actor_name) for event in refused if event.investigation_id == made.investigation
    }
    assert told == {
        (Act.READ_ORIGINAL, "viewer"),
        (Act.READ_ORIGINAL, "maker"),
        (Act.DELETE_INVESTIGATION, "viewer"),
        (Act.DELETE_INVESTIGATION, "maker"),
        (Act.OPEN_LINK, ""),
    }
    assert len([event for event in refused if event.investigation_id == made.investigation]) == len(told)
    assert {event.subject for event in refused if event.act == Act.SIGN_IN} == {"owner", "unknown name"}
    assert WRONG not in json.dumps([vars(event) for event in refused])


@pytest.mark.promise("Who is refused cannot fill the audit log, whatever the requests name.")
def test_refusals_of_one_caller_are_bounded(store: Store, everybody: People) -> None:
    made = things_of(store, everybody.actors["owner"])
    before = [event.actor_name for event in log_of(store) if event.result == "refused"].count("maker")
    for number in range(REFUSALS_AT_MOST + 5):
        path = f"/api/v1/investigations/{made.investigation}/files/{number:x}"
        assert everybody.clients["viewer"].delete(path).status_code == 403
    assert everybody.clients["maker"].delete(made.address).status_code == 403
    by_whom = [event.actor_name for event in log_of(store) if event.result == "refused"]
    assert (by_whom.count("viewer"), by_whom.count("maker") - before) == (REFUSALS_AT_MOST, 1)


def test_admins_read_it_page_by_page_and_nobody_else_does(store: Store, everybody: People) -> None:
    admin = everybody.clients["admin"]
    for caller in ("owner", "viewer", "maker", "read token"):
        assert everybody.clients[caller].get(LOG).status_code == 403
        assert everybody.clients[caller].get(f"{LOG}/download").status_code == 403
    things_of(store, everybody.actors["owner"])
    seen, cursor = [], None
    while True:
        asked = {"limit": "7", "actor": "owner", "result": "done"} | ({"cursor": cursor} if cursor else {})
        page = admin.get(LOG, params=asked).json()
        seen += page["items"]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    expected = [event for event in log_of(store) if event.actor_name == "owner" and event.result == "done"]
    assert [event["id"] for event in seen] == [event.id for event in expected]
    assert len(seen) > 3
    made = next(event for event in seen if event["act"] == "create-investigation")["investigation_id"]
    narrowed = admin.get(LOG, params={"investigation": made, "act": "create-investigation"}).json()["items"]
    assert {event["investigation_id"] for event in narrowed} == {made}
    for wrong in ({"cursor": "x"}, {"cursor": "9" * 30}, {"act": "nothing"}):
        assert admin.get(LOG, params=wrong).status_code in (400, 422)


def test_it_is_downloaded_as_csv_and_json_lines_without_formulas(store: Store, everybody: People) -> None:
    admin = everybody.clients["admin"]
    admin.post("/api/v1/investigations", json={"label": "=HYPERLINK(1)"})
    rows = list(csv.DictReader(io.StringIO(admin.get(f"{LOG}/download").text)))
    lines = admin.get(f"{LOG}/download", params={"format": "jsonl"}).text.splitlines()
    assert len(lines) == len(rows) + 1, "the first download is in the second"
    assert "'=HYPERLINK(1)" in {row["subject"] for row in rows}
    assert json.loads(lines[0])["act"] == "read-audit-log"


@pytest.mark.promise("An original does not leave when the audit log cannot be written")
def test_no_original_leaves_without_its_row(store: Store, everybody: People) -> None:
    made = things_of(store, everybody.actors["owner"], kind="capture")
    folder = LookFolder(store.investigation_folder(made.investigation), made.look)
    folder.carved.write_bytes(DUMP)
    folder.finish(LookOutcome("done"))
    content = f"{made.address}/files/{made.file.id}/content"
    asked = [("GET", content), ("GET", f"{made.address}/looks/{made.look}/content"), ("DELETE", made.address)]
    with without_audit_log(store.database):
        refused = [ask_once(everybody.clients["owner"], *each) for each in asked]
    for answer in refused:
        assert answer.status_code >= 500
        assert DUMP not in answer.content
    assert ask_once(everybody.clients["owner"], "GET", content).content == DUMP


def ask_once(client: httpx.Client, method: str, path: str) -> httpx.Response:
    """On a connection of its own: the server closes one after an error of its own."""
    headers = {name: client.headers[name] for name in ("Host", "Cookie")}
    return httpx.request(method, f"{client.base_url}{path}", headers=headers, trust_env=False, timeout=120)


def test_rows_are_forgotten_after_the_days_of_the_settings(store: Store, everybody: People) -> None:
    things_of(store, everybody.actors["owner"])
    newest = log_of(store)[:2]
    limit = timedelta(days=store.settings.audit_days)
    for event, age in zip(newest, (limit - timedelta(hours=1), limit + timedelta(hours=1)), strict=True):
        make_older(store.database, event.id, age)
    clear_audit_log(store)
    left = {event.id for event in log_of(store)}
    assert newest[0].id in left
    assert newest[1].id not in left
