"""A table that cannot be made is empty, a line of the report says so, and everything else is as without it."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pyarrow.parquet as pq
import pytest

from backend.api.tests.running_product import DEMO
from backend.forensics.evidence.facts import Facts
from backend.forensics.isolation import Isolation
from backend.forensics.report import Report
from backend.forensics.round_trip_table import round_trip_batches
from backend.forensics.tests.misbehaving import BrokenError, fail
from backend.storage import analysis_tables
from workers.ingested import Ingested
from workers.pipeline import analyse, ingest_file

MAKERS = {
    "connections-table": ("path_table", "paths.parquet"),
    "requests-table": ("request_batches", "requests.parquet"),
    "request-parts-table": ("part_batches", "request_parts.parquet"),
    "round-trips-table": ("round_trip_batches", "rtt.parquet"),
}


@pytest.fixture(autouse=True)
def _as_for_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Isolation, "strict", False)


@pytest.fixture(scope="module")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Ingested:
    capture = DEMO / "snat-race" / "three-interfaces.pcapng"
    return ingest_file(capture, name=capture.name, folder=tmp_path_factory.mktemp("file") / "decoded")


def analysed(ingested: Ingested, folder: Path) -> Report:
    analyse([ingested], label="x", created="2026-01-01T00:00:00Z", tool_version="0", folder=folder)
    return Report.model_validate_json((folder / "report.json").read_bytes())


@pytest.fixture(scope="module")
def whole(ingested: Ingested, tmp_path_factory: pytest.TempPathFactory) -> tuple[Report, Path]:
    folder = tmp_path_factory.mktemp("whole")
    return analysed(ingested, folder), folder


def failed(report: Report) -> list[str]:
    return [each.kind for each in report.checked if each.status == "failed"]


def test_names_are_those_of_the_tables() -> None:
    assert tuple(MAKERS) == analysis_tables.TABLES


@pytest.mark.parametrize("name", MAKERS)
def test_each_table_may_break(
    name: str,
    ingested: Ingested,
    whole: tuple[Report, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    maker, file = MAKERS[name]
    monkeypatch.setattr(analysis_tables, maker, fail)
    report = analysed(ingested, tmp_path)
    # Requests name their connections: without those they cannot be made.
    lost = {name, "requests-table"} if name == "connections-table" else {name}
    assert failed(report) == sorted(f"report:{each}" for each in lost)
    assert (report.findings, report.diagnoses) == (whole[0].findings, whole[0].diagnoses)
    assert "misbehaving.py" in caplog.text
    table = pq.read_table(tmp_path / file)
    assert (table.num_rows, table.schema) == (0, pq.read_schema(whole[1] / file))
    for other in {found for each, (_, found) in MAKERS.items() if each not in lost}:
        assert pq.read_table(tmp_path / other).equals(pq.read_table(whole[1] / other))


def test_a_fact_that_tables_need_may_break(
    ingested: Ingested, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Facts, "exchanges", property(fail))
    assert "report:requests-table" in failed(analysed(ingested, tmp_path))


def test_what_was_written_of_a_broken_table_is_not_kept(
    ingested: Ingested, whole: tuple[Report, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_at_the_end(*asked: object) -> Iterator[object]:
        yield from round_trip_batches(*asked)  # type: ignore[arg-type]
        raise BrokenError

    monkeypatch.setattr(analysis_tables, "round_trip_batches", break_at_the_end)
    analysed(ingested, tmp_path)
    assert pq.read_metadata(whole[1] / "rtt.parquet").num_rows > 0
    assert pq.read_metadata(tmp_path / "rtt.parquet").num_rows == 0


def test_a_full_disk_is_not_taken_for_a_broken_table(
    ingested: Ingested, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> NoReturn:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(analysis_tables, "round_trip_batches", full)
    with pytest.raises(OSError, match="No space left"):
        analysed(ingested, tmp_path)
