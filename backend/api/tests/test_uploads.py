from __future__ import annotations

import base64
import http.client
import socket
import time
from email.utils import parsedate_to_datetime
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from backend.access.rights import Scope
from backend.api.tests.guarded_server import guarded_server, guarded_store, program
from backend.api.tests.running_product import DEMO, Product
from backend.storage import evidence_files
from backend.storage.store import Store

CONTENT = (DEMO / "snat-race" / "three-interfaces.pcapng").read_bytes()
NAME = base64.b64encode("eth0 – été.pcapng".encode()).decode()
TUS = {"Tus-Resumable": "1.0.0"}
BYTES = {**TUS, "Content-Type": "application/offset+octet-stream"}


@pytest.fixture
def address(client: httpx.Client) -> str:
    return client.post("/api/v1/investigations", json={"label": "x"}).headers["location"]


def create(client: httpx.Client, address: str, length: int) -> str:
    headers = {**TUS, "Upload-Length": str(length), "Upload-Metadata": f"filename {NAME},filetype YQ=="}
    created = client.post(f"{address}/uploads", headers=headers)
    assert created.status_code == 201
    return created.headers["location"]


def test_a_file_arrives_in_pieces(client: httpx.Client, address: str) -> None:
    upload = create(client, address, len(CONTENT))
    for start in range(0, len(CONTENT), 700_000):
        at = {**BYTES, "Upload-Offset": str(start)}
        piece = CONTENT[start : start + 700_000]
        sent = client.patch(upload, content=piece, headers=at)
        assert (sent.status_code, sent.headers["upload-offset"]) == (204, str(start + len(piece)))
    file = client.get(f"{address}/files").json()["items"][0]
    assert (file["name"], file["status"], file["size_bytes"]) == ("eth0 – été.pcapng", "stored", len(CONTENT))
    assert client.get(f"{address}/files/{file['id']}/content").content == CONTENT


def test_host_and_time_are_metadata(client: httpx.Client, address: str, store: Store) -> None:
    def announce(time: str) -> httpx.Response:
        told = [("filename", "a.txt"), ("host", "node-7"), ("captured_at", time)]
        packed = ",".join(f"{key} {base64.b64encode(value.encode()).decode()}" for key, value in told)
        headers = {**TUS, "Upload-Length": "10", "Upload-Metadata": packed}
        return client.post(f"{address}/uploads", headers=headers)

    assert announce("2026-11-21T00:11:41Z").status_code == 201
    assert announce("yesterday").status_code == 400
    with store.database.reading() as session:
        (kept,) = evidence_files.list_files(session, address.rpartition("/")[2])
    assert (kept.host, kept.captured_at_ns) == ("node-7", 1_795_219_901_000_000_000)


def test_a_piece_at_the_wrong_offset_is_refused(client: httpx.Client, address: str) -> None:
    upload = create(client, address, len(CONTENT))
    sent = client.patch(upload, content=CONTENT[:10], headers={**BYTES, "Upload-Offset": "5"})
    assert sent.status_code == 409
    assert client.head(upload).headers["upload-offset"] == "0"


def test_more_than_was_announced_is_refused(client: httpx.Client, address: str) -> None:
    upload = create(client, address, 100)
    sent = client.patch(upload, content=CONTENT[:200], headers={**BYTES, "Upload-Offset": "0"})
    assert sent.status_code == 400


def test_an_unknown_file_is_refused_at_its_first_bytes(
    client: httpx.Client, address: str, store: Store
) -> None:
    upload = create(client, address, 1_000_000)
    sent = client.patch(
        upload,
        content=b"PK\x03\x04" + bytes(26) + b"word/document.xml",
        headers={**BYTES, "Upload-Offset": "0"},
    )
    assert sent.status_code == 415
    assert "Office" in sent.json()["detail"]
    assert client.head(upload).status_code == 404
    assert [path for path in store.settings.blobs.rglob("*") if path.is_file()] == []


def test_a_given_up_upload_leaves_no_trace(client: httpx.Client, address: str, store: Store) -> None:
    upload = create(client, address, len(CONTENT))
    client.patch(upload, content=CONTENT[:5000], headers={**BYTES, "Upload-Offset": "0"})
    assert client.delete(upload).status_code == 204
    assert client.head(upload).status_code == 404
    assert [path for path in store.settings.blobs.rglob("*") if path.is_file()] == []


def test_a_second_file_of_the_same_name_gets_another(client: httpx.Client, address: str) -> None:
    for content in (CONTENT, CONTENT[:-1]):
        upload = create(client, address, len(content))
        client.patch(upload, content=content, headers={**BYTES, "Upload-Offset": "0"})
    names = [file["name"] for file in client.get(f"{address}/files").json()["items"]]
    assert names == ["eth0 – été (2).pcapng", "eth0 – été.pcapng"]


HOSTILE_LENGTHS = [
    "-1", "+5", "1_000", "", "1e3", "0x10", "1.0", "٣", "nan", str(2**63), "9" * 400, "5, 6",
]  # fmt: skip


