"""Job: an investigation fans out over its files, and comes together in one report."""

from __future__ import annotations

import os
import shutil
import traceback
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import structlog
from dbos import DBOS, SetEnqueueOptions, SetWorkflowID

from backend.errors import Cancelled, UnreadableInput
from backend.storage import evidence_files, investigations
from backend.storage.default_names import name_if_unnamed
from backend.storage.job_queue import ANALYSE_WORKFLOW, FILES_QUEUE, analysis_job_id, decode_job_id
from backend.storage.living_jobs import job_states
from backend.storage.records import DECODED, UNDECIDED, EvidenceFile
from backend.storage.store import Store
from workers.decode.left_out import LeftOut
from workers.jobs.decode_file import costs_of, decode_file, decoded_files
from workers.jobs.judge_in_child import DecodedFile, Judged, StageReached, Summary, Terms, judge_in_child
from workers.jobs.judge_surviving import judge_surviving
from workers.jobs.outages import if_reachable, is_outage, require_room, when_reachable, with_successor
from workers.jobs.running import MOST_STARTS
from workers.jobs.unpack_bundle import what_is_left_out
from workers.jobs.worker_context import WorkerContext, worker_context
from workers.sandbox import Access, ChildDied
from workers.table_layout import has_this_layout

ROUNDS = 5
"""What comes out of bundles is decoded in a second round; nothing comes out of that. More are for lost jobs."""
NOTHING_READABLE = "None of the files could be read, so there is nothing to analyse."
OUR_FAULT = (
    "The analysis failed by a fault of Stallscope's. The files are kept; the worker's log has the details."
)
CHILD_ENDED = "The process that analyzed the files ended twice. The files are kept."
WORKERS_ENDED = (
    f"The worker process ended {MOST_STARTS} times while it analyzed these files. They are kept; the log of the worker "
    "or of the system says why it ended."
)

log = structlog.get_logger()


@DBOS.workflow(name=ANALYSE_WORKFLOW, max_recovery_attempts=None)
def analyse_investigation(investigation_id: str, generation: int) -> None:
    """Wait for a quiet moment, decode what is not decoded yet, then judge all files together."""
    context = worker_context()

    def forgive() -> None:
        with context.store.database.writing() as session:
            investigations.count_judging(session, investigation_id, generation, by=-1)

    with context.running.under_way(analysis_job_id(investigation_id, generation), forgive):
        try:
            _decode_and_judge(investigation_id, generation)
        except Exception as error:
            trace = "".join(traceback.format_exception(error))
            log.error("analysis failed", investigation=investigation_id, exception=trace)
            if not is_outage(error):  # else it has no outcome: workers begin anew what has no job
                give_up(investigation_id, generation)


def _decode_and_judge(investigation_id: str, generation: int) -> None:
    DBOS.sleep(worker_context().store.settings.quiet_s)
    for _ in range(ROUNDS):
        waiting = begin(investigation_id, generation)
        if waiting is None:
            return
        if not waiting:
            judge(investigation_id, generation)
            return
        _decode_all(investigation_id, waiting)
    # Jobs were lost again and again. The row still says that it runs, so workers begin it anew after a pause.
    log.warning("files are still not decoded", investigation=investigation_id)


def _decode_all(investigation_id: str, waiting: list[list[Any]]) -> None:
    handles = []
    for file_id, attempt in waiting:
        with (
            SetWorkflowID(decode_job_id(file_id, attempt)),
            SetEnqueueOptions(queue_partition_key=investigation_id),
        ):
            handles.append(
                DBOS.enqueue_workflow(FILES_QUEUE, decode_file, investigation_id, file_id, attempt)
            )
    for handle in handles:
        try:
            handle.get_result()
        except Exception as error:
            # Set aside by the engine or called off: what counts is the file's row, which `begin` reads again.
            log.warning("a decode ended without a result", investigation=investigation_id, error=str(error))


@DBOS.step()
def begin(investigation_id: str, generation: int) -> list[list[Any]] | None:
    """[file, attempt] of each file to decode; None when this analysis is out of date."""
    return when_reachable(lambda: _begin(worker_context().store, investigation_id, generation))


def _begin(store: Store, investigation_id: str, generation: int) -> list[list[Any]] | None:
    with store.database.reading() as session:
        files = evidence_files.list_files(session, investigation_id)
    jobs = [decode_job_id(file.id, file.attempt) for file in files if file.status in UNDECIDED]
    lives = job_states(store.database, store.jobs, jobs)
    with store.database.writing() as session:
        if not investigations.set_analysis(session, investigation_id, generation, "running"):
            return None
        evidence_files.decode_again(session, investigation_id, only=decoded_otherwise(store, files))
        waiting = []
        for file in evidence_files.list_files(session, investigation_id):
            if file.status in UNDECIDED:
                is_lost = lives.get(decode_job_id(file.id, file.attempt)) is False
                attempt = evidence_files.new_attempt(session, file.id) if is_lost else file.attempt
                waiting.append([file.id, attempt])
        return waiting


