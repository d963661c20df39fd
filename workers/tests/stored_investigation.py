"""An investigation in a store of its own, decoded and analysed here, without a server or a job engine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

from backend.services.create_investigation import create_investigation
from backend.settings import Settings
from backend.storage import evidence_files
from backend.storage.records import FileOutcome
from backend.storage.store import Store, open_store
from workers.ingested import Ingested
from workers.pipeline import analyse, ingest_file


def stored_investigation(folder: Path, files: Sequence[Path]) -> tuple[Store, str]:
    """The store and the investigation's id; the caller closes the store."""
    store = open_store(Settings(data=folder, database_url=""), migrate=True)
    investigation = create_investigation(store, "kept").id
    ingested = [_ingest(store, investigation, file) for file in files]
    analyse(
        ingested,
        label="kept",
        created="2026-01-01T00:00:00Z",
        tool_version="0",
        folder=store.analysis_folder(investigation),
    )
    return store, investigation


def _ingest(store: Store, investigation: str, file: Path) -> Ingested:
    file_id = uuid4().hex
    found = ingest_file(file, name=file.name, folder=store.file_folder(investigation, file_id))
    part = found.part
    with store.database.writing() as session:
        evidence_files.add_file(
            session,
            file_id,
            investigation,
            name=file.name,
            kind=part.kind,
            format_name=part.format,
            size_bytes=part.bytes,
        )
        outcome = FileOutcome(
            kind=part.kind,
            format=part.format,
            packets=part.packets,
            lines=part.lines,
            lines_not_understood=part.lines_not_understood,
            warnings=tuple(part.warnings),
            error=part.error,
        )
        attempt = evidence_files.get_file(session, investigation, file_id).attempt
        assert evidence_files.set_decoded(session, file_id, attempt, outcome)
    return found
