"""The whole product on a disk that is full in each stage: a sentence, nothing lost, and the next upload works."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from backend.api.tests.running_product import DEMO, Product, running_product
from backend.storage.tests.small_disk import fill, small_disk
from workers.tests.frozen_children import frozen_children

CONTENT = (DEMO / "snat-race" / "three-interfaces.pcapng").read_bytes()
RESERVE_BYTES = 16 << 20
QUIET_S = "4"
"""Between an upload and its analysis: so long there is to fill the disk."""

pytestmark = pytest.mark.long


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", 96) as mounted:
        yield mounted


@pytest.fixture
def product(disk: Path) -> Iterator[Product]:
    with running_product(disk, QUIET_S=QUIET_S, DISK_RESERVE_BYTES=str(RESERVE_BYTES)) as running:
        yield running


@pytest.fixture
def client(product: Product) -> Iterator[httpx.Client]:
    with product.client() as asking:
        yield asking


def put(client: httpx.Client, investigation: str, name: str, content: bytes = CONTENT) -> int:
    return client.put(f"/investigations/{investigation}/files/{name}", content=content).status_code


def file_of(client: httpx.Client, investigation: str) -> dict[str, object]:
    found: dict[str, object] = client.get(f"/investigations/{investigation}/files").json()["items"][0]
    return found


def progress_of(client: httpx.Client, investigation: str) -> dict[str, Any]:
    found: dict[str, Any] = client.get(f"/investigations/{investigation}/progress").json()
    return found


def bundle() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for number in range(3):
            entry = tarfile.TarInfo(f"{number}.pcapng")
            entry.size = len(CONTENT)
            tar.addfile(entry, io.BytesIO(CONTENT))
    return packed.getvalue()


@pytest.mark.promise("A disk that is full while a file is decoded or unpacked loses nothing.")
@pytest.mark.parametrize(("name", "content"), [("a.pcapng", CONTENT), ("all.tar.gz", bundle())])
def test_decoding_on_a_full_disk_is_repeated_when_there_is_room(
    product: Product, client: httpx.Client, disk: Path, name: str, content: bytes
) -> None:
    investigation = product.new_investigation()
    assert put(client, investigation, name, content) == 201
    filler = fill(disk, leave_bytes=RESERVE_BYTES // 4)
    assert product.wait_until_over(investigation)["analysis"] == "failed"
    failed = file_of(client, investigation)
    assert (failed["status"], "The disk is full" in str(failed["error"])) == ("failed", True)
    assert put(client, investigation, "b.pcapng") == 507
    filler.unlink()
    assert client.get(f"/investigations/{investigation}/files/{failed['id']}/content").content == content
    assert client.post(f"/investigations/{investigation}/analyses").status_code == 202
    product.wait_for(investigation, lambda now: now["analysis"] == "finished")


@pytest.mark.promise("A disk that is full while an analysis joins and judges is named in its message.")
@pytest.mark.parametrize("leave_bytes", [RESERVE_BYTES // 4, 0])
def test_judging_on_a_full_disk(product: Product, client: httpx.Client, disk: Path, leave_bytes: int) -> None:
    investigation = product.new_investigation()
    with frozen_children(product) as frozen:
        assert put(client, investigation, "a.pcapng") == 201
        frozen.let_go()
        product.wait_for(investigation, lambda now: now["stage"]["number"] >= 4)
        frozen.stop_again()
        filler = fill(disk, leave_bytes=leave_bytes)
        product.wait_for(investigation, lambda now: "The disk is full" in now["message"])
    # Without a byte not even its end can be written: it waits, and says so.
    over = product.wait_until_over(investigation) if leave_bytes else progress_of(client, investigation)
    assert over["analysis"] in (("failed",) if leave_bytes else ("failed", "running")), over
    assert "The disk is full" in over["message"]
    assert client.delete(f"/investigations/{investigation}").status_code == 204
    filler.unlink()
    again = product.new_investigation()
    assert put(client, again, "a.pcapng") == 201
    product.wait_for(again, lambda now: now["analysis"] == "finished")


def test_dissection_and_deleting_on_a_disk_without_a_byte(
    product: Product, client: httpx.Client, disk: Path
) -> None:
    investigation = product.new_investigation()
    assert put(client, investigation, "a.pcapng") == 201
    product.wait_for(investigation, lambda now: now["analysis"] == "finished")
    filler = fill(disk)
    look = {"kind": "dissection", "file": "a.pcapng", "frame": 1}
    asked = client.post(f"/investigations/{investigation}/looks", json=look)
    assert asked.status_code in (200, 202, 507), asked.text
    assert client.get(f"/investigations/{investigation}/findings").status_code == 200
    fill(disk)
    assert client.delete(f"/investigations/{investigation}").status_code == 204
    assert client.get(f"/investigations/{investigation}").status_code == 404
    filler.unlink()
    again = product.new_investigation()
    assert put(client, again, "a.pcapng") == 201
    product.wait_for(again, lambda now: now["analysis"] == "finished")


def test_the_product_starts_on_a_full_disk_to_be_emptied(disk: Path) -> None:
    settings = {"QUIET_S": "0.1", "DISK_RESERVE_BYTES": str(RESERVE_BYTES)}
    with running_product(disk, **settings) as running, running.client() as client:
        investigation = running.new_investigation()
        assert put(client, investigation, "a.pcapng") == 201
        running.wait_for(investigation, lambda now: now["analysis"] == "finished")
    filler = fill(disk)
    with running_product(disk, **settings) as running, running.client() as client:
        ready = httpx.get(f"{running.address}/readyz", trust_env=False, timeout=120)
        assert "low disk space" in ready.text
        assert put(client, investigation, "b.pcapng") == 507
        assert client.delete(f"/investigations/{investigation}").status_code == 204
        filler.unlink()
        again = running.new_investigation()
        assert put(client, again, "a.pcapng") == 201
        running.wait_for(again, lambda now: now["analysis"] == "finished")