@pytest.mark.parametrize("length", HOSTILE_LENGTHS)
def test_lengths_and_offsets_that_are_none_are_refused(
    client: httpx.Client, address: str, length: str
) -> None:
    headers = [(b"Upload-Length", length.encode())]
    assert client.post(f"{address}/uploads", headers=headers).status_code in (400, 413, 422)
    upload = create(client, address, 100)
    at = [(b"Content-Type", b"application/offset+octet-stream"), (b"Upload-Offset", length.encode())]
    assert client.patch(upload, content=b"x", headers=at).status_code in (400, 409, 422)
    assert client.head(upload).headers["upload-offset"] == "0"


def test_an_upload_says_its_largest_size_and_its_end(
    client: httpx.Client, address: str, store: Store
) -> None:
    largest = store.settings.upload_max_bytes
    told = client.options(f"{address}/uploads").headers
    assert (told["tus-max-size"], "expiration" in told["tus-extension"]) == (str(largest), True)
    before = time.time()
    upload = create(client, address, len(CONTENT))
    sent = client.patch(upload, content=CONTENT[:5000], headers={**BYTES, "Upload-Offset": "0"})
    for answer in (client.head(upload), sent):
        left_s = parsedate_to_datetime(answer.headers["upload-expires"]).timestamp() - before
        assert abs(left_s - store.settings.upload_expires_s) < 120
    at = {**TUS, "Upload-Length": str(largest + 1)}
    assert client.post(f"{address}/uploads", headers=at).status_code == 413


@pytest.mark.parametrize(
    "metadata",
    [
        "filename YQ==,filename Yg==",
        "filename " + base64.b64encode(b"a" * 4000).decode(),
        ",".join(f"k{n} YQ==" for n in range(30)),
        "filename YQ==,,",
        "f\xefle YQ==",
        "filename not-base64!",
        "host " + base64.b64encode(b"node\0").decode(),
        "captured_at " + base64.b64encode(b"9999-01-01T00:00:00Z").decode(),
        "captured_at " + base64.b64encode(b"0001-01-01T00:00:00Z").decode(),
    ],
)
def test_absurd_metadata_is_refused(client: httpx.Client, address: str, metadata: str) -> None:
    headers = [(b"Upload-Length", b"10"), (b"Upload-Metadata", metadata.encode("latin-1"))]
    answer = client.post(f"{address}/uploads", headers=headers)
    assert (answer.status_code, answer.json()["status"]) == (400, 400)


def test_a_plain_upload_keeps_to_the_largest_size_without_a_length(tmp_path: Path) -> None:
    with guarded_store(tmp_path, upload_max_bytes=len(CONTENT)) as store, guarded_server(store) as server:
        with program(store, server, Scope.UPLOAD) as client:
            made = client.post("/api/v1/investigations", json={"label": "x"}).headers["location"]
            for content, status in ((CONTENT, 201), (CONTENT + b"x", 413)):
                for body in (content, iter([content])):
                    assert client.put(f"{made}/files/{status}.pcapng", content=body).status_code == status
        assert len([path for path in store.settings.blobs.rglob("*") if path.is_file()]) == 1


def test_an_upload_goes_on_after_its_connection_was_cut(product: Product) -> None:
    investigation = product.new_investigation()
    with product.client() as client:
        headers = {**TUS, "Upload-Length": str(len(CONTENT)), "Upload-Metadata": f"filename {NAME}"}
        upload = client.post(f"/investigations/{investigation}/uploads", headers=headers).headers["location"]
        send_half_and_hang_up(product, upload)
        offset = arrived(f"{product.address}{upload}", client)
        assert 0 < offset < len(CONTENT)
        rest = {**BYTES, "Upload-Offset": str(offset)}
        address = f"{product.address}{upload}"
        assert client.patch(address, content=CONTENT[offset:], headers=rest).status_code == 204
        assert (
            client.get(f"/investigations/{investigation}/files").json()["items"][0]["status"] != "uploading"
        )
    assert product.wait_until_over(investigation)["analysis"] == "finished"


def send_half_and_hang_up(product: Product, upload: str) -> None:
    where = urlsplit(product.address)
    connection = http.client.HTTPConnection(where.hostname or "", where.port)
    connection.putrequest("PATCH", upload)
    for name, value in {**BYTES, "Upload-Offset": "0", "Content-Length": str(len(CONTENT))}.items():
        connection.putheader(name, value)
    connection.endheaders()
    connection.send(CONTENT[: len(CONTENT) // 2])
    assert connection.sock is not None
    connection.sock.shutdown(socket.SHUT_RDWR)
    connection.close()


def arrived(upload: str, client: httpx.Client) -> int:
    """What is kept of the first half, once the server has noticed the cut."""
    before, now = -1, 0
    while before != now or now == 0:
        time.sleep(0.2)
        before, now = now, int(client.head(upload).headers["upload-offset"])
    return now
