from __future__ import annotations

import hashlib
from pathlib import Path

import httpx
import pytest

from backend.storage import evidence_files, investigations
from backend.storage.records import FileOutcome
from backend.storage.store import Store

DUMP = b"cpu=0 found=1 insert_failed=3 search_restart=0\n"
CAPTURE = b"\xd4\xc3\xb2\xa1\x02\x00\x04\x00" + bytes(16)


@pytest.fixture
def address(client: httpx.Client) -> str:
    return client.post("/api/v1/investigations", json={"label": "x"}).headers["location"]


def stored_files(store: Store) -> list[Path]:
    return [path for path in store.settings.blobs.rglob("*") if path.is_file()]


def test_a_plain_upload_is_kept_and_given_back(client: httpx.Client, address: str) -> None:
    put = client.put(f"{address}/files/a b.pcap", content=CAPTURE)
    file = put.json()
    assert (put.status_code, file["name"], file["kind"], file["status"]) == (
        201,
        "a b.pcap",
        "capture",
        "stored",
    )
    assert file["sha256"] == hashlib.sha256(CAPTURE).hexdigest()
    download = client.get(f"{address}/files/{file['id']}/content")
    assert download.content == CAPTURE
    assert "a%20b.pcap" in download.headers["content-disposition"]
    assert client.get(address).json()["analysis"] == "queued"


def test_the_same_upload_again_changes_nothing(client: httpx.Client, address: str, store: Store) -> None:
    first = client.put(f"{address}/files/a.pcap", content=CAPTURE).json()
    assert client.put(f"{address}/files/a.pcap", content=CAPTURE).json()["id"] == first["id"]
    assert len(stored_files(store)) == 1


def test_other_bytes_under_the_same_name_replace_the_file(
    client: httpx.Client, address: str, store: Store
) -> None:
    client.put(f"{address}/files/a.txt", content=DUMP)
    client.put(f"{address}/files/a.txt", content=DUMP * 2)
    assert [f["size_bytes"] for f in client.get(f"{address}/files").json()["items"]] == [2 * len(DUMP)]
    assert len(stored_files(store)) == 1


def test_host_and_time_given_with_a_file_are_kept(client: httpx.Client, address: str, store: Store) -> None:
    told = {"host": "node-7", "captured_at": "2026-11-21T01:11:41.000001+01:00"}
    first = client.put(f"{address}/files/a.txt", content=DUMP, params=told).json()["id"]
    for params, same in (({}, True), (told, True), ({"host": "node-8"}, False)):
        found = client.put(f"{address}/files/a.txt", content=DUMP, params=params).json()["id"]
        assert (found == first) is same
    client.put(f"{address}/files/b.txt", content=DUMP, params=told)
    with store.database.reading() as session:
        kept = {file.name: file for file in evidence_files.list_files(session, address.rpartition("/")[2])}
    assert kept["a.txt"].host == "node-8"
    assert (kept["b.txt"].host, kept["b.txt"].captured_at_ns) == ("node-7", 1_795_219_901_000_001_000)
    wrong = client.put(f"{address}/files/c.txt", content=DUMP, params={"captured_at": "yesterday"})
    assert wrong.status_code == 422


def test_the_same_bytes_in_two_investigations_are_stored_once(
    client: httpx.Client, address: str, store: Store
) -> None:
    other = client.post("/api/v1/investigations", json={}).headers["location"]
    for one in (address, other):
        client.put(f"{one}/files/a.txt", content=DUMP)
    assert len(stored_files(store)) == 1
    client.delete(address)
    assert len(stored_files(store)) == 1
    client.delete(other)
    assert stored_files(store) == []


def test_an_unknown_file_is_refused_by_name_and_leaves_no_trace(
    client: httpx.Client, address: str, store: Store
) -> None:
    refused = client.put(f"{address}/files/x.pdf", content=b"%PDF-1.7" + bytes(9000))
    assert refused.status_code == 415
    assert "PDF" in refused.json()["detail"]
    assert client.get(f"{address}/files").json()["items"] == []
    assert client.get(address).json()["analysis"] is None
    assert stored_files(store) == []


def test_a_wrong_checksum_is_refused_and_leaves_no_trace(
    client: httpx.Client, address: str, store: Store
) -> None:
    right = hashlib.sha256(DUMP).hexdigest()
    wrong = client.put(f"{address}/files/a.txt", content=DUMP, headers={"Content-SHA256": "0" * 64})
    assert wrong.status_code == 400
    assert stored_files(store) == []
    headers = {"Content-SHA256": right.upper()}
    assert client.put(f"{address}/files/a.txt", content=DUMP, headers=headers).status_code == 201


@pytest.mark.parametrize("name", ["..", "%2e%2e", "a%00b%0a", "%20"])
def test_strange_names_never_leave_the_store(
    client: httpx.Client, address: str, store: Store, name: str
) -> None:
    client.put(f"{address}/files/{name}", content=DUMP)
    for path in stored_files(store):
        assert path.is_relative_to(store.settings.blobs)


def test_a_pasted_text_becomes_a_file(client: httpx.Client, address: str) -> None:
    first = client.post(f"{address}/texts", json={"text": DUMP.decode()}).json()
    second = client.post(f"{address}/texts", json={"text": 2 * DUMP.decode()}).json()
    assert [first["name"], second["name"]] == ["text.txt", "text (2).txt"]
    lines = client.get(f"{address}/files/{second['name']}/lines", params={"from": 2, "to": 9}).json()
    assert lines == {"lines": [{"n": 2, "text": DUMP.decode().strip()}], "lines_total": 2}


def test_a_removed_file_is_gone_with_its_bytes(client: httpx.Client, address: str, store: Store) -> None:
    file = client.put(f"{address}/files/a.txt", content=DUMP).json()
    assert client.delete(f"{address}/files/{file['id']}").status_code == 204
    assert client.get(f"{address}/files/{file['id']}").status_code == 404
    assert client.get(address).json()["analysis"] is None
    assert stored_files(store) == []


def test_analysing_anew_decodes_what_is_decoded(client: httpx.Client, address: str, store: Store) -> None:
    found = address.rpartition("/")[2]
    client.put(f"{address}/files/s.txt", content=DUMP)
    with store.database.writing() as session:
        (file,) = evidence_files.list_files(session, found)
        outcome = FileOutcome("dump", "conntrack-stats", 0, 1, 0, (), None)
        evidence_files.set_decoded(session, file.id, file.attempt, outcome)
        investigations.set_analysis(session, found, 1, "finished")
    assert client.post(f"{address}/analyses").json()["analysis"] == "finished"
    assert client.post(f"{address}/analyses", params={"anew": True}).json()["analysis"] == "queued"
    with store.database.reading() as session:
        (again,) = evidence_files.list_files(session, found)
        assert investigations.get_investigation(session, found).generation == 2
    assert (again.status, again.attempt) == ("stored", file.attempt + 1)
