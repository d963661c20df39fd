"""Take in a file: look at its first bytes, write the rest, hash it, keep it once.

An upload is resumable because the bytes on disk are the only truth about how far it came.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from backend.disk_space import is_disk_full
from backend.errors import (
    ChecksumMismatch,
    Conflict,
    DiskFull,
    InvalidRequest,
    TooLarge,
    Unavailable,
    UnknownFormat,
)
from backend.services.recognise_upload import HEAD_BYTES, recognise_upload
from backend.services.request_analysis import enqueue_analysis
from backend.services.visible_names import visible_name
from backend.storage import evidence_files, investigations
from backend.storage.audit_log import Act, write_event
from backend.storage.makers import Made
from backend.storage.named_files import StoredBytes, place_upload
from backend.storage.records import UPLOADING, EvidenceFile
from backend.storage.store import Store
from backend.storage.unused_bytes import remove_unused

NAME_LIMIT = 200
HASH_CHUNK_BYTES = 1 << 20
EPOCH_NS_LIMIT = 1 << 63
UNKNOWN_SIZE = 0
"""Announced size of an upload that does not say how long it will be."""


def begin_upload(
    store: Store,
    investigation_id: str,
    name: str,
    size_bytes: int,
    *,
    host: str | None = None,
    captured_at_ns: int | None = None,
) -> EvidenceFile:
    """Announce a file; its bytes follow in any number of pieces. Host and time are those a person gave."""
    name = checked_name(name)
    _check_origin(host, captured_at_ns)
    check_size(store, size_bytes)
    store.room().require(size_bytes)
    file_id = uuid4().hex
    # Bytes before the row: an upload that is listed can be written to.
    store.blobs.begin_incoming(file_id)
    try:
        return _add_row(store, investigation_id, file_id, name, size_bytes, host, captured_at_ns)
    except BaseException:
        store.blobs.discard_incoming(file_id)
        raise


def _add_row(
    store: Store,
    investigation_id: str,
    file_id: str,
    name: str,
    size_bytes: int,
    host: str | None,
    captured_at_ns: int | None,
) -> EvidenceFile:
    with store.database.writing() as session:
        investigations.touch_investigation(session, investigation_id)
        investigations.get_investigation(session, investigation_id)
        evidence_files.add_file(
            session, file_id, investigation_id, name=name, kind="", format_name="", size_bytes=size_bytes
        )
        if host or captured_at_ns is not None:
            evidence_files.set_origin(session, file_id, host=host, captured_at_ns=captured_at_ns)
        return evidence_files.get_file(session, investigation_id, file_id)


def check_size(store: Store, size_bytes: int) -> None:
    """Raises TooLarge for more than one file may have."""
    largest = store.settings.upload_max_bytes
    if size_bytes > largest:
        raise TooLarge(
            f"The file is larger than an upload may be: {size_bytes:,} bytes, limit {largest:,} bytes "
            "(STALLSCOPE_UPLOAD_MAX_BYTES)."
        )


def _check_origin(host: str | None, captured_at_ns: int | None) -> None:
    if host and not host.isprintable():
        raise InvalidRequest("A host name has no control characters.")
    if captured_at_ns is not None and not -EPOCH_NS_LIMIT <= captured_at_ns < EPOCH_NS_LIMIT:
        raise InvalidRequest("The capture time lies outside the years 1678 to 2261.")


def arrived_bytes(store: Store, file: EvidenceFile) -> int:
    """How many bytes of an upload are on disk."""
    if file.status != UPLOADING:
        return file.size_bytes
    path = store.blobs.incoming_path(file.id)
    return path.stat().st_size if path.exists() else 0


def expires_at(store: Store, file: EvidenceFile) -> float | None:
    """Unix time at which an unfinished upload is removed unless something arrives before; None where it is over."""
    try:
        arrived_s = store.blobs.incoming_path(file.id).stat().st_mtime
    except FileNotFoundError:
        return None
    return arrived_s + store.settings.upload_expires_s


def append_bytes(store: Store, file: EvidenceFile, piece: bytes) -> int:
    """Write the next piece of an upload; the new offset. Refuses, and forgets, what is not evidence."""
    path = store.blobs.incoming_path(file.id)
    if not path.exists():
        raise Conflict("The upload was cancelled or is already complete.")
    offset = path.stat().st_size
    check_size(store, offset + len(piece))
    if file.size_bytes != UNKNOWN_SIZE and offset + len(piece) > file.size_bytes:
        raise InvalidRequest("More bytes arrived than were announced.")
    if offset < HEAD_BYTES:
        _check_head(store, file, path.read_bytes() + piece[:HEAD_BYTES])
    with _leaving_nothing(store, file):
        store.room().require(len(piece))
        with path.open("ab") as stream:
            stream.write(piece)
    return offset + len(piece)


@contextmanager
def _leaving_nothing(store: Store, file: EvidenceFile) -> Iterator[None]:
    """Where the disk is full the upload is forgotten: kept, its bytes would hold the room that the message asks for."""
    try:
        yield
    except (DiskFull, OSError) as error:
        if isinstance(error, DiskFull) or is_disk_full(error):
            discard_upload(store, file)
        raise


def note_arrival(store: Store, file: EvidenceFile, offset: int) -> None:
    """Let listeners see how far the upload has come; whoever cannot be notified finds out later."""
    with suppress(Unavailable), store.database.writing() as session:
        evidence_files.set_bytes_arrived(session, file.id, offset)
        investigations.touch_investigation(session, file.investigation_id)


def complete_upload(
    store: Store,
    file: EvidenceFile,
    *,
    announced_sha256: str | None = None,
    may_replace: Callable[[Made], bool] | None = None,
) -> EvidenceFile:
    """All bytes are here: hash them, keep them, queue the analysis.

    A file of the same name with other bytes is replaced if `may_replace` allows it for what was made by those, else
    Conflict is raised; without `may_replace` the new one gets another name.
    """
    path = store.blobs.incoming_path(file.id)
    digest = _sha256_of(path)
    if announced_sha256 is not None and digest != announced_sha256.lower():
        discard_upload(store, file)
        raise ChecksumMismatch(
            f"The file's SHA-256 is {digest}, but {announced_sha256.lower()} was announced. "
            "Nothing was stored; send it again."
        )
    with _leaving_nothing(store, file):
        return _keep(store, file, path, digest, may_replace)


def _keep(
    store: Store, file: EvidenceFile, path: Path, digest: str, may_replace: Callable[[Made], bool] | None
) -> EvidenceFile:
    recognised = recognise_upload(_head_of(path))
    kept = StoredBytes(recognised.kind, recognised.format, digest, path.stat().st_size)
    generation = None
    try:
        with store.database.writing() as session:
            evidence_files.hold_bytes(session)
            placed = place_upload(session, file, kept, may_replace)
            if placed.is_new:
                act = Act.REPLACE_FILE if placed.gone else Act.UPLOAD_FILE
                write_event(session, act, investigation_id=file.investigation_id, subject=placed.file.name)
                # In one transaction: a file that is stored and that nobody analyses does not exist.
                generation = investigations.request_analysis(session, file.investigation_id)
                # The bytes go to their place before the rows can be seen, and stay where they came to until then.
                store.blobs.keep(file.id, digest)
    except DiskFull:
        remove_unused(store.database, store.blobs, [digest])
        raise
    except Conflict:
        discard_upload(store, file)
        raise
    store.blobs.discard_incoming(file.id)
    for gone in placed.gone:
        forget_bytes(store, gone)
    if generation is not None:
        enqueue_analysis(store, file.investigation_id, generation)
    return placed.file


def discard_upload(store: Store, file: EvidenceFile) -> None:
    """Forget an upload that will not be completed. Its bytes go first: on a full disk the row needs their room."""
    store.blobs.discard_incoming(file.id)
    with store.spare.given_up(), store.database.writing() as session:
        evidence_files.delete_file(session, file.id)
        investigations.touch_investigation(session, file.investigation_id)


def remove_file(store: Store, investigation_id: str, file_id: str) -> None:
    """Take a file out of an investigation; what remains is analyzed again."""
    with store.database.writing() as session:
        file = evidence_files.get_file(session, investigation_id, file_id)
        members = evidence_files.list_members(session, file.id)
        write_event(session, Act.DELETE_FILE, investigation_id=investigation_id, subject=file.name)
        evidence_files.delete_file(session, file.id)
        generation = None
        if file.status != UPLOADING:
            generation = investigations.inputs_changed(session, investigation_id)
    store.blobs.discard_incoming(file.id)
    for gone in (file, *members):
        forget_bytes(store, gone)
    if generation is not None:
        enqueue_analysis(store, investigation_id, generation)
    elif file.status != UPLOADING:
        shutil.rmtree(store.analysis_folder(investigation_id), ignore_errors=True)


def forget_bytes(store: Store, file: EvidenceFile) -> None:
    """Drop the tables of a removed file, and its bytes unless another file has the same."""
    remove_unused(store.database, store.blobs, [file.sha256])
    shutil.rmtree(store.file_folder(file.investigation_id, file.id), ignore_errors=True)


def store_text(
    store: Store,
    investigation_id: str,
    name: str,
    text: str,
    *,
    host: str | None = None,
    captured_at_ns: int | None = None,
) -> EvidenceFile:
    """Keep a pasted text as a file, with the host and time it was taken at if a person gave them."""
    content = text.encode()
    recognised = recognise_upload(content[:HEAD_BYTES])
    if recognised.kind != "dump":
        raise UnknownFormat("What was pasted is not text that a command printed.")
    file = begin_upload(store, investigation_id, name, len(content), host=host, captured_at_ns=captured_at_ns)
    append_bytes(store, file, content)
    return complete_upload(store, file)


def checked_name(name: str) -> str:
    """A file name without folders and control characters; raises InvalidRequest when nothing is left."""
    name = visible_name(name.replace("\\", "/").rsplit("/", 1)[-1]).strip()
    if name in ("", ".", ".."):
        raise InvalidRequest("A file needs a name.")
    if len(name) > NAME_LIMIT:
        raise InvalidRequest(f"A file name has at most {NAME_LIMIT} characters.")
    return name


def _check_head(store: Store, file: EvidenceFile, head: bytes) -> None:
    try:
        recognised = recognise_upload(head[:HEAD_BYTES])
    except UnknownFormat:
        discard_upload(store, file)
        raise
    with store.database.writing() as session:
        evidence_files.set_recognised(session, file.id, kind=recognised.kind, format_name=recognised.format)


def _head_of(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(HEAD_BYTES)


def _sha256_of(path: Path) -> str:
    if not path.exists():
        raise Conflict("The upload was cancelled or is already complete.")
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while piece := stream.read(HASH_CHUNK_BYTES):
            digest.update(piece)
    return digest.hexdigest()
