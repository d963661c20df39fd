"""Job: credentials out of the stored bytes of a file, where the setting `scrub_on_upload` wants it."""

from __future__ import annotations

import os
from pathlib import Path

from backend.storage import evidence_files, investigations
from backend.storage.records import EvidenceFile
from backend.storage.store import Store
from backend.storage.unused_bytes import remove_unused
from workers.decode.scrubbing import NotWalkable, scrub_capture
from workers.pipeline import Ingested, hash_file

SCRUBBED = "Credentials in it were overwritten; everything else is as it was uploaded."
REMOVED = (
    "Its bytes were removed: they hold credentials that cannot be overwritten in place. The analysis is kept."
)
BUNDLE_REMOVED = "Its bytes were removed: a capture in it holds credentials. What was unpacked is kept."
_TARGET = "scrubbed.capture"


def scrub_in_child(path: Path, ingested: Ingested, folder: Path) -> None:
    """Writes the scrubbed capture beside its tables; nothing where it cannot be scrubbed."""
    assert ingested.capture is not None
    try:
        scrub_capture(path, ingested.capture, folder / "packets.parquet", folder / _TARGET)
    except NotWalkable:
        (folder / _TARGET).unlink(missing_ok=True)


def keep_scrubbed(store: Store, file: EvidenceFile) -> None:
    """The scrubbed bytes take the place of the uploaded ones, here and in the bundle that they came in. Doing it twice
    changes nothing."""
    scrubbed = store.file_folder(file.investigation_id, file.id) / _TARGET
    digest, warning = "", REMOVED
    if scrubbed.is_file():
        digest, warning = hash_file(scrubbed), SCRUBBED
    former = [file.sha256]
    with store.database.writing() as session:
        evidence_files.hold_bytes(session)
        if not evidence_files.set_scrubbed(session, file.id, file.attempt, digest, warning):
            return
        if digest:
            os.replace(scrubbed, store.blobs.incoming_path(file.id))
            store.blobs.adopt(file.id, digest)
        if file.bundle_id is not None:
            bundle = evidence_files.get_file(session, file.investigation_id, file.bundle_id)
            if bundle.sha256 and evidence_files.set_scrubbed(
                session, bundle.id, bundle.attempt, "", BUNDLE_REMOVED
            ):
                former.append(bundle.sha256)
        investigations.touch_investigation(session, file.investigation_id)
    remove_unused(store.database, store.blobs, former)
