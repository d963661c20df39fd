"""Faults of the machinery, on the running product: each ends in the right report or in a sentence, and the next
upload works."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pyarrow.parquet as pq
import pytest
from sqlalchemy import create_engine, text

from backend.api.tests.running_product import DEMO, Product, running_product
from backend.storage.tests.cut_line import CutLine, line_to
from backend.storage.tests.scratch_database import scratch_database
from workers.tests.frozen_children import FrozenChildren, frozen_children

CASE = DEMO / "snat-race"
CAPTURE = CASE / "three-interfaces.pcapng"
DUMP = CASE / "conntrack-S-before.txt"
AWAY_S = 6.0
"""Longer than a worker may be silent (four times HEARTBEAT_S) and than the engine's first retries."""


class Bench:
    """A product whose database can be taken away."""

    def __init__(self, product: Product, line: CutLine, url: str) -> None:
        self.product = product
        self.line = line
        self.url = url

    def upload(self, *names: str) -> str:
        """A new investigation with captures of these names."""
        investigation = self.product.new_investigation()
        for name in names:
            self.put(investigation, name)
        return investigation

    def put(self, investigation: str, name: str) -> None:
        content = (DUMP if name.endswith(".txt") else CAPTURE).read_bytes()
        with self.product.client() as client:
            client.put(f"/investigations/{investigation}/files/{name}", content=content).raise_for_status()

    def wait_until_decoding(self, investigation: str) -> None:
        self.product.wait_for(
            investigation, lambda now: any(file["status"] == "decoding" for file in now["files"])
        )

    def ends_well(self, investigation: str) -> dict[str, Any]:
        """It ends with a report, whatever the API answers meanwhile."""
        over = self.over(investigation)
        assert (over["analysis"], {file["status"] for file in over["files"]}) == ("finished", {"decoded"})
        return over

    def over(self, investigation: str) -> dict[str, Any]:
        deadline = time.monotonic() + 240
        with self.product.client() as client:
            while time.monotonic() < deadline:
                answer = client.get(f"/investigations/{investigation}/progress")
                assert answer.status_code in (200, 503), answer.text
                if answer.status_code == 200 and answer.json()["analysis"] in ("finished", "failed"):
                    found: dict[str, Any] = answer.json()
                    return found
                time.sleep(0.1)
        raise AssertionError(f"{answer.text}\n{self.product.log.read_text()[-6000:]}")

    def rows(self, statement: str, **values: Any) -> list[Any]:
        """What the database itself holds, past the line; a change is committed."""
        engine = create_engine(self.url)
        with engine.begin() as connection:
            done = connection.execute(text(statement), values)
            found = list(done) if done.returns_rows else []
        engine.dispose()
        return found


