"""Credentials end at the decoder: nothing that the product writes or answers holds them, but the uploaded file."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pyarrow.parquet as pq
import pytest

from backend.api.tests.running_product import Product, running_product
from workers.decode.tests.capture_bytes import pcap
from workers.decode.tests.conversation import Conversation, get, response

KEY_ID, SECRET = "ASIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY"
SESSION, V2_TOKEN, BEARER = "FwoGZXIvYXdzEXAMPLESESSION", "AQAEAExampleV2Token==", "Bearer-0123456789abcdef"
SECRETS = (KEY_ID, SECRET, SESSION, V2_TOKEN, BEARER)
FRAMES = 13
ROLE_PATH = "/latest/meta-data/iam/security-credentials/search-role"


def _document() -> bytes:
    answer = {"Code": "Success", "AccessKeyId": KEY_ID, "SecretAccessKey": SECRET, "Token": SESSION}
    return json.dumps(answer | {"Expiration": "2023-11-14T22:28:20Z"}).encode()


def _chunked(body: bytes, cuts: list[int]) -> bytes:
    ends = [*cuts, len(body)]
    parts = [body[a:b] for a, b in zip([0, *cuts], ends, strict=True)]
    framed = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (*parts, b""))
    return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + framed


def _capture() -> bytes:
    """A token, an answer split in the middle of a key, and one in chunks that part a key's name and its value."""
    body = _document()
    name, value = body.index(b"SecretAccessKey") + 6, body.index(SECRET.encode()) + 9
    whole, chunked = response(body), _chunked(body, [name, value])
    first, second = whole.index(SECRET.encode()) + 5, chunked.index(SESSION.encode()) + 3
    put = b"PUT /latest/api/token HTTP/1.1\r\nHost: 169.254.169.254\r\nX-aws-ec2-metadata-token-ttl-seconds: 60\r\n\r\n"
    token = f"X-aws-ec2-metadata-token: {V2_TOKEN}"
    talk = Conversation().ask(put).reply(response(V2_TOKEN.encode()))
    talk.ask(get(ROLE_PATH, token)).reply(whole, [first, len(whole) - first])
    talk.ask(get(ROLE_PATH, token)).reply(chunked, [second, len(chunked) - second])
    talk.ask(get("/v1/search", f"Authorization: {BEARER}")).reply(response(b"{}"))
    return pcap(talk.packets)


def _analyse(product: Product, name: str, content: bytes) -> str:
    found = product.new_investigation()
    with product.client() as client:
        client.put(f"/investigations/{found}/files/{name}", content=content).raise_for_status()
    assert product.wait_until_over(found)["analysis"] == "finished"
    return found


@pytest.fixture(scope="module")
def analysed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Product, str]]:
    """(the product, the id of an investigation with the capture in it)."""
    with running_product(tmp_path_factory.mktemp("product")) as product:
        yield product, _analyse(product, "a.pcap", _capture())


def _files(product: Product, investigation: str) -> list[dict[str, Any]]:
    with product.client() as client:
        found: list[dict[str, Any]] = client.get(f"/investigations/{investigation}/files").json()["items"]
    return found


def _plain_bytes(path: Path) -> bytes:
    """Columns of a Parquet file are compressed; their values are what counts."""
    if path.suffix != ".parquet":
        return path.read_bytes()
    table = pq.read_table(path)
    texts = [name for name in table.column_names if str(table.schema.field(name).type) == "string"]
    return repr(table.select(texts).to_pydict()).encode() + path.read_bytes()


def _holding(folder: Path) -> list[Path]:
    """Files below the folder with a secret in them."""
    # The journal of a database comes and goes, so it may be gone before it is read.
    written = [path for path in folder.rglob("*") if path.is_file() and not path.name.endswith("-journal")]
    assert len(written) > 10
    return [path for path in written if any(s.encode() in _plain_bytes(path) for s in SECRETS)]


def test_only_the_uploaded_file_holds_them(analysed: tuple[Product, str]) -> None:
    product, _ = analysed
    assert [path.parent.parent.name for path in _holding(product.data)] == ["blobs"]
    assert not [secret for secret in SECRETS if secret in product.log.read_text()]


def _addresses(paths: dict[str, Any], investigation: str, share: str, look: str) -> list[str]:
    """Every address of the API that answers a GET, with real ids in it."""
    known = {
        "investigation_id": investigation,
        "look_id": look,
        "share_id": share,
        "file_id": "a.pcap",
        "cid": "0",
    }
    known |= {"finding_id": "metadata-burst-1", "comparison_id": "ffff", "table": "entries", "rid": "0"}
    known |= {"finding": "metadata-burst-1", "instance": "1"}
    found = []
    for path, methods in paths.items():
        if "get" not in methods or path.endswith(("/events", "/content")):
            continue
        numbers = range(1, FRAMES + 1) if "{number}" in path else [0]
        for number in numbers:
            filled = path.format(**known, number=number)
            found.append(filled)
    return found


