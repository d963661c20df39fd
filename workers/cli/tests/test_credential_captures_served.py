"""A started product with every damaged capture in one investigation: no answer and no file but the originals holds a
piece of a key."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from backend.api.tests.running_product import Product, running_product
from workers.decode.tests.credential_captures import captures, file_of, search
from workers.decode.tests.test_credential_captures import columns_of

pytestmark = pytest.mark.long
_NAMED = 44
_FRAMES = 8


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Product, str, list[str]]]:
    """(the product, the investigation, the names of its files)."""
    files = {f"{name}.pcap": file_of(packets, snap) for name, packets, snap in captures()}
    names = list(files)[: 2 * _NAMED : 2]
    with running_product(tmp_path_factory.mktemp("served")) as product:
        found = product.new_investigation()
        with product.client() as client:
            for name in names:
                client.put(f"/investigations/{found}/files/{name}", content=files[name]).raise_for_status()
        assert product.wait_until_over(found)["analysis"] == "finished"
        yield product, found, names


def _addresses(client: httpx.Client, investigation: str, names: list[str]) -> Iterator[str]:
    known = {"investigation_id": investigation, "cid": "0", "rid": "0", "table": "entries", "instance": "1"}
    known |= dict.fromkeys(("look_id", "share_id", "finding_id", "comparison_id", "finding"), "ffff")
    for path, methods in client.get("/api/openapi.json").json()["paths"].items():
        if "get" not in methods or path.endswith(("/events", "/content")):
            continue
        for name in names if "{file_id}" in path else names[:1]:
            for number in range(1, _FRAMES) if "{number}" in path else (1,):
                yield path.format_map(
                    {**dict.fromkeys(_parameters(path), "1"), **known, "file_id": name, "number": number}
                )


def _parameters(path: str) -> list[str]:
    return [part[1:-1].partition(":")[0] for part in path.split("/") if part.startswith("{")]


@pytest.mark.promise(
    "No answer, log or file of a running product holds a key of a capture, but the stored original."
)
def test_no_answer_holds_a_piece(served: tuple[Product, str, list[str]]) -> None:
    product, investigation, names = served
    asked = 0
    with httpx.Client(base_url=product.address, trust_env=False, timeout=120) as client:
        for address in _addresses(client, investigation, names):
            assert not search().found_in(client.get(address).content), address
            asked += 1
    assert asked > 44


def _done(client: httpx.Client, investigation: str, question: dict[str, Any]) -> dict[str, Any]:
    address = f"/investigations/{investigation}/looks"
    look: dict[str, Any] = client.post(address, json=question).raise_for_status().json()
    deadline = time.monotonic() + 600
    while look["state"] in ("queued", "running") and time.monotonic() < deadline:
        time.sleep(0.2)
        look = client.get(f"{address}/{look['id']}").json()
    assert look["state"] == "done", look
    return look


@pytest.mark.promise(
    "No answer, log or file of a running product holds a key of a capture, but the stored original."
)
def test_no_download_holds_a_piece(served: tuple[Product, str, list[str]]) -> None:
    product, investigation, names = served
    with product.client() as client:
        address = f"/investigations/{investigation}/looks"
        for question in ({"kind": "carving", "filter": ""}, {"kind": "anonymising"}):
            look = _done(client, investigation, question)
            content = client.get(f"{address}/{look['id']}/content").raise_for_status().content
            assert content
            assert not search().found_in(content), question
        for name in names[::6]:
            look = _done(client, investigation, {"kind": "dissection", "file": name, "frame": 2})
            shown = client.get(f"{address}/{look['id']}/dissection").raise_for_status().json()
            assert not search().found_in(str(shown).encode() + bytes.fromhex(shown["hex"])), name


@pytest.mark.promise(
    "No answer, log or file of a running product holds a key of a capture, but the stored original."
)
def test_the_data_folder_and_the_log_hold_none(served: tuple[Product, str, list[str]]) -> None:
    product, _, _ = served
    assert not search().found_in(product.log.read_bytes())
    for path in (each for each in product.data.rglob("*") if each.is_file()):
        if "blobs" not in path.parts and not path.name.endswith("-journal"):
            assert not search().found_in(_content(path)), path


def _content(path: Path) -> bytes:
    return path.read_bytes() + (columns_of(path) if path.suffix == ".parquet" else b"")
