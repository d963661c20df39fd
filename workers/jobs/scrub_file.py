"""Job: credentials out of the stored bytes of a file, where the setting `scrub_on_upload` wants it."""

from __future__ import annotations

import os
from dataclasses import dataclass

from backend.errors import NotFound
from backend.storage import evidence_files
from backend.storage.records import EvidenceFile
from backend.storage.store import Store
from backend.storage.unused_bytes import remove_unused
from workers.jobs.ingest_in_child import SCRUBBED_CAPTURE
from workers.pipeline import hash_file

SCRUBBED = "Credentials in it were overwritten; everything else is as it was uploaded."
REMOVED = (
    "Its bytes were removed: they hold credentials that cannot be overwritten in place. The analysis is kept."
)
BUNDLE_REMOVED = "Its bytes were removed: a capture in it holds credentials. What was unpacked is kept."


@dataclass(frozen=True)
class ScrubbedBytes:
    """What is kept in place of the uploaded bytes; an empty hash for nothing."""

    sha256: str
    warning: str


def scrubbed_bytes(store: Store, file: EvidenceFile) -> ScrubbedBytes:
    """What the child has left beside the tables."""
    scrubbed = store.file_folder(file.investigation_id, file.id) / SCRUBBED_CAPTURE
    return ScrubbedBytes(hash_file(scrubbed), SCRUBBED) if scrubbed.is_file() else ScrubbedBytes("", REMOVED)


def adopt_scrubbed(store: Store, file: EvidenceFile, scrubbed: ScrubbedBytes) -> None:
    """Store them, inside the transaction that names them. Doing it twice changes nothing."""
    if scrubbed.sha256 and not store.blobs.has(scrubbed.sha256):
        made = store.file_folder(file.investigation_id, file.id) / SCRUBBED_CAPTURE
        incoming = store.blobs.incoming_path(file.id)
        incoming.unlink(missing_ok=True)
        os.link(made, incoming)
        store.blobs.adopt(file.id, scrubbed.sha256)


def remove_half_scrubbed(store: Store, file: EvidenceFile) -> None:
    """What a child that was killed left: it may hold what only a finished one takes out."""
    (store.file_folder(file.investigation_id, file.id) / SCRUBBED_CAPTURE).unlink(missing_ok=True)


def forget_replaced(store: Store, investigation_id: str, file_id: str) -> None:
    """Delete the bytes that scrubbed ones took the place of, here and in the bundle that they came in; a worker that
    ends before it has done so leaves that to the next one."""
    try:
        with store.database.reading() as session:
            file = evidence_files.get_file(session, investigation_id, file_id)
            replaced = [file.uploaded_sha256]
            if file.bundle_id is not None:
                replaced.append(
                    evidence_files.get_file(session, investigation_id, file.bundle_id).uploaded_sha256
                )
    except NotFound:
        return
    remove_unused(store.database, store.blobs, [each for each in replaced if each])
    (store.file_folder(investigation_id, file_id) / SCRUBBED_CAPTURE).unlink(missing_ok=True)
