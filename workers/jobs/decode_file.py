"""Job: one file to its tables."""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import structlog
from dbos import DBOS

from backend.errors import Cancelled, UnreadableInput
from backend.forensics.dumps import Dump
from backend.limits import Limits
from backend.storage import evidence_files, investigations
from backend.storage.records import DECODED, UNDECIDED, EvidenceFile, FileOutcome, FileProgress
from workers.decode.left_out import is_bundle
from workers.decode.reading import DecodeProgress
from workers.decode.warm import ensure_compiled
from workers.jobs.scrub_file import keep_scrubbed, scrub_in_child
from workers.jobs.unpack_bundle import OpenedBundle, keep_members, open_in_child
from workers.jobs.workshop import Workshop, workshop
from workers.pipeline import Ingested, ingest_file
from workers.sandbox import ChildDied, Tell

DECODE_WORKFLOW = "decode_file"
IDENTIFY, DECODE = 2, 3
TELL_EVERY_S = 0.25
LINES_KEPT = 200
"""Numbers of lines nobody understood that are kept to be shown; all are counted."""
OUR_FAULT = "Stallscope failed on this file. Its bytes are kept; the worker's log has the details."

log = structlog.get_logger()


def decode_job_id(file_id: str, attempt: int) -> str:
    """Name of the job: one attempt is made once, whichever analysis asks for it."""
    return f"decode/{file_id}/{attempt}"


@DBOS.workflow(name=DECODE_WORKFLOW)
def decode_file(investigation_id: str, file_id: str, attempt: int) -> None:
    """Decode one file; what came of it is in the file's row."""
    decode_in_child(investigation_id, file_id, attempt)


@DBOS.step()
def decode_in_child(investigation_id: str, file_id: str, attempt: int) -> None:
    """Safe to repeat: the tables are written anew, and progress never goes back."""
    shop = workshop()
    with shop.store.database.reading() as session:
        if not evidence_files.is_wanted(session, file_id, attempt):
            return
        file = evidence_files.get_file(session, investigation_id, file_id)
    if file.status not in UNDECIDED:
        return
    try:
        outcome = _decode(shop, file)
    except Cancelled:
        return
    except UnreadableInput as error:
        _write_failure(shop, file, error.sentence, refused=True)
    except (ChildDied, RuntimeError) as error:
        log.error("decode failed", file=file.name, sha256=file.sha256, error=str(error))
        _write_failure(shop, file, OUR_FAULT, refused=False)
    else:
        _keep(shop, file, outcome)


def _keep(shop: Workshop, file: EvidenceFile, outcome: FileOutcome | OpenedBundle) -> None:
    if isinstance(outcome, OpenedBundle):
        keep_members(shop.store, file, outcome)
        return
    with shop.store.database.writing() as session:
        evidence_files.set_decoded(session, file.id, file.attempt, outcome)
        investigations.touch_investigation(session, file.investigation_id)
    if outcome.holds_credentials and shop.store.settings.scrub_on_upload:
        keep_scrubbed(shop.store, file)


def _decode(shop: Workshop, file: EvidenceFile) -> FileOutcome | OpenedBundle:
    folder = shop.store.file_folder(file.investigation_id, file.id)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)

    def tell(news: object) -> None:
        with shop.store.database.writing() as session:
            if isinstance(news, FileProgress):
                evidence_files.set_decoding(session, file.id, file.attempt, news)
                investigations.touch_investigation(session, file.investigation_id)
            else:
                investigations.set_message(session, file.investigation_id, str(news))

    def is_wanted() -> bool:
        with shop.store.database.reading() as session:
            return evidence_files.is_wanted(session, file.id, file.attempt)

    tell(FileProgress(IDENTIFY, 0, 0, None))
    arguments = (
        file.kind == "capture",
        shop.store.blobs.path(file.sha256),
        file.name,
        folder,
        file.sha256,
        file.host,
        file.captured_at_ns,
        shop.store.settings.limits,
        shop.store.settings.scrub_on_upload,
    )
    return shop.children.run(ingest_in_child, arguments, tell=tell, is_wanted=is_wanted)


def get_ready(tell: Tell) -> None:
    """A child's first work: import and load everything, so that the first upload need not wait for it."""
    del tell
    ensure_compiled()


def ingest_in_child(
    is_capture: bool,
    path: Path,
    name: str,
    folder: Path,
    sha256: str,
    host: str | None,
    captured_at_ns: int | None,
    limits: Limits,
    scrub: bool,
    tell: Tell,
) -> FileOutcome | OpenedBundle:
    """The child's part: decode or unpack, and say now and then how far it is."""
    if is_bundle(path):
        return open_in_child(path, folder, limits)
    # The first time on a machine this compiles for a while, which must not look like a hang.
    ensure_compiled(tell)
    started = told = time.monotonic()

    def progress(reached: DecodeProgress) -> None:
        nonlocal told
        now = time.monotonic()
        if now - told >= TELL_EVERY_S:
            told = now
            rate = reached.packets / (now - started)
            tell(FileProgress(DECODE, reached.packets, reached.bytes_done, rate))

    ingested = ingest_file(
        path,
        name=name,
        folder=folder,
        sha256=sha256,
        host=host,
        captured_at_ns=captured_at_ns,
        keep_packets=True,
        progress=progress,
        cancelled=None,
        limits=limits,
    )
    if scrub and ingested.part.holds_credentials:
        scrub_in_child(path, ingested, folder)
    return _outcome(ingested)


def _outcome(ingested: Ingested) -> FileOutcome:
    shown = ingested.part
    return FileOutcome(
        kind=shown.kind,
        format=shown.format,
        packets=shown.packets,
        lines=shown.lines,
        lines_not_understood=shown.lines_not_understood,
        not_understood_at=_strange_lines(ingested.dumps),
        warnings=tuple(shown.warnings),
        error=shown.error,
        holds_credentials=shown.holds_credentials,
    )


def _strange_lines(dumps: Sequence[Dump]) -> tuple[int, ...]:
    return tuple(sorted({n for dump in dumps for n in dump.lines_not_understood})[:LINES_KEPT])


def _write_failure(shop: Workshop, file: EvidenceFile, sentence: str, *, refused: bool) -> None:
    with shop.store.database.writing() as session:
        evidence_files.set_undecodable(session, file.id, file.attempt, sentence, refused=refused)
        investigations.touch_investigation(session, file.investigation_id)


@dataclass(frozen=True)
class DecodedFile:
    """Where the tables of a file are, and the bundle it came in."""

    folder: Path
    bundle: str | None = None


def decoded_files(files: list[EvidenceFile], shop: Workshop) -> list[DecodedFile]:
    """The files that can be analysed."""
    names = {file.id: file.name for file in files}
    return [
        DecodedFile(shop.store.file_folder(f.investigation_id, f.id), names.get(f.bundle_id or ""))
        for f in files
        if f.status == DECODED and f.kind != "bundle"
    ]
