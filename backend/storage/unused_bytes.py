"""Removes uploaded bytes that no file has any more."""

from __future__ import annotations

from collections.abc import Iterable

from backend.storage import evidence_files
from backend.storage.blob_store import BlobStore
from backend.storage.database import Database


def remove_unused(database: Database, blobs: BlobStore, digests: Iterable[str]) -> int:
    """Those of `digests` that no row names; how many there were. Asked and removed in one transaction, in which nobody
    else can begin to use them."""
    removed = 0
    for digest in {each for each in digests if each}:
        with database.writing() as session:
            evidence_files.hold_bytes(session)
            if not evidence_files.blob_in_use(session, digest) and blobs.has(digest):
                blobs.delete(digest)
                removed += 1
    return removed
