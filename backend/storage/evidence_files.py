"""Rows of evidence files."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeGuard

from sqlalchemy import delete, func, select, text
from sqlalchemy.orm import Session

from backend.errors import NotFound
from backend.storage.acting import current_actor
from backend.storage.records import (
    DECODED,
    DECODING,
    FAILED,
    REFUSED,
    STAGES,
    STORED,
    UNDECIDED,
    UPLOADING,
    EvidenceFile,
    FileOutcome,
    FileProgress,
    NewMember,
    now_text,
)
from backend.storage.tables import EvidenceFileRow

BYTES_LOCK = 7_420_612
"""Key of the PostgreSQL advisory lock of who begins or ends the use of uploaded bytes."""

COLUMNS = (
    "id",
    "investigation_id",
    "name",
    "kind",
    "format",
    "size_bytes",
    "sha256",
    "status",
    "attempt",
    "created",
    "bundle_id",
    "host",
    "captured_at_ns",
    "stage_number",
    "stage_name",
    "packets",
    "bytes_done",
    "rate_packets_s",
    "lines",
    "lines_not_understood",
    "error",
    "holds_credentials",
    "uploaded_sha256",
    "owner_id",
    "token_id",
)


def add_file(
    session: Session,
    file_id: str,
    investigation_id: str,
    *,
    name: str,
    kind: str,
    format_name: str,
    size_bytes: int,
) -> None:
    """A file whose bytes are on their way, of who acts now."""
    maker = current_actor().maker
    session.add(
        EvidenceFileRow(
            id=file_id,
            investigation_id=investigation_id,
            name=name,
            kind=kind,
            format=format_name,
            size_bytes=size_bytes,
            status=UPLOADING,
            created=now_text(),
            owner_id=maker.owner_id,
            token_id=maker.token_id,
        )
    )
    session.flush()


def add_members(session: Session, bundle: EvidenceFile, members: Sequence[NewMember]) -> None:
    """Files that came out of a bundle: stored, and to be decoded like any other."""
    taken = {file.name for file in list_files(session, bundle.investigation_id)}
    for member in members:
        name = member.name if member.name not in taken else f"{bundle.name}/{member.name}"
        taken.add(name)
        session.add(
            EvidenceFileRow(
                id=member.id,
                investigation_id=bundle.investigation_id,
                name=name,
                kind=member.kind,
                format=member.format,
                size_bytes=member.size_bytes,
                sha256=member.sha256,
                status=STORED,
                created=now_text(),
                bundle_id=bundle.id,
                host=bundle.host,
                captured_at_ns=bundle.captured_at_ns,
                owner_id=bundle.owner_id,
                token_id=bundle.token_id,
            )
        )
    session.flush()


def list_members(session: Session, bundle_id: str) -> list[EvidenceFile]:
    """The files that came out of a bundle."""
    query = select(EvidenceFileRow).where(EvidenceFileRow.bundle_id == bundle_id)
    return [_record(row) for row in session.scalars(query)]


def get_file(session: Session, investigation_id: str, file_id: str) -> EvidenceFile:
    """One file, by its id or by its name; raises NotFound."""
    row = session.get(EvidenceFileRow, file_id)
    if row is None or row.investigation_id != investigation_id:
        found = find_file(session, investigation_id, file_id)
        if found is None:
            raise NotFound("There is no such file in this investigation; it may have been deleted.")
        return found
    return _record(row)


def find_file(session: Session, investigation_id: str, name: str) -> EvidenceFile | None:
    """The complete file of that name, if there is one."""
    query = select(EvidenceFileRow).where(
        EvidenceFileRow.investigation_id == investigation_id,
        EvidenceFileRow.name == name,
        EvidenceFileRow.status != UPLOADING,
    )
    row = session.scalars(query).first()
    return _record(row) if row else None


def list_files(session: Session, investigation_id: str) -> list[EvidenceFile]:
    """All files, in the order of their names."""
    query = select(EvidenceFileRow).where(EvidenceFileRow.investigation_id == investigation_id)
    return [_record(row) for row in session.scalars(query.order_by(EvidenceFileRow.name, EvidenceFileRow.id))]


def other_names(session: Session, file: EvidenceFile) -> set[str]:
    """The names of the other files of its investigation."""
    return {other.name for other in list_files(session, file.investigation_id) if other.id != file.id}


def list_uploading(session: Session) -> list[EvidenceFile]:
    """The unfinished uploads of all investigations."""
    query = select(EvidenceFileRow).where(EvidenceFileRow.status == UPLOADING)
    return [_record(row) for row in session.scalars(query)]


def is_uploading(session: Session, file_id: str) -> bool:
    """Whether the file is there and unfinished."""
    row = session.get(EvidenceFileRow, file_id)
    return row is not None and row.status == UPLOADING


def digests(session: Session) -> set[str]:
    """Of the bytes of all files."""
    return set(session.scalars(select(EvidenceFileRow.sha256).distinct()))


def mark_stored(
    session: Session, file_id: str, *, name: str, kind: str, format_name: str, sha256: str, size_bytes: int
) -> EvidenceFile:
    """All bytes are here and in the blob store; the file as it is now."""
    row = _row(session, file_id)
    row.name, row.kind, row.format = name, kind, format_name
    row.sha256, row.size_bytes, row.bytes_done = sha256, size_bytes, 0
    row.status, row.stage_number, row.stage_name = STORED, 1, STAGES[0]
    return _record(row)


def set_recognised(session: Session, file_id: str, *, kind: str, format_name: str) -> None:
    """What the first bytes of a running upload say that it is."""
    row = _row(session, file_id)
    row.kind, row.format = kind, format_name


def set_origin(session: Session, file_id: str, *, host: str | None, captured_at_ns: int | None) -> None:
    """Where and when a person says it was taken; what the file itself says goes first."""
    row = _row(session, file_id)
    row.host, row.captured_at_ns = host, captured_at_ns


def set_bytes_arrived(session: Session, file_id: str, size_bytes: int) -> None:
    """How much of a running upload is here."""
    row = _row(session, file_id)
    row.bytes_done = max(row.bytes_done, size_bytes)


def starts_of(session: Session, file_id: str, attempt: int) -> int | None:
    """How often workers have begun this attempt; None when it is not wanted, or decided."""
    row = session.get(EvidenceFileRow, file_id)
    if row is None or row.attempt != attempt or row.status not in UNDECIDED:
        return None
    return row.starts


def begin_decode(session: Session, file_id: str, attempt: int) -> int | None:
    """A worker begins: the number of its start, None as above."""
    if starts_of(session, file_id, attempt) is None:
        return None
    row = _row(session, file_id)
    row.starts += 1
    return row.starts


def forgive_start(session: Session, file_id: str, attempt: int) -> None:
    """The worker stops because it was asked to."""
    if starts_of(session, file_id, attempt):
        _row(session, file_id).starts -= 1


def new_attempt(session: Session, file_id: str) -> int:
    """The job of the current attempt is lost."""
    row = _row(session, file_id)
    row.attempt += 1
    return row.attempt


def set_decoding(
    session: Session, file_id: str, attempt: int, progress: FileProgress, *, start: int | None = None
) -> bool:
    """Write progress, never backwards; False when this attempt, or this start of it, is no longer wanted."""
    row = session.get(EvidenceFileRow, file_id)
    if not _is_wanted(row, attempt, start) or row.status not in UNDECIDED:
        return False
    row.status = DECODING
    row.stage_number = max(row.stage_number, progress.stage_number)
    row.stage_name = STAGES[row.stage_number - 1]
    row.packets = max(row.packets, progress.packets)
    row.bytes_done = max(row.bytes_done, progress.bytes_done)
    row.rate_packets_s = progress.rate_packets_s
    return True


def set_decoded(
    session: Session, file_id: str, attempt: int, outcome: FileOutcome, *, start: int | None = None
) -> bool:
    """Write what the decode has shown; False when this attempt, or this start of it, is no longer wanted."""
    row = session.get(EvidenceFileRow, file_id)
    if not _is_wanted(row, attempt, start):
        return False
    row.status, row.stage_number, row.stage_name = DECODED, 3, STAGES[2]
    row.kind, row.format = outcome.kind, outcome.format
    row.packets, row.bytes_done = outcome.packets, row.size_bytes
    row.lines, row.lines_not_understood = outcome.lines, outcome.lines_not_understood
    row.warnings, row.error = list(outcome.warnings), outcome.error
    row.not_understood_at = list(outcome.not_understood_at)
    row.holds_credentials = outcome.holds_credentials
    return True


def set_scrubbed(session: Session, file_id: str, attempt: int, sha256: str, warning: str) -> bool:
    """The bytes that are kept are others now, or, without a hash, none; False when the attempt is not wanted."""
    row = session.get(EvidenceFileRow, file_id)
    if row is None or row.attempt != attempt:
        return False
    row.uploaded_sha256 = row.uploaded_sha256 or row.sha256
    row.sha256, row.holds_credentials = sha256, False
    row.warnings = [*row.warnings, warning]
    return True


def replace_bytes(
    session: Session, file: EvidenceFile, sha256: str, warning: str, *, bundle_warning: str
) -> None:
    """Other bytes, or, without a hash, none, are kept of this attempt; and none of the bundle that it came in."""
    if not set_scrubbed(session, file.id, file.attempt, sha256, warning) or file.bundle_id is None:
        return
    bundle = get_file(session, file.investigation_id, file.bundle_id)
    if bundle.sha256:
        set_scrubbed(session, bundle.id, bundle.attempt, "", bundle_warning)


def set_undecodable(
    session: Session, file_id: str, attempt: int, sentence: str, *, refused: bool, start: int | None = None
) -> None:
    """The file cannot be read (`refused`), or we failed to."""
    row = session.get(EvidenceFileRow, file_id)
    if _is_wanted(row, attempt, start):
        row.status, row.error = (REFUSED if refused else FAILED), sentence


def call_off_decodes(session: Session, investigation_id: str) -> None:
    """Make running decodes give up; their files can be decoded again later."""
    query = select(EvidenceFileRow).where(
        EvidenceFileRow.investigation_id == investigation_id, EvidenceFileRow.status.in_(UNDECIDED)
    )
    for row in session.scalars(query):
        row.attempt += 1
        row.status, row.starts = STORED, 0


def retry_failed(session: Session, investigation_id: str) -> None:
    """Let files that failed by our fault be tried again."""
    query = select(EvidenceFileRow).where(
        EvidenceFileRow.investigation_id == investigation_id, EvidenceFileRow.status == FAILED
    )
    for row in session.scalars(query):
        row.attempt += 1
        row.status, row.error, row.starts = STORED, None, 0


def decode_again(session: Session, investigation_id: str, only: Collection[str] | None = None) -> None:
    """Let files that are decoded be decoded anew, or those of these ids; what came out of bundles has bytes of its
    own."""
    query = select(EvidenceFileRow).where(
        EvidenceFileRow.investigation_id == investigation_id,
        EvidenceFileRow.status == DECODED,
        EvidenceFileRow.kind != "bundle",
    )
    for row in session.scalars(query):
        if only is None or row.id in only:
            row.attempt += 1
            row.status, row.error, row.starts = STORED, None, 0


def is_wanted(session: Session, file_id: str, attempt: int, start: int | None = None) -> bool:
    """Whether the decode of that attempt still has a reader, and no other worker has begun it since."""
    return _is_wanted(session.get(EvidenceFileRow, file_id), attempt, start)


def _is_wanted(row: EvidenceFileRow | None, attempt: int, start: int | None) -> TypeGuard[EvidenceFileRow]:
    return row is not None and row.attempt == attempt and start in (None, row.starts)


def delete_file(session: Session, file_id: str) -> None:
    """Remove the row and those of what came out of it; blobs go when no row names them any more."""
    session.execute(
        delete(EvidenceFileRow).where(
            (EvidenceFileRow.id == file_id) | (EvidenceFileRow.bundle_id == file_id)
        )
    )


def delete_members(session: Session, bundle_id: str) -> None:
    """Remove what came out of a bundle, before it is opened anew."""
    session.execute(delete(EvidenceFileRow).where(EvidenceFileRow.bundle_id == bundle_id))


def hold_bytes(session: Session) -> None:
    """Until the end of this transaction nobody else decides which bytes are kept. (SQLite has one writer anyway.)"""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": BYTES_LOCK})


def blob_in_use(session: Session, sha256: str) -> bool:
    """Whether any file has these bytes."""
    query = select(func.count()).select_from(EvidenceFileRow).where(EvidenceFileRow.sha256 == sha256)
    return bool(session.scalar(query))


def _row(session: Session, file_id: str) -> EvidenceFileRow:
    row = session.get(EvidenceFileRow, file_id)
    if row is None:
        raise NotFound("There is no such upload; it may have been cancelled.")
    return row


def _record(row: EvidenceFileRow) -> EvidenceFile:
    return EvidenceFile(
        **{name: getattr(row, name) for name in COLUMNS},
        warnings=tuple(row.warnings or ()),
        not_understood_at=tuple(row.not_understood_at or ()),
    )
