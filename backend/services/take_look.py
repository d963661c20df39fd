"""Asks for looks into single frames: a dissection, a Wireshark display filter, a carved capture.

Workers answer them; the same question asked again is answered by what is kept."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

from backend.errors import Conflict, Gone, InvalidRequest, NotFound, Unavailable
from backend.forensics.packets import NO_CONNECTION
from backend.forensics.tls_key_log import is_key_log
from backend.services.open_tables import capture_tables
from backend.services.read_progress import list_files, read_file
from backend.services.select_packets import Selection
from backend.storage.acting import current_actor
from backend.storage.capture_tables import frame_row, frames_before
from backend.storage.job_queue import look_job_id
from backend.storage.living_jobs import job_states
from backend.storage.looks import (
    Look,
    LookFile,
    LookFolder,
    LookKind,
    LookOutcome,
    LookRequest,
    clear_old_looks,
    next_attempt,
)
from backend.storage.packet_store import open_packets
from backend.storage.records import DECODED, EvidenceFile
from backend.storage.store import Store

LOOK_ID: Final = re.compile(r"[0-9a-f]{24}")
_BEFORE: Final = 400
"""Frames of a connection that are read before the one that is taken apart: for what was sent in pieces."""
ANONYMISED_NAME: Final = "anonymised.tar.gz"
_CHUNK: Final = 1 << 20
_SILENT_S: Final = 10.0
"""After this long somebody asks whether the job of an unfinished look still lives."""


def ask_dissection(store: Store, investigation_id: str, file_id: str, number: int) -> Look:
    """The protocol tree and the bytes of one frame; raises NotFound."""
    file = read_file(store, investigation_id, file_id)
    if file.kind != "capture":
        raise InvalidRequest("This file is a text, not a capture; ask for its lines.")
    tables = capture_tables(store, file)
    with open_packets(store.investigation_folder(investigation_id)) as query:
        row = frame_row(query, tables, number)
        if row is None:
            raise NotFound(f"{file.name} has no frame {number}.")
        before: list[int] = []
        whole = True
        if row["connection"] != NO_CONNECTION:
            before, whole = frames_before(query, tables, row["connection"], number, _BEFORE)
    request = LookRequest("dissection", stored_files([file]), frame=number, before=tuple(before), whole=whole)
    return ask_look(store, investigation_id, request)


def ask_display_filter(store: Store, investigation_id: str, text: str) -> Look:
    """The frames of all captures that match a Wireshark display filter."""
    if not text.strip():
        raise InvalidRequest("An empty filter wants everything; nothing need be asked.")
    captures = [
        file
        for file in list_files(store, investigation_id)
        if file.status == DECODED and file.kind == "capture" and file.sha256
    ]
    if not captures:
        raise Conflict("There is no decoded capture to filter (yet).")
    return ask_look(
        store, investigation_id, LookRequest("display-filter", stored_files(captures), filter=text.strip())
    )


def ask_carving(
    store: Store, investigation_id: str, selection: Selection, name: str, *, anonymise: bool = False
) -> Look:
    """A capture of exactly these frames; `anonymise`: with other addresses and names, and without payload."""
    if not selection.packets:
        raise InvalidRequest("Nothing is selected, so there is nothing to carve.")
    files = {file.name: file for file in list_files(store, investigation_id)}
    missing = [each for each in selection.frames if each not in files]
    if missing:
        raise NotFound(f"{missing[0]} is no longer a file of this investigation.")
    digest = hashlib.sha256(json.dumps(sorted(selection.frames.items())).encode()).hexdigest()
    chosen = stored_files([files[each] for each in sorted(selection.frames)])
    request = LookRequest(
        "carving", chosen, frames_digest=digest, packets=selection.packets, name=name, anonymise=anonymise
    )
    return ask_look(store, investigation_id, request, selection)


def ask_anonymising(store: Store, investigation_id: str) -> Look:
    """A tar.gz of all captures and dumps with other addresses and names, and without payload and TLS key logs."""
    files = [
        file
        for file in list_files(store, investigation_id)
        if file.status == DECODED and file.kind in ("capture", "dump") and not is_key_log(file.format)
    ]
    if not files:
        raise Conflict("There is no decoded file to anonymise (yet).")
    chosen = tuple(
        replace(
            each, kind=file.kind, origin=file.host or file.bundle_id or "", captured_at_ns=file.captured_at_ns
        )
        for file, each in zip(files, stored_files(files), strict=True)
    )
    packets = sum(file.packets for file in files)
    return ask_look(
        store, investigation_id, LookRequest("anonymising", chosen, packets=packets, name=ANONYMISED_NAME)
    )


def read_look(store: Store, investigation_id: str, look_id: str) -> Look:
    """How a look stands; raises NotFound. One whose job is lost is asked for again: whoever waits for it asks here."""
    folder = _folder(store, investigation_id, look_id)
    look = folder.read()
    return (
        _try_again(store, investigation_id, folder, look)
        if _is_lost(store, investigation_id, folder, look)
        else look
    )


def _is_lost(store: Store, investigation_id: str, folder: LookFolder, look: Look) -> bool:
    silent_s = folder.unfinished_for_s()
    if silent_s is None or silent_s < _SILENT_S or store.frozen is not None:
        return False
    job = look_job_id(investigation_id, look.id, look.attempt)
    try:
        return not job_states(store.database, store.jobs, [job]).get(job, False)
    except Unavailable:
        return False  # nobody knows


def _try_again(store: Store, investigation_id: str, folder: LookFolder, known: Look) -> Look:
    look = next_attempt(known)
    starts = folder.starts
    folder.begin(look.request, look.attempt)
    folder.count_start(starts)  # the same work, so who ended by it stays counted
    _enqueue(store, investigation_id, folder, look)
    return look


def _enqueue(store: Store, investigation_id: str, folder: LookFolder, look: Look) -> None:
    try:
        store.jobs.enqueue_look(investigation_id, folder.id, look.attempt)
    except Unavailable as error:
        folder.finish(LookOutcome("failed", problem=error.sentence))
        raise


def cancel_look(store: Store, investigation_id: str, look_id: str) -> None:
    """Who acts does not wait for it any more; it is called off unless somebody else does. One that is over stays as
    it is."""
    folder = _folder(store, investigation_id, look_id)
    look = folder.read()
    asker = current_actor().key
    if folder.was_asked_by(asker) and folder.forget_asker(asker):
        return
    if look.outcome.state in ("queued", "running"):
        folder.cancel()
        with suppress(Exception):  # a job that has begun asks for itself, ten times a second
            store.jobs.cancel_look(investigation_id, look_id, look.attempt)


def read_dissection(store: Store, investigation_id: str, look_id: str) -> dict[str, Any]:
    """The frame taken apart."""
    found: dict[str, Any] = json.loads(
        answer_of(store, investigation_id, look_id, "dissection").read_text("utf-8")
    )
    return found


def listed_frames(store: Store, investigation_id: str, look_id: str) -> str:
    """Path of the table of the frames that a display filter found."""
    return str(answer_of(store, investigation_id, look_id, "display-filter"))


def look_content(store: Store, investigation_id: str, look_id: str) -> tuple[str, int, Iterator[bytes]]:
    """(name, size in bytes, pieces) of a carved capture or an anonymised bundle."""
    request = _folder(store, investigation_id, look_id).read().request
    kind: LookKind = "anonymising" if request.kind == "anonymising" else "carving"
    path = answer_of(store, investigation_id, look_id, kind)
    name = request.name
    return name, path.stat().st_size, _pieces(path)


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(_CHUNK):
            yield piece


def answer_of(store: Store, investigation_id: str, look_id: str, kind: LookKind) -> Path:
    """The file of the answer; raises NotFound, Conflict while there is none, Gone when a file changed since."""
    folder = _folder(store, investigation_id, look_id)
    look = folder.read()
    if look.request.kind != kind:
        raise NotFound(f"This look is a {look.request.kind}.")
    if look.outcome.state != "done":
        raise Conflict(look.outcome.problem or f"The look is {look.outcome.state}.")
    _check_unchanged(store, investigation_id, look.request)
    folder.touch()
    answers: dict[LookKind, Path] = {
        "dissection": folder.dissection,
        "display-filter": folder.frames,
        "carving": folder.carved,
        "anonymising": folder.bundle,
        "wireshark": folder.wireshark,
    }
    return answers[kind]


def _check_unchanged(store: Store, investigation_id: str, request: LookRequest) -> None:
    """Raises Gone where a file has gone or changed since: credentials may be known in it by now that nobody knew of."""
    now = {file.id: file for file in list_files(store, investigation_id)}
    for asked in request.files:
        found = now.get(asked.id)
        marked = (asked.sha256, asked.holds_credentials)
        if found is None or (found.sha256, found.holds_credentials) != marked:
            raise Gone(f"{asked.name} was removed, replaced or decoded again since this was made. Ask again.")


def _folder(store: Store, investigation_id: str, look_id: str) -> LookFolder:
    if not LOOK_ID.fullmatch(look_id):
        raise NotFound("There is no such look.")
    return LookFolder(store.investigation_folder(investigation_id), look_id)


def stored_files(files: list[EvidenceFile]) -> tuple[LookFile, ...]:
    """The files as a question names them; raises Gone for one whose bytes were removed."""
    for file in files:
        if not file.sha256:
            raise Gone(
                f"The bytes of {file.name} were removed: they held credentials that could not be overwritten."
            )
    return tuple(LookFile(file.id, file.name, file.sha256, file.holds_credentials) for file in files)


def ask_look(
    store: Store, investigation_id: str, request: LookRequest, selection: Selection | None = None
) -> Look:
    """Hand a question to the workers, or find its answer; `selection` are the frames of a carving."""
    text = json.dumps(asdict(request), sort_keys=True)
    folder = _folder(store, investigation_id, hashlib.sha256(text.encode()).hexdigest()[:24])
    try:
        known = folder.read()
    except NotFound:
        known = Look(folder.id, request, 0, LookOutcome("failed"))
    if known.outcome.state in ("queued", "running", "done") and not _is_lost(
        store, investigation_id, folder, known
    ):
        folder.note_asker(current_actor().key)
        folder.touch()
        return known
    look = next_attempt(known)
    if selection is not None:
        folder.write_frames(sorted(selection.frames.items()))
    folder.begin(request, look.attempt)
    folder.note_asker(current_actor().key)
    clear_old_looks(store.investigation_folder(investigation_id), but=folder.id)
    _enqueue(store, investigation_id, folder, look)
    return look
