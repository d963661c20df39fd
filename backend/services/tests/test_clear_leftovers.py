"""Unfinished uploads end, and what a crash left between bytes and rows is removed; everything else stays."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.services.clear_leftovers import YOUNG_S, clear_leftovers
from backend.services.create_investigation import create_investigation
from backend.services.receive_upload import append_bytes, begin_upload, complete_upload
from backend.settings import Settings
from backend.storage import evidence_files
from backend.storage.records import EvidenceFile
from backend.storage.store import Store
from backend.storage.tests.empty_store import open_empty_store

CONTENT = b"\xd4\xc3\xb2\xa1" + bytes(5000)
EXPIRES_S = 3600


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_empty_store(
        Settings(data=tmp_path / "data", database_url="", upload_expires_s=EXPIRES_S, disk_reserve_bytes=1)
    )
    yield opened
    opened.close()


@pytest.fixture
def owner(store: Store) -> str:
    return create_investigation(store, "x").id


def upload(store: Store, owner: str, name: str, *, whole: bool) -> EvidenceFile:
    file = begin_upload(store, owner, name, len(CONTENT))
    append_bytes(store, file, CONTENT if whole else CONTENT[:100])
    return complete_upload(store, file) if whole else file


def files(store: Store, owner: str) -> set[str]:
    with store.database.reading() as session:
        return {file.name for file in evidence_files.list_files(session, owner)}


def kept(store: Store) -> set[Path]:
    return {path for path in store.settings.blobs.rglob("*") if path.is_file()}


@pytest.mark.promise("An unfinished upload is removed when its time is over.")
def test_an_upload_that_nothing_came_for_expires(store: Store, owner: str) -> None:
    file = upload(store, owner, "a.pcap", whole=False)
    arrived_s = store.blobs.incoming_path(file.id).stat().st_mtime
    assert clear_leftovers(store, arrived_s + EXPIRES_S - 1) == 0
    assert files(store, owner) == {"a.pcap"}
    assert clear_leftovers(store, arrived_s + EXPIRES_S) == 1
    assert (files(store, owner), kept(store)) == (set(), set())


def test_what_is_stored_stays_for_ever(store: Store, owner: str) -> None:
    upload(store, owner, "a.pcap", whole=True)
    before = kept(store)
    assert clear_leftovers(store, time.time() + 1000 * EXPIRES_S) == 0
    assert (files(store, owner), kept(store)) == ({"a.pcap"}, before)


@pytest.mark.promise("Bytes that no row names are found and removed.")
@pytest.mark.parametrize(
    "place", ["blobs/ab/" + "ab" * 32, "blobs/incoming/" + "c" * 32, "packets/gone/report"]
)
def test_what_a_crash_left_is_removed_once_it_is_old(store: Store, owner: str, place: str) -> None:
    upload(store, owner, "a.pcap", whole=True)
    left = store.settings.data / place
    left.parent.mkdir(parents=True, exist_ok=True)
    left.write_bytes(CONTENT)
    assert clear_leftovers(store, time.time() + YOUNG_S - 60) == 0
    assert left.exists()
    assert clear_leftovers(store, time.time() + YOUNG_S + 60) == 1
    assert not left.exists()
    assert (files(store, owner), len(kept(store))) == ({"a.pcap"}, 1)


def test_bytes_that_were_moved_here_just_now_are_young(store: Store, owner: str) -> None:
    left = store.settings.blobs / "ab" / ("ab" * 32)
    left.parent.mkdir()
    left.write_bytes(CONTENT)
    os.utime(left, (0, 0))
    assert clear_leftovers(store) == 0


def test_a_row_whose_bytes_are_gone_goes_too(store: Store, owner: str) -> None:
    file = upload(store, owner, "a.pcap", whole=False)
    store.blobs.discard_incoming(file.id)
    assert clear_leftovers(store) == 1
    assert files(store, owner) == set()
