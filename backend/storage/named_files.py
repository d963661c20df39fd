"""A complete upload among the files of its investigation, where each name is taken once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy.orm import Session

from backend.errors import Conflict
from backend.storage import evidence_files
from backend.storage.makers import Made, investigation_maker
from backend.storage.records import EvidenceFile


@dataclass(frozen=True)
class StoredBytes:
    """What is known of the bytes of a complete upload."""

    kind: str
    format: str
    sha256: str
    size_bytes: int


@dataclass(frozen=True)
class Placed:
    """What came of it."""

    file: EvidenceFile
    gone: tuple[EvidenceFile, ...] = ()
    """The file that was replaced, and what came out of it."""
    is_new: bool = True
    """False where the same bytes were there already under that name."""


def place_upload(
    session: Session,
    upload: EvidenceFile,
    bytes_: StoredBytes,
    may_replace: Callable[[Made], bool] | None,
) -> Placed:
    """Make the upload a file of its investigation. Other bytes under its name are replaced where `may_replace` allows
    it, else Conflict is raised; without `may_replace` the upload gets another name."""
    same_name = evidence_files.find_file(session, upload.investigation_id, upload.name)
    if same_name is not None and _is_same(same_name, upload, bytes_.sha256):
        evidence_files.delete_file(session, upload.id)
        return Placed(same_name, is_new=False)
    gone: tuple[EvidenceFile, ...] = ()
    if same_name is not None and may_replace is not None:
        if not may_replace(Made(investigation_maker(session, upload.investigation_id), same_name.maker)):
            raise Conflict(
                f"There is a file {upload.name} with other bytes, which only its owner or an admin may replace. "
                "Give yours another name."
            )
        gone = (same_name, *evidence_files.list_members(session, same_name.id))
        evidence_files.delete_file(session, same_name.id)
    stored = evidence_files.mark_stored(
        session,
        upload.id,
        name=free_name(upload.name, evidence_files.other_names(session, upload)),
        kind=bytes_.kind,
        format_name=bytes_.format,
        sha256=bytes_.sha256,
        size_bytes=bytes_.size_bytes,
    )
    return Placed(stored, gone)


def free_name(name: str, taken: set[str]) -> str:
    """``eth0 (2).pcap`` when ``eth0.pcap`` is taken."""
    stem, dot, ending = name.partition(".")
    number, candidate = 2, name
    while candidate in taken:
        candidate = f"{stem} ({number}){dot}{ending}"
        number += 1
    return candidate


def _is_same(kept: EvidenceFile, upload: EvidenceFile, digest: str) -> bool:
    """The same bytes, and nothing else is said of where and when they were taken."""
    details = (upload.host, upload.captured_at_ns)
    return digest in (kept.sha256, kept.uploaded_sha256) and details in (
        (None, None),
        (kept.host, kept.captured_at_ns),
    )
