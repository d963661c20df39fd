from __future__ import annotations

import base64
import http.client
import socket
import time
from urllib.parse import urlsplit

import httpx
import pytest

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
