"""Hands work to the job engine by name, and calls it off; knows no job code."""

from __future__ import annotations

import threading

from dbos import DBOS, DBOSClient, DBOSPortableJSONSerializer

ANALYSE_WORKFLOW = "analyse_investigation"
ANALYSES_QUEUE = "analyses"
FILES_QUEUE = "files"
LOOK_WORKFLOW = "take_look"
LOOKS_QUEUE = "looks"
APPLICATION = "stallscope"
JSON_ONLY = DBOSPortableJSONSerializer()
"""The engine's default is pickle, which would run whatever someone writes into its tables."""
JOBS_VERSION = "stallscope-jobs-2"
"""Version of the jobs' shape: a worker only takes over jobs of its own version."""


def prepare_job_tables(url: str) -> None:
    """Create or upgrade the engine's own tables: a client cannot work before they exist."""
    DBOS.migrate(url)


class JobQueue:
    """The client's side of the job engine."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._lock = threading.Lock()
        self._client: DBOSClient | None = None

    def enqueue_analysis(self, investigation_id: str, generation: int) -> None:
        """Queue one analysis; asking twice for the same generation queues it once."""
        self._connected().enqueue(
            {
                "workflow_name": ANALYSE_WORKFLOW,
                "queue_name": ANALYSES_QUEUE,
                "workflow_id": analysis_job_id(investigation_id, generation),
                "app_version": JOBS_VERSION,
            },
            investigation_id,
            generation,
        )

    def cancel_analysis(self, investigation_id: str, generation: int) -> None:
        """Call off an analysis and the decodes that it started."""
        self._connected().cancel_workflow(analysis_job_id(investigation_id, generation), cancel_children=True)

    def enqueue_look(self, investigation_id: str, look_id: str, attempt: int) -> None:
        """Queue a look into single frames; asking twice for the same attempt queues it once."""
        self._connected().enqueue(
            {
                "workflow_name": LOOK_WORKFLOW,
                "queue_name": LOOKS_QUEUE,
                "workflow_id": look_job_id(investigation_id, look_id, attempt),
                "app_version": JOBS_VERSION,
            },
            investigation_id,
            look_id,
        )

    def cancel_look(self, investigation_id: str, look_id: str, attempt: int) -> None:
        """Call off a look that has not begun; one that has asks for itself."""
        self._connected().cancel_workflow(look_job_id(investigation_id, look_id, attempt))

    def close(self) -> None:
        """Let go of the connections."""
        with self._lock:
            if self._client is not None:
                self._client.destroy()
                self._client = None

    def _connected(self) -> DBOSClient:
        with self._lock:
            if self._client is None:
                self._client = DBOSClient(
                    system_database_url=self._url, serializer=JSON_ONLY, application_name=APPLICATION
                )
            return self._client


def analysis_job_id(investigation_id: str, generation: int) -> str:
    """Name of the job: the same generation is never analysed twice."""
    return f"{investigation_id}/{generation}"


def look_job_id(investigation_id: str, look_id: str, attempt: int) -> str:
    """Name of the job: one attempt is made once."""
    return f"look/{investigation_id}/{look_id}/{attempt}"