@pytest.fixture(scope="module")
def bench(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    folder = tmp_path_factory.mktemp("product")
    with (
        scratch_database("postgresql", request, folder) as url,
        line_to(url) as line,
        running_product(folder, HEARTBEAT_S="0.25", DATABASE_URL=line.url, WORKER_FILES="2") as product,
    ):
        yield Bench(product, line, url)


@pytest.mark.promise("A database that is away delays an analysis and does not end it.")
@pytest.mark.parametrize("way", ["cut", pytest.param("silence", marks=pytest.mark.long)])
def test_a_database_away_while_a_file_decodes_delays_the_report_and_no_more(bench: Bench, way: str) -> None:
    with frozen_children(bench.product) as frozen:
        investigation = bench.upload("a.pcapng")
        bench.wait_until_decoding(investigation)
        getattr(bench.line, way)()
        frozen.let_go()
        time.sleep(AWAY_S)
        bench.line.mend()
    bench.ends_well(investigation)
    assert bench.rows(
        "SELECT attempt, starts FROM evidence_files WHERE investigation_id = :i", i=investigation
    ) == [(1, 1)]
    bench.ends_well(bench.upload("next.txt"))


def test_a_killed_child_gets_a_successor(bench: Bench) -> None:
    with frozen_children(bench.product) as frozen:
        investigation = bench.upload("a.pcapng")
        bench.wait_until_decoding(investigation)
        for pid in frozen.pids():
            os.kill(pid, signal.SIGKILL)
    bench.ends_well(investigation)


def test_a_child_killed_twice_ends_in_a_sentence_and_the_next_upload_works(bench: Bench) -> None:
    with frozen_children(bench.product) as frozen:
        investigation = bench.upload("a.pcapng")
        while True:
            now = bench.product.wait_for(investigation, bool)
            if now["analysis"] == "failed":
                break
            if any(file["status"] == "decoding" for file in now["files"]):
                kill_all(frozen)
    (file,) = now["files"]
    assert file["status"] == "failed"
    assert "ended twice" in file["error"]
    assert "The process that did the work ended" in file["error"]
    bench.ends_well(bench.upload("next.txt"))
    with bench.product.client() as client:
        client.post(f"/investigations/{investigation}/analyses").raise_for_status()
    bench.ends_well(investigation)


def kill_all(frozen: FrozenChildren) -> None:
    for pid in frozen.pids():
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


@pytest.mark.long
@pytest.mark.promise(
    "A file that ends its worker is given up after three attempts, and the other files are analyzed."
)
def test_a_file_that_ends_workers_is_left_out_and_the_one_beside_it_is_judged(bench: Bench) -> None:
    starts = "SELECT name, starts, status FROM evidence_files WHERE investigation_id = :i"
    with frozen_children(bench.product) as frozen:
        investigation = bench.upload("good.pcapng", "poison.pcapng")
        known = {"good.pcapng": 0, "poison.pcapng": 0}
        deadline = time.monotonic() + 240
        while time.monotonic() < deadline:
            rows = {name: (count, status) for name, count, status in bench.rows(starts, i=investigation)}
            if rows["poison.pcapng"][1] == "failed":
                break
            begun = {name for name, (count, _) in rows.items() if count > known[name]}
            known = {name: count for name, (count, _) in rows.items()}
            if "poison.pcapng" in begun:
                frozen.stop_again()
                (worker,) = bench.product.worker_pids()
                os.kill(worker, signal.SIGKILL)
            elif begun and known["poison.pcapng"]:
                frozen.let_go()
            time.sleep(0.05)
    over = bench.over(investigation)
    files = {file["name"]: file for file in over["files"]}
    assert over["analysis"] == "finished"
    assert files["good.pcapng"]["status"] == "decoded"
    assert files["poison.pcapng"]["status"] == "failed"
    assert "ended 3 times" in files["poison.pcapng"]["error"]
    with bench.product.client() as client:
        report = client.get(f"/investigations/{investigation}/report").json()
    assert [part["name"] for part in report["inputs"]] == ["good.pcapng"]
    assert [part["name"] for part in report["not_used"]] == ["poison.pcapng"]


@pytest.mark.parametrize(
    "state",
    [
        "PENDING",
        *(
            pytest.param(state, marks=pytest.mark.long)
            for state in ("ENQUEUED", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED")
        ),
    ],
)
def test_work_of_another_version_or_set_aside_by_the_engine_is_begun_anew(bench: Bench, state: str) -> None:
    """The job's row as an older version, which parted the queue by other keys, or an engine that gave up leaves it."""
    with frozen_children(bench.product):
        investigation = bench.upload("a.txt")
        bench.wait_until_decoding(investigation)
        bench.rows(
            "UPDATE dbos.workflow_status SET status = :s, application_version = 'older', executor_id = 'gone', "
            "queue_partition_key = 'of-an-older-version', "
            "queue_name = COALESCE(queue_name, 'files') WHERE workflow_uuid LIKE :a OR workflow_uuid IN "
            "(SELECT 'decode/' || id || '/' || attempt FROM evidence_files WHERE investigation_id = :i)",
            s=state,
            a=f"{investigation}/%",
            i=investigation,
        )
    bench.ends_well(investigation)
    bench.ends_well(bench.upload("next.txt"))


def test_files_that_an_older_version_decoded_are_decoded_again(bench: Bench) -> None:
    """Its tables lack columns that today's detectors read."""
    investigation = bench.upload("a.pcapng")
    bench.ends_well(investigation)
    ((file,),) = bench.rows("SELECT id FROM evidence_files WHERE investigation_id = :i", i=investigation)
    folder = next(bench.product.data.rglob(f"{file}/input.json")).parent
    (folder / "layout").unlink()
    whole = {path.name: pq.read_schema(path).names for path in folder.glob("*.parquet")}
    for name, columns in whole.items():
        pq.write_table(pq.read_table(folder / name).select(columns[:-1]), folder / name)
    bench.put(investigation, "next.txt")
    bench.ends_well(investigation)
    assert {path.name: pq.read_schema(path).names for path in folder.glob("*.parquet")} == whole


def test_a_job_whose_end_was_never_written_is_called_off_and_begun_anew(bench: Bench) -> None:
    """The engine's table says that the living worker has it, which knows nothing of it."""
    investigation = bench.upload("a.txt")
    bench.ends_well(investigation)
    ((executor,),) = bench.rows("SELECT id FROM executors ORDER BY beat_s DESC LIMIT 1")
    ((generation,),) = bench.rows("SELECT generation FROM investigations WHERE id = :i", i=investigation)
    bench.rows(
        "UPDATE dbos.workflow_status SET status = 'PENDING', executor_id = :e WHERE workflow_uuid = :a",
        e=executor,
        a=f"{investigation}/{generation}",
    )
    bench.rows("UPDATE investigations SET analysis = 'running' WHERE id = :i", i=investigation)
    bench.ends_well(investigation)


@pytest.mark.long
def test_a_dissection_whose_job_is_lost_is_done_when_somebody_waits_for_it(bench: Bench) -> None:
    investigation = bench.upload("a.pcapng")
    bench.ends_well(investigation)
    with bench.product.client() as client, frozen_children(bench.product):
        asked = client.post(
            f"/investigations/{investigation}/looks",
            json={"kind": "dissection", "file": "a.pcapng", "frame": 1},
        )
        look = asked.raise_for_status().json()
        bench.rows(
            "UPDATE dbos.workflow_status SET status = 'ERROR' WHERE workflow_uuid LIKE :a",
            a=f"look/{investigation}/%",
        )
    wait_for_look(bench, investigation, look["id"])


def wait_for_look(bench: Bench, investigation: str, look_id: str) -> None:
    deadline = time.monotonic() + 120
    with bench.product.client() as client:
        while (state := look_state(client, investigation, look_id)) != "done":
            assert time.monotonic() < deadline, state
            time.sleep(0.1)


def look_state(client: httpx.Client, investigation: str, look_id: str) -> str:
    state: str = client.get(f"/investigations/{investigation}/looks/{look_id}").json()["state"]
    return state
