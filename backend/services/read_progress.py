"""Where the work on an investigation is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from backend.errors import NotFound
from backend.services.scope import WHOLE, Scope
from backend.storage import evidence_files, investigations
from backend.storage.records import STAGES, EvidenceFile, Investigation
from backend.storage.store import Store

WAITS = (
    "No result can be stored until there is room: delete investigations, or free space on the server's disk."
)


@dataclass(frozen=True)
class Progress:
    """A moment of the work, complete in itself."""

    investigation: Investigation
    files: tuple[EvidenceFile, ...]

    @property
    def stage_number(self) -> int:
        """The stage all files have reached, or the one all files share after that."""
        if self.investigation.analysis == "finished":
            return len(STAGES)
        reached = min((file.stage_number for file in self.files), default=1)
        return max(reached, self.investigation.stage_number)


def read_progress(store: Store, investigation_id: str) -> Progress:
    """Where the work is now; raises NotFound."""
    if store.frozen is not None:
        return Progress(store.frozen.investigation, store.frozen.files)
    with store.database.reading() as session:
        investigation = investigations.get_investigation(session, investigation_id)
        files = evidence_files.list_files(session, investigation_id)
    if investigation.analysis in investigations.UNDER_WAY:
        # On a disk without a byte the database cannot take a message either, so it is made here.
        lack = store.room().lack_for_work()
        investigation = replace(investigation, message=f"{lack} {WAITS}" if lack else investigation.message)
    return Progress(investigation, tuple(files))


def read_revisions(store: Store, investigation_ids: Iterable[str]) -> dict[str, int]:
    """The revision of each: it grows whenever its progress has something new to say."""
    with store.database.reading() as session:
        return investigations.revisions(session, investigation_ids)


def list_files(store: Store, investigation_id: str, scope: Scope = WHOLE) -> list[EvidenceFile]:
    """All files of an investigation that the scope shows; raises NotFound."""
    files = read_progress(store, investigation_id).files
    return [file for file in files if scope.shows_input(file.name)]


def read_file(store: Store, investigation_id: str, file_id: str) -> EvidenceFile:
    """One file by id or name; raises NotFound."""
    if store.frozen is not None:
        return _frozen_file(store.frozen.files, file_id)
    with store.database.reading() as session:
        return evidence_files.get_file(session, investigation_id, file_id)


def _frozen_file(files: tuple[EvidenceFile, ...], file_id: str) -> EvidenceFile:
    found = [each for each in files if each.id == file_id] or [each for each in files if each.name == file_id]
    if not found:
        raise NotFound("There is no such file.")
    return found[0]
