"""Everything stored, in one place: what services receive."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from backend.disk_space import Room, room_at
from backend.settings import Settings
from backend.storage.blob_store import BlobStore
from backend.storage.database import Database
from backend.storage.frozen_copies import FROZEN, FrozenCopy
from backend.storage.full_disk import SpareRoom
from backend.storage.job_queue import JobQueue, prepare_job_tables
from backend.storage.sqlite_files import sqlite_files


@dataclass(frozen=True)
class Store:
    """The database, the bytes, the packet tables and the queue of jobs."""

    settings: Settings
    database: Database
    blobs: BlobStore
    jobs: JobQueue
    spare: SpareRoom
    frozen: FrozenCopy | None = None
    """What reading services answer from, in place of what the investigation is now."""

    def at(self, copy: FrozenCopy) -> Store:
        """The same store with one investigation as it was."""
        return replace(self, frozen=copy)

    def investigation_folder(self, investigation_id: str) -> Path:
        """Packet tables and report of one investigation."""
        return self.frozen.folder if self.frozen else self.settings.packets / investigation_id

    def frozen_folder(self, investigation_id: str, share_id: str) -> Path:
        """What a frozen link shows."""
        return self.settings.packets / investigation_id / FROZEN / share_id

    def text_path(self, sha256: str) -> Path:
        """Where the text of a dump is."""
        return self.frozen.text_path(sha256) if self.frozen else self.blobs.path(sha256)

    def file_folder(self, investigation_id: str, file_id: str) -> Path:
        """Tables of one decoded file."""
        return self.investigation_folder(investigation_id) / "files" / file_id

    def analysis_folder(self, investigation_id: str) -> Path:
        """Report and connection table over all files."""
        return self.investigation_folder(investigation_id) / "analysis"

    @property
    def private_paths(self) -> tuple[Path, ...]:
        """Data and secrets, and an SQLite database wherever it is: no child process reads them but for the files of
        its work."""
        return (*self.settings.private_paths, *sqlite_files(self.settings.metadata_url))

    def room(self) -> Room:
        """How much more may be stored."""
        return room_at(self.settings.data, self.settings.disk_reserve_bytes)

    def close(self) -> None:
        """Let go of all connections."""
        self.jobs.close()
        self.database.dispose()


def open_store(settings: Settings, *, migrate: bool) -> Store:
    """Open what is stored; `migrate` creates and upgrades the tables first."""
    # Captures hold payloads, and the databases hash what opens them: a new folder is its owner's alone.
    settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    database = Database(settings.metadata_url)
    spare = SpareRoom(settings.data)
    if migrate:
        with spare.given_up():
            database.upgrade()
            prepare_job_tables(settings.jobs_url)
    return Store(
        settings=settings,
        database=database,
        blobs=BlobStore(settings.blobs, settings.incoming),
        jobs=JobQueue(settings.jobs_url),
        spare=spare,
    )
