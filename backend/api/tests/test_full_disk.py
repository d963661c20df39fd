"""What the API says and keeps on a disk that is really full."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from backend.access.rules import RULES
from backend.api.room_to_delete import makes_room
from backend.api.tests.guarded_server import PASSWORD, guarded_server, guarded_store, signed_in, visitor
from backend.api.tests.running_product import DEMO
from backend.storage import evidence_files
from backend.storage.store import Store
from backend.storage.tests.small_disk import fill, small_disk

CONTENT = (DEMO / "snat-race" / "three-interfaces.pcapng").read_bytes()
NAME = base64.b64encode(b"eth0.pcapng").decode()
BYTES = {"Tus-Resumable": "1.0.0", "Content-Type": "application/offset+octet-stream"}
DISK_MIB = 48
RESERVE_BYTES = 12 << 20
ADDRESS = "/api/v1/investigations"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", DISK_MIB) as mounted:
        yield mounted


@pytest.fixture
def store(disk: Path) -> Iterator[Store]:
    with guarded_store(disk, disk_reserve_bytes=RESERVE_BYTES) as opened:
        assert opened.spare.keep()
        yield opened


@pytest.fixture
def browser(store: Store) -> Iterator[httpx.Client]:
    with guarded_server(store) as address, signed_in(address) as client:
        yield client


def investigation(browser: httpx.Client) -> str:
    created = browser.post(ADDRESS, json={"label": "x"})
    assert created.status_code == 201
    return f"{ADDRESS}/{created.json()['id']}"


def put(browser: httpx.Client, address: str, name: str = "a.pcapng") -> httpx.Response:
    return browser.put(f"{address}/files/{name}", content=CONTENT)


def announce(browser: httpx.Client, address: str, length: int) -> httpx.Response:
    headers = {"Upload-Length": str(length), "Upload-Metadata": f"filename {NAME}"}
    return browser.post(f"{address}/uploads", headers=headers)


def kept(store: Store) -> list[Path]:
    return [path for path in store.settings.blobs.rglob("*") if path.is_file()]


def rows(store: Store, address: str) -> int:
    with store.database.reading() as session:
        return len(evidence_files.list_files(session, address.rpartition("/")[2]))


def check_full(answer: httpx.Response) -> None:
    assert answer.status_code == 507, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert "disk" in answer.json()["detail"]
    assert answer.json()["free_bytes"] < RESERVE_BYTES + len(CONTENT)


def test_the_spare_room_is_for_routes_that_delete_or_lead_there() -> None:
    others = {
        "POST /api/v1/sign-in",
        "POST /api/v1/investigations/{investigation_id}/cancel",
    }
    assert {route for route in RULES if makes_room(route)} == others | {
        route for route in RULES if route.startswith("DELETE ")
    }
    assert not makes_room("PUT /api/v1/investigations/{investigation_id}/files/{name}")


@pytest.mark.promise("An upload that the disk has no room for is refused, and leaves nothing.")
def test_below_the_reserve_every_way_of_uploading_is_refused(
    browser: httpx.Client, store: Store, disk: Path
) -> None:
    address = investigation(browser)
    fill(disk, leave_bytes=RESERVE_BYTES + len(CONTENT) // 2)
    for refused in (put(browser, address), announce(browser, address, len(CONTENT))):
        check_full(refused)
        assert refused.json()["needed_bytes"] == len(CONTENT)
        assert refused.json()["reserve_bytes"] == RESERVE_BYTES
    check_full(browser.put(f"{address}/files/b.pcapng", content=iter([CONTENT])))  # no Content-Length
    assert (kept(store), rows(store, address)) == ([], 0)


def test_above_the_reserve_uploads_are_taken(browser: httpx.Client, disk: Path) -> None:
    address = investigation(browser)
    fill(disk, leave_bytes=RESERVE_BYTES + len(CONTENT) + (1 << 20))
    assert put(browser, address).status_code == 201


def test_a_disk_that_fills_during_an_upload_ends_it(browser: httpx.Client, store: Store, disk: Path) -> None:
    address = investigation(browser)
    upload = announce(browser, address, len(CONTENT)).headers["location"]
    half = len(CONTENT) // 2
    assert (
        browser.patch(upload, content=CONTENT[:half], headers=BYTES | {"Upload-Offset": "0"}).status_code
        == 204
    )
    filler = fill(disk)
    check_full(browser.patch(upload, content=CONTENT[half:], headers=BYTES | {"Upload-Offset": str(half)}))
    assert kept(store) == []
    filler.unlink()
    assert rows(store, address) == 0
    assert put(browser, address).status_code == 201


@pytest.mark.promise(
    "What is stored can be read and deleted on a full disk; every other write is refused with 507."
)
def test_a_full_disk_can_be_read_and_emptied(browser: httpx.Client, store: Store, disk: Path) -> None:
    first, second = investigation(browser), investigation(browser)
    assert put(browser, first).status_code == 201
    assert put(browser, second, "b.pcapng").status_code == 201
    fill(disk)
    posts = {
        ADDRESS: {"label": "y"},
        f"{first}/notes": {"text": "n" * 1000},
        f"{first}/shares": {"expires_days": 1, "addresses": "names"},
        f"{first}/texts": {
            "text": "conntrack v1.4.6 (conntrack-tools): 1 flow entries have been shown.\n" * 9
        },
    }
    for path, body in posts.items():
        answer = browser.post(path, json=body)
        for _ in range(200):  # the log of SQLite has some pages left over that it can use again
            if answer.status_code != 201:
                break
            answer = browser.post(path, json=body)
        check_full(answer)
    assert browser.get(first).status_code == 200
    assert browser.get(f"{first}/files").json()["items"][0]["status"] == "stored"
    assert browser.delete(f"{second}/files/b.pcapng").status_code == 204
    assert browser.delete(first).status_code == 204
    assert browser.delete(second).status_code == 204
    assert kept(store) == []
    assert store.spare.keep()


def test_somebody_signs_in_to_delete(browser: httpx.Client, store: Store, disk: Path) -> None:
    address = investigation(browser)
    fill(disk)
    with visitor(str(browser.base_url)) as stranger:
        answer = stranger.post("/api/v1/sign-in", json={"name": "admin", "password": PASSWORD})
    assert answer.status_code == 200
    cookie = answer.headers["set-cookie"].split(";")[0]
    with visitor(str(browser.base_url), Cookie=cookie) as member:
        assert member.delete(address).status_code == 204


def test_the_next_upload_works_after_room_was_made(browser: httpx.Client, disk: Path) -> None:
    address = investigation(browser)
    filler = fill(disk)
    check_full(put(browser, address))
    filler.unlink()
    assert put(browser, address).status_code == 201


def test_low_space_is_told(browser: httpx.Client, disk: Path) -> None:
    def told() -> tuple[bool, bool, bool]:
        storage = browser.get("/api/v1/storage").json()
        assert storage["reserve_bytes"] == RESERVE_BYTES
        metrics = browser.get("/metrics").text
        ready = browser.get("/readyz")
        assert ready.status_code == 200
        return (
            storage["uploads_refused"],
            "stallscope_uploads_refused 1.0" in metrics,
            "low disk" in ready.text,
        )

    assert told() == (False, False, False)
    filler = fill(disk, leave_bytes=RESERVE_BYTES // 2)
    assert told() == (True, True, True)
    filler.unlink()
    assert told() == (False, False, False)


def test_an_analysis_under_way_says_that_the_disk_is_full(
    browser: httpx.Client, store: Store, disk: Path
) -> None:
    address = investigation(browser)
    assert put(browser, address).status_code == 201
    before = browser.get(f"{address}/progress").json()
    assert (before["analysis"], before["message"]) == ("queued", "")
    filler = fill(disk)
    waits = browser.get(f"{address}/progress").json()
    assert (waits["analysis"], waits["message"].partition(" (")[0]) == ("queued", "The disk is full")
    filler.unlink()
    assert browser.get(f"{address}/progress").json()["message"] == ""
