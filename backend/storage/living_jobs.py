"""Which unfinished work has a job that will finish it. What a row says is believed only where such a job is."""

from __future__ import annotations

from collections.abc import Sequence

from backend.storage import executors
from backend.storage.database import Database
from backend.storage.job_queue import JobQueue


def job_states(database: Database, jobs: JobQueue, job_ids: Sequence[str]) -> dict[str, bool]:
    """Of each of these jobs that was ever queued, whether it lives. Jobs of a worker that just died do: another worker
    takes them over as soon as its silence is noticed, and forgets it then."""
    if not job_ids:
        return {}
    with database.reading() as session:
        known = executors.known(session)
    return jobs.states(job_ids, known)