def _look(client: httpx.Client, investigation: str) -> str:
    """Id of a look into a frame with keys, which is done."""
    asked = {"kind": "dissection", "file": "a.pcap", "frame": 8}
    address = f"/api/v1/investigations/{investigation}/looks"
    look = client.post(address, json=asked).json()
    deadline = time.monotonic() + 60
    while look["state"] in ("queued", "running") and time.monotonic() < deadline:
        time.sleep(0.1)
        look = client.get(f"{address}/{look['id']}").json()
    assert look["state"] == "done", look
    return str(look["id"])


def test_no_answer_of_the_api_holds_them(analysed: tuple[Product, str], tmp_path: Path) -> None:
    product, investigation = analysed
    refused = []
    with httpx.Client(base_url=product.address, trust_env=False, timeout=180) as client:
        options = {"addresses": "real", "payload": "headers", "notes": True}
        made = client.post(f"/api/v1/investigations/{investigation}/shares", json=options).json()
        client.post(
            f"/api/v1/shared/{made['id']}/session", json={"secret": made["secret"]}
        ).raise_for_status()
        token = {"X-Stallscope-Share": made["secret"]}
        paths = client.get("/api/openapi.json").json()["paths"]
        addresses = _addresses(paths, investigation, made["id"], _look(client, investigation))
        addresses += [
            f"/api/v1/investigations/{investigation}/report?format={f}" for f in ("json", "markdown")
        ]
        for address in addresses:
            answer = client.get(address, headers=token)
            refused += [address] if answer.status_code != 200 else []
            assert not [secret for secret in SECRETS if secret in answer.text], address
    # Of a capture there are neither lines nor tables, a comparison was not made, a place has to be asked for, the
    # look is no list of packets and no view of Wireshark, nothing was held (group 1), nobody signs in at a
    # provider, and runs of a label and rows of a finding have to be asked for.
    assert {address.rsplit("/", 1)[1] for address in refused} <= {
        "lines",
        "entries",
        "ffff",
        "place",
        "packets",
        "1",
        "callback",
        "of-label",
        "rows",
        "wireshark",
    }
    assert [path.parent.parent.name for path in _holding(product.data)] == ["blobs"]


def test_the_download_asks_first_and_a_share_link_has_none(analysed: tuple[Product, str]) -> None:
    product, investigation = analysed
    [file] = _files(product, investigation)
    assert file["holds_credentials"] is True
    content = f"/investigations/{investigation}/files/{file['id']}/content"
    with product.client() as client:
        asked = client.get(content)
        assert (asked.status_code, "holds credentials" in asked.json()["detail"]) == (409, True)
        assert client.get(content, params={"credentials": "accept"}).content == _capture()
        made = client.post(f"/investigations/{investigation}/shares", json={}).json()
        client.post(f"/shared/{made['id']}/session", json={"secret": made["secret"]}).raise_for_status()
        shared = client.get(f"/shared/{made['id']}/files/{file['id']}/content?credentials=accept")
        assert shared.status_code == 404


def test_a_capture_without_any_needs_no_word(analysed: tuple[Product, str]) -> None:
    product, _ = analysed
    harmless = pcap(Conversation().ask(get("/v1/ads")).reply(response(b"[]")).packets)
    investigation = _analyse(product, "b.pcap", harmless)
    [file] = _files(product, investigation)
    assert file["holds_credentials"] is False
    with product.client() as client:
        assert client.get(f"/investigations/{investigation}/files/b.pcap/content").content == harmless


@pytest.fixture(scope="module")
def scrubbing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """A product that overwrites credentials."""
    with running_product(tmp_path_factory.mktemp("scrubbing"), SCRUB_ON_UPLOAD="true") as product:
        yield product


def test_the_setting_overwrites_them_in_the_stored_file_too(scrubbing: Product) -> None:
    investigation = _analyse(scrubbing, "a.pcap", _capture())
    [file] = _files(scrubbing, investigation)
    assert _holding(scrubbing.data) == []
    with scrubbing.client() as client:
        kept = client.get(f"/investigations/{investigation}/files/a.pcap/content").raise_for_status().content
        report = client.get(f"/investigations/{investigation}/report").json()
    assert len(kept) == len(_capture())
    assert kept.count(b"HTTP/1.1 200 OK\r\n") == 4
    assert kept.count(f"GET {ROLE_PATH} HTTP/1.1\r\n".encode()) == 2
    assert file["uploaded_sha256"] == report["inputs"][0]["sha256"] != file["sha256"]
    assert file["holds_credentials"] is False
    assert any("overwritten" in warning for warning in file["warnings"])


def test_what_cannot_be_overwritten_is_removed(scrubbing: Product) -> None:
    investigation = _analyse(scrubbing, "a.pcap.gz", gzip.compress(_capture()))
    [file] = _files(scrubbing, investigation)
    assert (file["sha256"], file["status"]) == (None, "decoded")
    with scrubbing.client() as client:
        gone = client.get(f"/investigations/{investigation}/files/{file['id']}/content")
        assert gone.status_code == 410
        assert client.get(f"/investigations/{investigation}/requests").json()["total"] == 4
    assert _holding(scrubbing.data) == []
