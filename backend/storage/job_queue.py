"""Hands work to the job engine by name, and calls it off; knows no job code."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NoAnswer
from typing import Final, TypeVar

from dbos import DBOS, DBOSClient, DBOSPortableJSONSerializer

from backend.errors import DatabaseAway
from backend.storage.full_disk import full_disk_reported, sqlite_folder
from backend.storage.postgres import with_keepalive
from backend.storage.reachable import is_away

ANALYSE_WORKFLOW = "analyse_investigation"
ANALYSES_QUEUE = "analyses"
FILES_QUEUE = "files"
LOOK_WORKFLOW = "take_look"
LOOKS_QUEUE = "looks"
APPLICATION = "stallscope"
JSON_ONLY = DBOSPortableJSONSerializer()
"""The engine's default is pickle, which would run whatever someone writes into its tables."""
JOBS_VERSION = "stallscope-jobs-3"
"""Version of the jobs' shape: a worker only takes over jobs of its own version; what jobs of other versions left
unfinished is begun anew."""
ANSWER_WITHIN_S: Final = 10.0
_WAITING: Final = ("ENQUEUED", "DELAYED")
_TAKEN: Final = "PENDING"

Answer = TypeVar("Answer")


def prepare_job_tables(url: str) -> None:
    """Create or upgrade the engine's own tables: a client cannot work before they exist."""
    with full_disk_reported(sqlite_folder(url)):
        DBOS.migrate(url)


class JobQueue:
    """The client's side of the job engine; raises DatabaseAway while its tables cannot be reached."""

    def __init__(self, url: str) -> None:
        self._url = with_keepalive(url)
        self._lock = threading.Lock()
        self._client: DBOSClient | None = None

    def enqueue_analysis(self, investigation_id: str, generation: int) -> None:
        """Queue one analysis; asking twice for the same generation queues it once."""
        self._enqueue(
            ANALYSE_WORKFLOW,
            ANALYSES_QUEUE,
            analysis_job_id(investigation_id, generation),
            investigation_id,
            generation,
        )

    def cancel_analysis(self, investigation_id: str, generation: int) -> None:
        """Call off an analysis and the decodes that it started."""
        self._ask(
            lambda client: client.cancel_workflow(
                analysis_job_id(investigation_id, generation), cancel_children=True
            )
        )

    def enqueue_look(self, investigation_id: str, look_id: str, attempt: int) -> None:
        """Queue a look into single frames; asking twice for the same attempt queues it once."""
        self._enqueue(
            LOOK_WORKFLOW,
            LOOKS_QUEUE,
            look_job_id(investigation_id, look_id, attempt),
            investigation_id,
            look_id,
        )

    def cancel_look(self, investigation_id: str, look_id: str, attempt: int) -> None:
        """Call off a look that has not begun; one that has asks for itself."""
        self.cancel(look_job_id(investigation_id, look_id, attempt))

    def cancel(self, job_id: str) -> None:
        """Call off one job."""
        self._ask(lambda client: client.cancel_workflow(job_id))

    def states(self, job_ids: Sequence[str], executors: Iterable[str]) -> dict[str, bool]:
        """Of each job that was ever queued, whether it lives: it waits for workers of this version, or one of these
        executors has it."""
        known = set(executors)
        found = self._ask(
            lambda client: client.list_workflows(
                workflow_ids=list(job_ids), load_input=False, load_output=False
            )
        )
        return {
            job.workflow_id: (job.status in _WAITING and job.app_version == JOBS_VERSION)
            or (job.status == _TAKEN and job.executor_id in known)
            for job in found
        }

    def taken_by(self, executor_id: str) -> set[str]:
        """Ids of the jobs that this worker has."""
        found = self._ask(
            lambda client: client.list_workflows(
                status=_TAKEN, executor_id=executor_id, load_input=False, load_output=False
            )
        )
        return {job.workflow_id for job in found}

    def close(self) -> None:
        """Let go of the connections."""
        with self._lock:
            if self._client is not None:
                self._client.destroy()
                self._client = None

    def _enqueue(self, name: str, queue: str, job_id: str, *arguments: str | int) -> None:
        self._ask(
            lambda client: client.enqueue(
                {
                    "workflow_name": name,
                    "queue_name": queue,
                    "workflow_id": job_id,
                    "app_version": JOBS_VERSION,
                },
                *arguments,
            )
        )

    def _ask(self, question: Callable[[DBOSClient], Answer]) -> Answer:
        # The engine has time-outs of its own, or none (a locked SQLite is waited for without end), so who asks
        # waits here, and no longer than this.
        answer: Future[Answer] = Future()

        def ask() -> None:
            try:
                answer.set_result(question(self._connected()))
            except BaseException as error:
                answer.set_exception(error)

        threading.Thread(target=ask, name="job-queue", daemon=True).start()
        try:
            return answer.result(ANSWER_WITHIN_S)
        except NoAnswer:
            raise DatabaseAway from None
        except Exception as error:
            if is_away(error):
                raise DatabaseAway from error
            raise

    def _connected(self) -> DBOSClient:
        with self._lock:
            if self._client is None:
                self._client = DBOSClient(
                    system_database_url=self._url,
                    serializer=JSON_ONLY,
                    application_name=APPLICATION,
                    lazy=True,
                    retry_connection_errors=False,
                )
            return self._client


def analysis_job_id(investigation_id: str, generation: int) -> str:
    """Name of the job: the same generation is never analyzed twice."""
    return f"{investigation_id}/{generation}"


def decode_job_id(file_id: str, attempt: int) -> str:
    """Name of the job: one attempt is made once, whichever analysis asks for it."""
    return f"decode/{file_id}/{attempt}"


def look_job_id(investigation_id: str, look_id: str, attempt: int) -> str:
    """Name of the job: one attempt is made once."""
    return f"look/{investigation_id}/{look_id}/{attempt}"
