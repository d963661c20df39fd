from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from backend.storage.blob_store import BlobStore

CONTENT = b"evidence" * 300_000
DIGEST = sha256(CONTENT).hexdigest()


@pytest.fixture
def blobs(tmp_path: Path) -> BlobStore:
    return BlobStore(tmp_path / "blobs", tmp_path / "blobs" / "incoming")


def arrive(blobs: BlobStore, upload: str) -> None:
    blobs.incoming_path(upload).write_bytes(CONTENT)
    blobs.adopt(upload, DIGEST)


def test_an_adopted_upload_is_read_back_whole(blobs: BlobStore) -> None:
    arrive(blobs, "one")
    assert b"".join(blobs.chunks(DIGEST)) == CONTENT
    assert not blobs.incoming_path("one").exists()


def test_the_same_bytes_are_stored_once(blobs: BlobStore, tmp_path: Path) -> None:
    arrive(blobs, "one")
    arrive(blobs, "two")
    assert [p for p in (tmp_path / "blobs").rglob("*") if p.is_file()] == [blobs.path(DIGEST)]


def test_deleting_twice_is_no_error(blobs: BlobStore) -> None:
    arrive(blobs, "one")
    blobs.delete(DIGEST)
    blobs.delete(DIGEST)
    assert not blobs.has(DIGEST)
