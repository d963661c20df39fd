"""Job: one file to its tables."""

from __future__ import annotations

import shutil
from dataclasses import dataclass

import structlog
from dbos import DBOS

from backend.disk_space import says_disk_full
from backend.errors import Cancelled, UnreadableInput
from backend.limits import Limits
from backend.storage import evidence_files, investigations
from backend.storage.job_queue import decode_job_id
from backend.storage.records import DECODED, EvidenceFile, FileOutcome, FileProgress
from workers.decode.warm import ensure_compiled
from workers.jobs.ingest_in_child import ingest_in_child
from workers.jobs.judge_in_child import DecodedFile
from workers.jobs.open_in_child import OpenedBundle
from workers.jobs.outages import if_reachable, require_room, when_reachable, with_successor
from workers.jobs.running import MOST_STARTS
from workers.jobs.scrub_file import (
    BUNDLE_REMOVED,
    ScrubbedBytes,
    adopt_scrubbed,
    forget_replaced,
    remove_half_scrubbed,
    scrubbed_bytes,
)
from workers.jobs.unpack_bundle import keep_members
from workers.jobs.worker_context import WorkerContext, worker_context
from workers.sandbox import Access, ChildDied, Costs

DECODE_WORKFLOW = "decode_file"
IDENTIFY = 2
CHILD_ENDED = "The process that read this file ended twice, so the file is left out. Its bytes are kept."
OUR_FAULT = "Stallscope failed on this file. Its bytes are kept; the worker's log has the details."
WORKERS_ENDED = (
    f"The worker process ended {MOST_STARTS} times while it read this file, so the file is left out. Its bytes are "
    "kept; the log of the worker or of the system says why it ended."
)

log = structlog.get_logger()


@dataclass(frozen=True)
class _Start:
    """One worker's go at an attempt."""

    file: EvidenceFile
    number: int


@dataclass(frozen=True)
class _Failure:
    """Nothing can be read from it."""

    sentence: str
    refused: bool


_Result = FileOutcome | OpenedBundle | _Failure


@DBOS.workflow(name=DECODE_WORKFLOW, max_recovery_attempts=None)
def decode_file(investigation_id: str, file_id: str, attempt: int) -> None:
    """Decode one file; what came of it is in the file's row."""
    context = worker_context()

    def forgive() -> None:
        with context.store.database.writing() as session:
            evidence_files.forgive_start(session, file_id, attempt)

    with context.running.under_way(decode_job_id(file_id, attempt), forgive):
        decode_in_child(investigation_id, file_id, attempt)


@DBOS.step()
def decode_in_child(investigation_id: str, file_id: str, attempt: int) -> None:
    """Safe to repeat: the tables are written anew, and progress never goes back."""
    context = worker_context()

    def starts() -> int | None:
        with context.store.database.reading() as session:
            return evidence_files.starts_of(session, file_id, attempt)

    before = when_reachable(starts)
    if before is None:
        when_reachable(lambda: forget_replaced(context.store, investigation_id, file_id))
        return
    with context.turns.turn(alone=before > 0):
        start = when_reachable(lambda: _begin(context, investigation_id, file_id, attempt))
        if start is None:
            return
        result = _result_of(context, start)
        if result is not None:
            _keep(context, start, result)


def _begin(context: WorkerContext, investigation_id: str, file_id: str, attempt: int) -> _Start | None:
    with context.store.database.writing() as session:
        if evidence_files.starts_of(session, file_id, attempt) == MOST_STARTS:
            evidence_files.set_undecodable(session, file_id, attempt, WORKERS_ENDED, refused=False)
            investigations.touch_investigation(session, investigation_id)
            return None
        number = evidence_files.begin_decode(session, file_id, attempt)
        if number is None:
            return None
        return _Start(evidence_files.get_file(session, investigation_id, file_id), number)


def _result_of(context: WorkerContext, start: _Start) -> _Result | None:
    """None when nobody wants it any more."""
    file = start.file
    try:
        return with_successor(context.store, lambda: _decode(context, start))
    except Cancelled:
        return None
    except UnreadableInput as error:
        # Nothing is wrong with a file for which there was no room: it is tried again with the next analysis.
        return _Failure(error.sentence, refused=not says_disk_full(error.sentence))
    except ChildDied as error:
        log.error("decode ended", file=file.name, sha256=file.sha256, error=str(error))
        return _Failure(f"{CHILD_ENDED} {error}", refused=False)
    except Exception as error:
        log.error("decode failed", file=file.name, sha256=file.sha256, error=str(error))
        return _Failure(OUR_FAULT, refused=False)


