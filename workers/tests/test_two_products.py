"""Two products on one data folder and one database share the work; one goes on when the other dies."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from backend.api.tests.running_product import DEMO, Product, children_of, running_product
from backend.storage.tests.scratch_database import ENGINES, scratch_database

pytestmark = pytest.mark.long

CASE = DEMO / "snat-race"
FILES = {"a.pcapng": "three-interfaces.pcapng", "s.txt": "conntrack-S-before.txt"}
INVESTIGATIONS = 8


@dataclass(frozen=True)
class Two:
    """Both, and their database."""

    one: Product
    other: Product
    url: str

    def attempts(self) -> list[tuple[int, int]]:
        """(attempt, starts) of each file."""
        engine = create_engine(self.url)
        with closing(engine.connect()) as connection:
            found = connection.execute(text("SELECT attempt, starts FROM evidence_files")).all()
        engine.dispose()
        return [(attempt, starts) for attempt, starts in found]


@pytest.fixture(params=ENGINES)
def two(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Two]:
    folders = [tmp_path / name for name in ("one", "other")]
    for folder in folders:
        folder.mkdir()
    data = tmp_path / "data"
    with scratch_database(request.param, request, tmp_path) as url:
        given = {} if request.param == "sqlite" else {"DATABASE_URL": url}
        with (
            running_product(folders[0], data, HEARTBEAT_S="0.5", **given) as one,
            running_product(folders[1], data, HEARTBEAT_S="0.5", **given) as other,
        ):
            yield Two(one, other, url if given else f"sqlite:///{data / 'stallscope.sqlite'}")


def upload(product: Product) -> str:
    investigation = product.new_investigation()
    with product.client() as client:
        for name, path in FILES.items():
            content = (CASE / path).read_bytes()
            client.put(f"/investigations/{investigation}/files/{name}", content=content).raise_for_status()
    return investigation


@pytest.mark.promise(
    "Two products on one data folder and one database do no job twice, and one goes on when the other dies."
)
def test_each_file_is_decoded_once(two: Two) -> None:
    made = [upload((two.one, two.other)[number % 2]) for number in range(INVESTIGATIONS)]
    for number, investigation in enumerate(made):
        # The one that did not take the upload answers, too.
        over = (two.other, two.one)[number % 2].wait_until_over(investigation)
        assert (over["analysis"], {file["status"] for file in over["files"]}) == ("finished", {"decoded"})
    assert two.attempts() == [(1, 1)] * (len(FILES) * INVESTIGATIONS)


@pytest.mark.promise(
    "Two products on one data folder and one database do no job twice, and one goes on when the other dies."
)
def test_one_goes_on_with_the_work_of_the_other(two: Two) -> None:
    made = [upload(two.one) for _ in range(INVESTIGATIONS)]
    two.one.wait_for(made[0], lambda now: any(file["status"] != "stored" for file in now["files"]))
    for pid in [two.one.process.pid, *children_of(two.one.process.pid)]:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    for investigation in made:
        assert two.other.wait_until_over(investigation)["analysis"] == "finished"
    assert two.other.wait_until_over(upload(two.other))["analysis"] == "finished"
