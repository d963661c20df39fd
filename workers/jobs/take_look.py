"""Job: a look into single frames, in a child process of small limits."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import structlog
from dbos import DBOS

from backend.errors import Cancelled, NotFound, UnreadableInput
from backend.limits import Limits
from backend.storage.job_queue import LOOK_WORKFLOW
from backend.storage.looks import Look, LookFile, LookFolder, LookOutcome, LookProgress, LookRequest
from backend.storage.pseudonym_keys import pseudonym_key
from workers.decode.anonymise.warm import ensure_anonymiser_compiled
from workers.jobs.anonymise_in_child import anonymise_in_child
from workers.jobs.clear_file import ClearFile
from workers.jobs.look_in_child import SCRATCH_PREFIX, access_of, look_in_child
from workers.jobs.outages import when_reachable, with_successor
from workers.jobs.running import MOST_STARTS
from workers.jobs.worker_context import WorkerContext, worker_context
from workers.sandbox import ChildDied, Costs

OUR_FAULT = "Stallscope failed on this. The worker's log has the details."
CHILD_ENDED = "The process that did this ended twice."
WORKERS_ENDED = (
    f"The worker process ended {MOST_STARTS} times while it did this. "
    "The log of the worker or of the system says why."
)

log = structlog.get_logger()


def look_limits(limits: Limits) -> Limits:
    """Of a child that looks: its own work is small, and what it starts has bounds of its own."""
    return replace(
        limits,
        child_memory_bytes=min(limits.child_memory_bytes, limits.look_memory_bytes),
        child_cpu_s=min(limits.child_cpu_s, 4 * limits.look_cpu_s),
    )


@DBOS.workflow(name=LOOK_WORKFLOW, max_recovery_attempts=None)
def take_look(investigation_id: str, look_id: str) -> None:
    """What came of it is in its folder."""
    context = worker_context()
    folder = LookFolder(context.store.investigation_folder(investigation_id), look_id)
    with context.running.under_way(str(DBOS.workflow_id), lambda: folder.count_start(-1)):
        look_and_keep(investigation_id, look_id)


@DBOS.step()
def look_and_keep(investigation_id: str, look_id: str) -> None:
    """Safe to repeat: the answer is written anew."""
    context = worker_context()
    folder = LookFolder(context.store.investigation_folder(investigation_id), look_id)
    try:
        look = folder.read()
    except NotFound:
        return
    if look.outcome.state not in ("queued", "running"):
        return
    if folder.starts >= MOST_STARTS:
        folder.finish(LookOutcome("failed", problem=WORKERS_ENDED))
        return
    with context.turns.turn(alone=folder.starts > 0):
        folder.count_start()
        outcome = _outcome_of(context, investigation_id, folder, look)
    if outcome is not None and not folder.is_cancelled:
        when_reachable(lambda: folder.finish(outcome))


def _outcome_of(
    context: WorkerContext, investigation_id: str, folder: LookFolder, look: Look
) -> LookOutcome | None:
    """None when nobody wants it any more."""
    try:
        when_reachable(lambda: folder.report(LookProgress()))
        return with_successor(context.store, lambda: _look(context, investigation_id, folder, look.request))
    except Cancelled:
        return None
    except UnreadableInput as error:
        return LookOutcome("failed", problem=error.sentence)
    except Exception as error:
        log.error("look failed", kind=look.request.kind, look=folder.id, error=str(error))
        said = f"{CHILD_ENDED} {error}" if isinstance(error, ChildDied) else OUR_FAULT
        return LookOutcome("failed", problem=said)
    finally:
        remove_scratch(folder.path)


def remove_scratch(folder: Path) -> None:
    """What a child that was killed could not remove: it may be a copy of an original."""
    for scratch in folder.glob(f"{SCRATCH_PREFIX}*"):
        shutil.rmtree(scratch, ignore_errors=True)


def _look(
    context: WorkerContext, investigation_id: str, folder: LookFolder, request: LookRequest
) -> LookOutcome:
    def notify(news: object) -> None:
        if isinstance(news, LookProgress) and folder.path.is_dir():
            folder.report(news)

    files = tuple(_place(context, investigation_id, file) for file in request.files)
    limits = context.looking.limits
    if request.kind == "anonymising" or request.anonymise:
        # It passes whole captures, as decoding does, so the limits are those of decoding.
        ensure_anonymiser_compiled()
        return context.anonymizing.run(
            anonymise_in_child,
            (
                request,
                folder.path,
                files,
                limits,
                pseudonym_key(context.store.database, investigation_id).hex(),
            ),
            notify=notify,
            is_wanted=lambda: not folder.is_cancelled,
            access=access_of(folder.path, files, may_start_programs=False),
            costs=Costs(owner=investigation_id),
        )
    return context.looking.run(
        look_in_child,
        (request, folder.path, files, limits),
        notify=notify,
        is_wanted=lambda: not folder.is_cancelled,
        access=access_of(folder.path, files, may_start_programs=True),
        costs=Costs(owner=investigation_id),
    )


def _place(context: WorkerContext, investigation_id: str, file: LookFile) -> ClearFile:
    tables = context.store.file_folder(investigation_id, file.id)
    return ClearFile(file.name, context.store.blobs.path(file.sha256), tables, file.holds_credentials)