def _keep(context: WorkerContext, start: _Start, result: _Result) -> None:
    file = start.file
    if isinstance(result, _Failure):
        # First: on a full disk its row may need the room.
        shutil.rmtree(context.store.file_folder(file.investigation_id, file.id), ignore_errors=True)
        when_reachable(lambda: _write_failure(context, start, result))
    elif isinstance(result, OpenedBundle):
        when_reachable(lambda: keep_members(context.store, file, result, start.number))
    else:
        scrubs = result.holds_credentials and context.store.settings.scrub_on_upload
        scrubbed = when_reachable(lambda: scrubbed_bytes(context.store, file)) if scrubs else None
        when_reachable(lambda: _write_outcome(context, start, result, scrubbed))
        if scrubbed is not None:
            when_reachable(lambda: forget_replaced(context.store, file.investigation_id, file.id))


def _write_outcome(
    context: WorkerContext, start: _Start, outcome: FileOutcome, scrubbed: ScrubbedBytes | None
) -> None:
    file = start.file
    with context.store.database.writing() as session:
        if scrubbed is not None:
            evidence_files.hold_bytes(session)
        if not evidence_files.set_decoded(session, file.id, file.attempt, outcome, start=start.number):
            return
        if scrubbed is not None:
            adopt_scrubbed(context.store, file, scrubbed)
            evidence_files.replace_bytes(
                session, file, scrubbed.sha256, scrubbed.warning, bundle_warning=BUNDLE_REMOVED
            )
        investigations.touch_investigation(session, file.investigation_id)


def _decode(context: WorkerContext, start: _Start) -> FileOutcome | OpenedBundle:
    file = start.file
    folder = context.store.file_folder(file.investigation_id, file.id)
    shutil.rmtree(folder, ignore_errors=True)
    require_room(context.store)
    folder.mkdir(parents=True)

    def write(news: object) -> None:
        with context.store.database.writing() as session:
            if isinstance(news, FileProgress):
                evidence_files.set_decoding(session, file.id, file.attempt, news, start=start.number)
                investigations.touch_investigation(session, file.investigation_id)
            else:
                investigations.set_message(session, file.investigation_id, str(news))

    def ask() -> bool:
        with context.store.database.reading() as session:
            return evidence_files.is_wanted(session, file.id, file.attempt, start.number)

    def notify(news: object) -> None:
        if_reachable(lambda: write(news), None)

    notify(FileProgress(IDENTIFY, 0, 0, None))
    arguments = (
        file.bundle_id is not None,
        context.store.blobs.path(file.sha256),
        file.name,
        folder,
        file.sha256,
        file.host,
        file.captured_at_ns,
        context.store.settings.limits,
        context.store.settings.scrub_on_upload,
    )
    # The first time on a machine this compiles for a while, which must not look like a hang.
    ensure_compiled(notify)
    stored = context.store.blobs.path(file.sha256)
    return context.children.run(
        ingest_in_child,
        arguments,
        notify=notify,
        is_wanted=lambda: if_reachable(ask, True),
        access=Access(read=(stored,), write=(folder,)),
        costs=costs_of(context.store.settings.limits, file.investigation_id, file.size_bytes),
    )


def costs_of(limits: Limits, investigation_id: str, size_bytes: int) -> Costs:
    """Of work on files of an investigation that have this size together."""
    return Costs(
        owner=investigation_id,
        is_small=size_bytes <= limits.small_bytes,
        cpu_s=limits.child_cpu_least_s + size_bytes * limits.child_cpu_s_per_gib // (1 << 30),
    )


def _write_failure(context: WorkerContext, start: _Start, failure: _Failure) -> None:
    file = start.file
    remove_half_scrubbed(context.store, file)
    with context.store.database.writing() as session:
        evidence_files.set_undecodable(
            session, file.id, file.attempt, failure.sentence, refused=failure.refused, start=start.number
        )
        investigations.touch_investigation(session, file.investigation_id)


def decoded_files(files: list[EvidenceFile], context: WorkerContext) -> list[DecodedFile]:
    """The files that can be analysed."""
    names = {file.id: file.name for file in files}
    return [
        DecodedFile(context.store.file_folder(f.investigation_id, f.id), names.get(f.bundle_id or ""))
        for f in files
        if f.status == DECODED and f.kind != "bundle"
    ]
