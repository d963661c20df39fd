"""What an older version left: tables without a column, or without a table. Answers say so; analyses decode again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from starlette.testclient import TestClient

from backend.api.app import create_app
from backend.storage import evidence_files
from backend.storage.store import Store
from workers.jobs.analyse_investigation import decoded_otherwise
from workers.tests.stored_investigation import stored_investigation

DEMO = Path(__file__).parents[2] / "backend" / "demo"
FILES = [DEMO / "imds-burst" / name for name in ("app-eth0.pcap.gz", "conntrack-L.txt")]
PAGES = (
    "", "/progress", "/report", "/report/outline", "/files", "/timeline", "/connections", "/connections?sort=start",
    "/connections/1", "/requests", "/requests?q=a", "/requests/0", "/requests/shapes", "/rtt", "/rtt/chart",
    "/packets", "/packets?filter=tcp.port==80", "/dumps", "/dumps/series",
)  # fmt: skip


@dataclass(frozen=True)
class Kept:
    """An investigation and its pages; no worker looks at it."""

    store: Store
    investigation: str
    client: TestClient

    def statuses(self) -> dict[str, int]:
        """What each page answers with."""
        at = f"/api/v1/investigations/{self.investigation}"
        return {page: self.client.get(at + page).status_code for page in PAGES}

    def tables(self) -> list[Path]:
        """Of its files and of its analysis."""
        with self.store.database.reading() as session:
            files = evidence_files.list_files(session, self.investigation)
        folders = [self.store.file_folder(self.investigation, file.id) for file in files]
        found = [*folders, self.store.analysis_folder(self.investigation)]
        return sorted(path for folder in found for path in folder.glob("*.parquet"))


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    store, investigation = stored_investigation(tmp_path_factory.mktemp("older"), FILES)
    client = TestClient(create_app(store), base_url="http://localhost", raise_server_exceptions=False)
    yield Kept(store, investigation, client)
    store.close()


def columns_of(path: Path) -> list[str]:
    return list(pq.read_schema(path).names)


def without(path: Path, column: str) -> None:
    table = pq.read_table(path).drop_columns([column])
    path.unlink()  # readers that have it open keep the old bytes
    pq.write_table(table, path)


def faults(kept: Kept, path: Path, column: str) -> dict[str, int]:
    """The pages that answer as if Stallscope were at fault, while the table lacks the column."""
    before = path.read_bytes()
    without(path, column)
    try:
        return {page: status for page, status in kept.statuses().items() if status >= 500}
    finally:
        path.write_bytes(before)


def test_the_pages_are_there(kept: Kept) -> None:
    assert {page: status for page, status in kept.statuses().items() if status != 200} == {}


def test_no_page_breaks_for_want_of_a_table(kept: Kept) -> None:
    for path in kept.tables():
        away = path.with_suffix(".away")
        path.rename(away)
        broken = {page: status for page, status in kept.statuses().items() if status >= 500}
        away.rename(path)
        assert not broken, path.name


@pytest.mark.parametrize("column", ["at_ns", "marks"])
def test_requests_without_a_column_are_outdated(kept: Kept, column: str) -> None:
    path = kept.store.analysis_folder(kept.investigation) / "requests.parquet"
    before = path.read_bytes()
    without(path, column)
    answer = kept.client.get(f"/api/v1/investigations/{kept.investigation}/requests")
    path.write_bytes(before)
    assert (answer.status_code, answer.json()["title"]) == (409, "Analyzed by an older version")


@pytest.mark.long
def test_no_page_breaks_for_want_of_a_column(kept: Kept) -> None:
    broken = {
        (path.name, column): found
        for path in kept.tables()
        for column in columns_of(path)
        if (found := faults(kept, path, column))
    }
    assert not broken


def test_only_files_with_other_columns_are_decoded_again(kept: Kept) -> None:
    with kept.store.database.reading() as session:
        files = evidence_files.list_files(session, kept.investigation)
    assert not decoded_otherwise(kept.store, files)
    layout = kept.store.file_folder(kept.investigation, files[0].id) / "layout"
    before = layout.read_text()
    for other in ("", "0" * len(before), "\xe9"):
        layout.write_text(other, encoding="latin-1")
        assert decoded_otherwise(kept.store, files) == {files[0].id}
    layout.unlink()
    assert decoded_otherwise(kept.store, files) == {files[0].id}
    layout.write_text(before)
