"""A product without work asks its database next to nothing, and begins new work at once."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from backend.api.tests.running_product import DEMO, PATIENCE_S, Product, running_product
from backend.storage.job_queue import ANALYSE_WORKFLOW, ANALYSES_QUEUE, JOBS_VERSION, prepare_job_tables
from backend.storage.queued_jobs import QueuedJobs
from backend.storage.tests.scratch_database import ENGINES, scratch_database
from workers.jobs import resting_queues
from workers.jobs.resting_queues import RestingQueues

DUMP = DEMO / "snat-race" / "conntrack-S-before.txt"


@pytest.fixture(params=ENGINES)
def jobs_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    with scratch_database(request.param, request, tmp_path) as url:
        yield url


def test_only_jobs_that_wait_for_this_version_count(jobs_url: str) -> None:
    prepare_job_tables(jobs_url)
    table = "workflow_status" if jobs_url.startswith("sqlite") else "dbos.workflow_status"
    engine, queued = create_engine(jobs_url), QueuedJobs(jobs_url)
    for number, (status, version, is_any) in enumerate(
        [
            ("SUCCESS", JOBS_VERSION, False),
            ("PENDING", JOBS_VERSION, False),
            ("ENQUEUED", "stallscope-jobs-0", False),
            ("ENQUEUED", JOBS_VERSION, True),
        ]
    ):
        with engine.begin() as connection:
            connection.execute(
                text(
                    f"INSERT INTO {table} (workflow_uuid, status, application_version, name, queue_name) "
                    "VALUES (:id, :status, :version, :name, :queue)"
                ),
                {
                    "id": str(number), "status": status, "version": version, "name": ANALYSE_WORKFLOW,
                    "queue": ANALYSES_QUEUE,
                },
            )  # fmt: skip
        assert queued.any() is is_any, (status, version)
    engine.dispose()
    queued.close()


class Engine:
    """A thread that looks, as the job engine's do."""

    def __init__(self) -> None:
        self.stop = threading.Event()
        self.looked = 0
        self._thread = threading.Thread(target=self._look)

    def start(self) -> None:
        self._thread.start()

    def _look(self) -> None:
        while not self.stop.wait(0.01):
            self.looked += 1

    def end(self) -> None:
        self.stop.set()
        self._thread.join()


@pytest.mark.parametrize("asking_fails", [False, True])
def test_threads_rest_until_a_job_waits(monkeypatch: pytest.MonkeyPatch, *, asking_fails: bool) -> None:
    monkeypatch.setattr(resting_queues, "AWAKE_AT_START_S", 0.0)
    monkeypatch.setattr(resting_queues, "LOOK_EVERY_S", 0.01)
    waiting = threading.Event()

    def is_waiting() -> bool:
        if waiting.is_set() and asking_fails:
            raise OSError
        return waiting.is_set()

    engine, resting = Engine(), RestingQueues(is_waiting)
    resting.let_rest([engine.stop])
    engine.start()
    until(lambda: not resting.is_awake())
    time.sleep(0.2)  # whoever was in the middle of a short wait
    before = engine.looked
    time.sleep(0.5)
    assert engine.looked <= before + 1
    waiting.set()
    until(lambda: engine.looked > before + 20)
    engine.end()


def test_the_engine_rests_and_wakes_for_work(tmp_path: Path) -> None:
    with running_product(tmp_path, QUIET_S="0") as product:
        assert_analysed(product)
        (worker,) = product.worker_pids()
        time.sleep(1)
        began, switches = time.monotonic(), switches_of(worker)
        time.sleep(3)
        each_s = (switches_of(worker) - switches) / (time.monotonic() - began)
        # 5 looks and a heartbeat; four queues that are looked at five times a second made more than 100.
        assert each_s < 40
        assert_analysed(product)


def assert_analysed(product: Product) -> None:
    """From the upload to the report."""
    investigation = product.new_investigation()
    with product.client() as client:
        client.put(
            f"/investigations/{investigation}/files/a.txt", content=DUMP.read_bytes()
        ).raise_for_status()
    assert product.wait_until_over(investigation)["analysis"] == "finished"


def switches_of(process: int) -> int:
    """How often its threads went to sleep."""
    found = 0
    for task in os.listdir(f"/proc/{process}/task"):
        status = Path(f"/proc/{process}/task/{task}/status").read_text(encoding="ascii")
        (line,) = (line for line in status.splitlines() if line.startswith("voluntary_ctxt_switches"))
        found += int(line.split()[1])
    return found


def until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)
