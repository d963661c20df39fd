"""The job engine of one worker process: start, signs of life, take over from the dead, stop."""

from __future__ import annotations

import math
import os
import socket
import threading
import time
from contextlib import suppress
from uuid import uuid4

import structlog
from dbos import DBOS

from backend.errors import Unavailable, WrongSetting
from backend.machine_memory import memory_bytes
from backend.services.audit import clear_audit_log
from backend.services.clear_leftovers import clear_leftovers
from backend.services.freeze_investigation import clear_ended
from backend.storage import executors, investigations
from backend.storage.job_queue import (
    ANALYSES_QUEUE,
    APPLICATION,
    FILES_QUEUE,
    JOBS_VERSION,
    JSON_ONLY,
    LOOKS_QUEUE,
    analysis_job_id,
)
from backend.storage.living_jobs import job_states
from backend.storage.postgres import with_keepalive
from backend.storage.queued_jobs import QueuedJobs
from backend.storage.store import Store
from workers.confinement.trial import confinement_here
from workers.jobs import analyse_investigation as _analyse  # noqa: F401 (the engine finds jobs by name)
from workers.jobs import take_look as _look
from workers.jobs.anonymise_in_child import anonymise_in_child
from workers.jobs.ingest_in_child import ingest_in_child, prepare
from workers.jobs.judge_in_child import judge_in_child
from workers.jobs.look_in_child import look_in_child
from workers.jobs.resting_queues import REST_S, RestingQueues
from workers.jobs.worker_context import WorkerContext, set_worker_context
from workers.sandbox import ChildPool
from workers.sandbox.memory import fit_to_memory

REVIVE_EVERY_BEATS = 10
SPARE_EVERY_BEATS = 30
CLEAR_EVERY_BEATS = 600
LOOKS_AT_ONCE = 2
ANONYMIZED_AT_ONCE = 1
QUICK_FILES = 1
"""Children that only small files and analyses get."""
POLL_EVERY_S = 0.2
"""Looking more often keeps a worker busy; a file takes longer to decode than this wait. While no job waits the engine
does not look at all."""
ANALYSES_AT_ONCE = 16
"""Analyses mostly wait for their files."""

log = structlog.get_logger()


