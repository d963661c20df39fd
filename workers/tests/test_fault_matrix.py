"""Each fault in each stage of the work, on both databases: a report or a sentence, and the next upload works."""

from __future__ import annotations

import io
import os
import signal
import sqlite3
import tarfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx
import pytest

from backend.api.tests.running_product import DEMO, Product, running_product
from backend.storage.tests.cut_line import line_to
from backend.storage.tests.scratch_database import ENGINES, scratch_database
from workers.tests.frozen_children import FrozenChildren, frozen_children

pytestmark = pytest.mark.long

CASE = DEMO / "snat-race"
CAPTURE = (CASE / "three-interfaces.pcapng").read_bytes()
DUMP = (CASE / "conntrack-S-before.txt").read_bytes()
AWAY_S = 12.0
"""Longer than SQLite's busy time-out and than a connection waits for an answer."""
PATIENCE_S = 300.0
Fault = Callable[["Subject"], None]


class Subject:
    """The product, and what takes its database away and brings it back."""

    def __init__(self, product: Product, away: Callable[[], Callable[[], None]]) -> None:
        self.product = product
        self.away = away
        self.frozen: FrozenChildren | None = None


def bundle() -> bytes:
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w") as archive:
        for name, content in (("node/a.pcapng", CAPTURE), ("node/s.txt", DUMP)):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return written.getvalue()


@pytest.fixture(scope="module", params=ENGINES)
def subject(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Subject]:
    folder = tmp_path_factory.mktemp("product")
    with ExitStack() as stack:
        given: dict[str, str] = {}
        if request.param == "postgresql":
            line = stack.enter_context(
                line_to(stack.enter_context(scratch_database("postgresql", request, folder)))
            )
            given = {"DATABASE_URL": line.url}
        product = stack.enter_context(running_product(folder, HEARTBEAT_S="0.25", **given))

        def cut() -> Callable[[], None]:
            line.cut()
            return line.mend

        def lock() -> Callable[[], None]:
            return locked(product.data)

        yield Subject(product, cut if given else lock)


def locked(data: Path) -> Callable[[], None]:
    """Both databases are written to by somebody who does not come to an end."""
    holders = [
        sqlite3.connect(data / name, isolation_level=None, timeout=30)
        for name in ("stallscope.sqlite", "jobs.sqlite")
    ]
    for holder in holders:
        holder.execute("BEGIN IMMEDIATE")

    def release() -> None:
        for holder in holders:
            holder.execute("ROLLBACK")
            holder.close()

    return release


def database_away(subject: Subject) -> None:
    back = subject.away()
    if subject.frozen is not None:
        subject.frozen.let_go()
    time.sleep(AWAY_S)
    back()


def child_killed(subject: Subject) -> None:
    assert subject.frozen is not None
    for pid in subject.frozen.pids():
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def worker_killed(subject: Subject) -> None:
    for pid in subject.product.worker_pids():
        os.kill(pid, signal.SIGKILL)


FAULTS: dict[str, Fault] = {
    "database away": database_away,
    "child killed": child_killed,
    "worker killed": worker_killed,
}


def put(subject: Subject, investigation: str, name: str, content: bytes) -> httpx.Response:
    with subject.product.client() as client:
        return client.put(f"/investigations/{investigation}/files/{name}", content=content)


def outcome(subject: Subject, investigation: str) -> str:
    deadline = time.monotonic() + PATIENCE_S
    with subject.product.client() as client:
        while time.monotonic() < deadline:
            answer = client.get(f"/investigations/{investigation}/progress")
            assert answer.status_code in (200, 503), answer.text
            if answer.status_code == 200 and answer.json()["analysis"] in ("finished", "failed", "cancelled"):
                return str(answer.json()["analysis"])
            time.sleep(0.2)
    raise AssertionError(f"{answer.text}\n{subject.product.log.read_text()[-8000:]}")


def next_upload_works(subject: Subject) -> None:
    investigation = subject.product.new_investigation()
    put(subject, investigation, "next.txt", DUMP).raise_for_status()
    assert outcome(subject, investigation) == "finished"


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("stage", ["queued", "decode", "unpack", "judge"])
def test_a_fault_in_a_stage_delays_the_report(subject: Subject, stage: str, fault: str) -> None:
    investigation = subject.product.new_investigation()
    name, content = ("a.tar", bundle()) if stage == "unpack" else ("a.pcapng", CAPTURE)
    with frozen_children(subject.product) as subject.frozen:
        put(subject, investigation, name, content).raise_for_status()
        if stage != "queued":
            subject.product.wait_for(
                investigation, lambda now: any(file["status"] == "decoding" for file in now["files"])
            )
        if stage == "judge":
            subject.frozen.let_go()
            subject.product.wait_for(investigation, lambda now: now["stage"]["number"] >= 4)
            subject.frozen.stop_again()
        FAULTS[fault](subject)
    subject.frozen = None
    assert outcome(subject, investigation) == "finished"
    with subject.product.client() as client:
        report = client.get(f"/investigations/{investigation}/report").raise_for_status().json()
    assert report["diagnoses"]
    next_upload_works(subject)


def test_a_database_away_during_an_upload(subject: Subject) -> None:
    investigation = subject.product.new_investigation()

    def body() -> Iterator[bytes]:
        half = len(CAPTURE) // 2
        yield CAPTURE[:half]
        back = subject.away()
        time.sleep(2.0)
        yield CAPTURE[half:]
        back()

    with subject.product.client() as client:
        answer = client.put(f"/investigations/{investigation}/files/a.pcapng", content=body())
        assert answer.status_code in (201, 503), answer.text
        if answer.status_code == 503:
            put(subject, investigation, "a.pcapng", CAPTURE).raise_for_status()
    assert outcome(subject, investigation) == "finished"


def test_a_database_away_while_somebody_cancels(subject: Subject) -> None:
    investigation = subject.product.new_investigation()
    with frozen_children(subject.product), subject.product.client() as client:
        put(subject, investigation, "a.pcapng", CAPTURE).raise_for_status()
        subject.product.wait_for(
            investigation, lambda now: any(file["status"] == "decoding" for file in now["files"])
        )
        back = subject.away()
        refused = client.post(f"/investigations/{investigation}/cancel")
        assert refused.status_code == 503, refused.text
        assert int(refused.headers["Retry-After"]) > 0
        back()
        deadline = time.monotonic() + PATIENCE_S
        while client.post(f"/investigations/{investigation}/cancel").status_code != 200:
            assert time.monotonic() < deadline
            time.sleep(0.2)
    assert outcome(subject, investigation) == "cancelled"
    with subject.product.client() as client:
        client.post(f"/investigations/{investigation}/analyses").raise_for_status()
    assert outcome(subject, investigation) == "finished"


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_during_a_dissection(subject: Subject, fault: str) -> None:
    investigation = subject.product.new_investigation()
    put(subject, investigation, "a.pcapng", CAPTURE).raise_for_status()
    assert outcome(subject, investigation) == "finished"
    address = f"/investigations/{investigation}/looks"
    with subject.product.client() as client:
        with frozen_children(subject.product) as subject.frozen:
            asked = client.post(address, json={"kind": "dissection", "file": "a.pcapng", "frame": 7})
            look = asked.raise_for_status().json()["id"]
            time.sleep(1.0)
            FAULTS[fault](subject)
        subject.frozen = None
        deadline = time.monotonic() + PATIENCE_S
        while client.get(f"{address}/{look}").json().get("state") != "done":
            assert time.monotonic() < deadline, subject.product.log.read_text()[-4000:]
            time.sleep(0.2)