def decoded_otherwise(store: Store, files: list[EvidenceFile]) -> set[str]:
    """Files whose tables another version wrote, with other columns."""
    decoded = [file for file in files if file.status == DECODED and file.kind != "bundle"]
    return {
        file.id for file in decoded if not has_this_layout(store.file_folder(file.investigation_id, file.id))
    }


@DBOS.step()
def judge(investigation_id: str, generation: int) -> None:
    """Join, detect, diagnose, in a child; safe to repeat."""
    context = worker_context()

    def starts() -> int | None:
        with context.store.database.reading() as session:
            return investigations.judging_starts(session, investigation_id, generation)

    before = when_reachable(starts)
    if before is None:
        return
    if before >= MOST_STARTS:
        _finish(context, investigation_id, generation, "failed", message=WORKERS_ENDED)
        return

    def count() -> None:
        with context.store.database.writing() as session:
            investigations.count_judging(session, investigation_id, generation, by=1)

    with context.turns.turn(alone=before > 0):
        when_reachable(count)
        _judge(context, investigation_id, generation)


def _judge(context: WorkerContext, investigation_id: str, generation: int) -> None:
    try:
        summary = with_successor(context.store, lambda: _judge_once(context, investigation_id, generation))
    except Cancelled:
        return
    except UnreadableInput as error:
        # First: on a full disk its row may need the room.
        shutil.rmtree(_unfinished(context, investigation_id), ignore_errors=True)
        _finish(context, investigation_id, generation, "failed", message=error.sentence)
        return
    except Exception as error:
        log.error("analysis failed", investigation=investigation_id, error=str(error))
        said = f"{CHILD_ENDED} {error}" if isinstance(error, ChildDied) else OUR_FAULT
        _finish(context, investigation_id, generation, "failed", message=said)
        return
    if summary is None:
        _finish(context, investigation_id, generation, "failed", message=NOTHING_READABLE)
    else:
        _finish(context, investigation_id, generation, "finished", summary=asdict(summary))


def _judge_once(context: WorkerContext, investigation_id: str, generation: int) -> Summary | None:
    """None when nothing can be read."""
    with context.store.database.reading() as session:
        investigation = investigations.get_investigation(session, investigation_id)
        files = evidence_files.list_files(session, investigation_id)
    decoded = decoded_files(files, context)
    if not decoded:
        return None
    subject = (decoded, what_is_left_out(context.store, files), investigation.label)
    size_bytes = sum(file.size_bytes for file in files)
    return _judge_in_child(context, investigation_id, generation, subject, size_bytes)


@DBOS.step()
def give_up(investigation_id: str, generation: int) -> None:
    """Say that it failed."""
    _finish(worker_context(), investigation_id, generation, "failed", message=OUR_FAULT)


def _judge_in_child(
    context: WorkerContext,
    investigation_id: str,
    generation: int,
    subject: tuple[list[DecodedFile], LeftOut, str],
    size_bytes: int,
) -> Summary:
    def write(news: object) -> None:
        assert isinstance(news, StageReached)
        with context.store.database.writing() as session:
            investigations.set_stage(
                session,
                investigation_id,
                generation,
                news.stage_number,
                message=news.message,
                findings=news.findings,
                found=tuple(asdict(each) for each in news.found),
            )

    created = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
    folder = context.store.analysis_folder(investigation_id)
    fresh = _unfinished(context, investigation_id)

    def in_child(terms: Terms) -> Judged:
        shutil.rmtree(fresh, ignore_errors=True)
        require_room(context.store)
        fresh.mkdir(parents=True)
        return context.children.run(
            judge_in_child,
            (*subject, created, context.tool_version, fresh, terms),
            notify=lambda news: if_reachable(lambda: write(news), None),
            is_wanted=lambda: if_reachable(lambda: _is_current(context, investigation_id, generation), True),
            access=Access(read=tuple(file.folder for file in subject[0]), write=(fresh,)),
            costs=costs_of(context.store.settings.limits, investigation_id, size_bytes),
        )

    summary = judge_surviving(context.store.settings.limits, fresh, in_child)
    _replace_result(fresh, folder)
    return summary


def _unfinished(context: WorkerContext, investigation_id: str) -> Path:
    """The folder that an analysis writes into."""
    return context.store.analysis_folder(investigation_id).with_name("analysis.new")


def _replace_result(fresh: Path, folder: Path) -> None:
    """The report comes last, so readers never see it without what it refers to."""
    folder.mkdir(parents=True, exist_ok=True)
    for written in sorted(fresh.iterdir(), key=lambda path: path.name == "report.json"):
        os.replace(written, folder / written.name)
    fresh.rmdir()


def _is_current(context: WorkerContext, investigation_id: str, generation: int) -> bool:
    with context.store.database.reading() as session:
        return investigations.is_current(session, investigation_id, generation)


def _finish(
    context: WorkerContext,
    investigation_id: str,
    generation: int,
    state: str,
    *,
    message: str = "",
    summary: dict[str, Any] | None = None,
) -> None:
    def write() -> None:
        with context.store.database.writing() as session:
            is_written = investigations.set_analysis(
                session, investigation_id, generation, state, message=message, summary=summary
            )
            if is_written and summary is not None:
                name_if_unnamed(session, investigation_id, summary["name"])

    when_reachable(write)