class JobEngine:
    """One a process."""

    def __init__(self, store: Store, tool_version: str) -> None:
        self._store = store
        self._executor_id = f"{socket.gethostname()}-{os.getpid()}-{uuid4().hex[:8]}"
        self._silence_s = executors.DEAD_AFTER_BEATS * store.settings.heartbeat_s
        files = store.settings.worker_files
        children = files + QUICK_FILES + LOOKS_AT_ONCE + ANONYMIZED_AT_ONCE
        self._limits = fit_to_memory(store.settings.limits, children, memory_bytes())
        hidden = store.private_paths
        self._children = ChildPool(
            files, self._limits, works=(ingest_in_child, judge_in_child), prepare=(prepare,), quick=True, hidden=hidden
        )  # fmt: skip
        look_limits = _look.look_limits(self._limits)
        self._looking = ChildPool(LOOKS_AT_ONCE, look_limits, works=(look_in_child,), hidden=hidden)
        self._anonymizing = ChildPool(
            ANONYMIZED_AT_ONCE, self._limits, works=(anonymise_in_child,), hidden=hidden
        )
        self._not_confined_by: tuple[str, ...] = ()
        self._stopping = threading.Event()
        self._context = WorkerContext(store, self._children, tool_version, self._looking, self._anonymizing)
        self._last_beat = time.monotonic()
        self._gap_ended = -math.inf
        self._maybe_stuck: set[str] = set()
        self._beating = threading.Thread(target=self._beat, name="heartbeat", daemon=True)

    def start(self) -> None:
        """Take work from now on; raises WrongSetting when this machine may not."""
        self._refuse_second_machine()
        self._say_what_holds()
        set_worker_context(self._context)
        self._say_alive()
        engine = DBOS(
            config={
                "name": APPLICATION,
                "system_database_url": with_keepalive(self._store.settings.jobs_url),
                "application_version": JOBS_VERSION,
                "executor_id": self._executor_id,
                "serializer": JSON_ONLY,
                "log_level": "WARNING",
                "enable_otlp": False,
            }
        )
        DBOS.launch()
        DBOS.register_queue(
            ANALYSES_QUEUE, worker_concurrency=ANALYSES_AT_ONCE, polling_interval_sec=POLL_EVERY_S
        )
        # Each investigation has a part of its own: the children then take files of investigations in turn.
        DBOS.register_queue(
            FILES_QUEUE,
            partition_worker_concurrency=self._store.settings.worker_files + QUICK_FILES,
            polling_interval_sec=POLL_EVERY_S,
        )
        DBOS.register_queue(LOOKS_QUEUE, worker_concurrency=LOOKS_AT_ONCE, polling_interval_sec=POLL_EVERY_S)
        queued = QueuedJobs(self._store.settings.jobs_url)
        # The engine has no public way to wake it; its version is pinned, and a test sees that jobs start at once.
        RestingQueues(queued.any).let_rest(
            [*engine.background_thread_stop_events, engine._background_jobs_stop_event]
        )
        # Messages between jobs, which ours do not send, are looked for fifty times a second.
        engine._sys_db._notification_coalesce_sec = REST_S
        self._beating.start()
        self._children.start()

    def _say_what_holds(self) -> None:
        log.info(
            "limits of child processes",
            children=self._store.settings.worker_files + QUICK_FILES,
            memory_mib=self._limits.child_memory_bytes >> 20,
            dissection_memory_mib=self._limits.look_memory_bytes >> 20,
            machine_memory_mib=memory_bytes() >> 20,
        )
        self._not_confined_by = confinement_here().missing
        if self._not_confined_by:
            log.warning(
                "child processes are confined less: the kernel or the container does not offer everything",
                missing=", ".join(self._not_confined_by),
            )

    def stop(self) -> None:
        """Leave what is unfinished to the next worker; the process must end right after this."""
        self._stopping.set()
        self._beating.join()
        self._children.close()
        self._looking.close()
        self._anonymizing.close()
        with suppress(Unavailable):
            self._context.running.forgive_all()
            with self._store.database.writing() as session:
                # Silent since ever: whoever looks next takes over at once.
                executors.beat(session, self._executor_id, machine=socket.gethostname(), now_s=0.0)

    def _beat(self) -> None:
        beats = 0
        while not self._stopping.wait(self._store.settings.heartbeat_s):
            try:
                silent = self._say_alive()
                if self._heard_by_others():
                    self._take_over(silent)
                if beats % REVIVE_EVERY_BEATS == 0:
                    self._call_off_stuck()
                    self._revive_lost()
                if beats % CLEAR_EVERY_BEATS == 0:
                    clear_ended(self._store)
                    clear_audit_log(self._store)
                    clear_leftovers(self._store)
                if beats % SPARE_EVERY_BEATS == 0:
                    self._store.spare.keep()
            except Unavailable:
                continue  # said already; the next beat tries again
            except Exception as error:
                log.warning("heartbeat failed", error=str(error))
            beats += 1

    def _heard_by_others(self) -> bool:
        """Whether silence of others means anything: after the database was away everybody has been silent."""
        now = time.monotonic()
        if now - self._last_beat > self._silence_s:
            self._gap_ended = now
        self._last_beat = now
        return now - self._gap_ended >= self._silence_s

    def _say_alive(self) -> list[str]:
        """The workers that no longer do: asked in the same transaction, as each costs a waiting product a fifth of its
        processor time."""
        with self._store.database.writing() as session:
            executors.beat(
                session,
                self._executor_id,
                machine=socket.gethostname(),
                now_s=time.time(),
                not_confined_by=self._not_confined_by,
            )
            return executors.silent_since(session, time.time() - self._silence_s)

    def _take_over(self, silent: list[str]) -> None:
        for executor_id in silent:
            log.info("taking over from a worker that ended", executor=executor_id)
            recover_jobs_of(executor_id)
            with self._store.database.writing() as session:
                executors.forget(session, executor_id)

    def _revive_lost(self) -> None:
        """Queue what the database calls unfinished and no job will finish: whoever should have queued it died, the
        engine set the job aside, or it belongs to another version of the jobs."""
        with self._store.database.reading() as session:
            unfinished = investigations.unfinished_analyses(session)
        jobs = [analysis_job_id(*each) for each in unfinished]
        lives = job_states(self._store.database, self._store.jobs, jobs)
        for (investigation_id, generation), job_id in zip(unfinished, jobs, strict=True):
            wanted: int | None = generation
            if lives.get(job_id):
                continue
            if job_id in lives:
                with self._store.database.writing() as session:
                    wanted = investigations.restart_analysis(session, investigation_id, generation)
                if wanted is not None:
                    log.info("beginning a lost analysis anew", investigation=investigation_id)
            if wanted is not None:
                self._store.jobs.enqueue_analysis(investigation_id, wanted)

    def _call_off_stuck(self) -> None:
        """A job that ended here without being able to say so looks as if this worker had it still."""
        stuck = self._store.jobs.taken_by(self._executor_id) - self._context.running.ids()
        for job_id in stuck & self._maybe_stuck:
            log.warning("calling off a job that ended without a word", job=job_id)
            self._store.jobs.cancel(job_id)
        self._maybe_stuck = stuck

    def _refuse_second_machine(self) -> None:
        if not self._store.database.is_sqlite:
            return
        with self._store.database.reading() as session:
            others = executors.machines(session, time.time() - self._silence_s) - {socket.gethostname()}
        if others:
            raise WrongSetting(
                f"The database is SQLite, which belongs to one machine, and {others.pop()} works with it. "
                "Set STALLSCOPE_DATABASE_URL to a PostgreSQL for workers on several machines."
            )


def recover_jobs_of(executor_id: str) -> None:
    """Put the unfinished jobs of a dead worker back into their queues.

    The engine's open core has no public way to do this for another executor (3.4 dropped the admin address),
    so its private one is used, here alone; the version is pinned and a test kills a worker to see that it works.
    Asking twice is harmless: a job that a living worker has taken is not touched.
    """
    DBOS._recover_pending_workflows([executor_id])
