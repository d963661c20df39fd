from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from backend.errors import Outdated
from backend.storage.packet_store import INSTANCES, open_packets


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    own = tmp_path / "packets" / "it's mine"
    own.mkdir(parents=True)
    pq.write_table(pa.table({"frame": [1, 2, 3]}), own / "packets.parquet")
    return own


def test_tables_of_the_own_folder_can_be_read(folder: Path) -> None:
    with open_packets(folder) as query:
        assert query.value("SELECT sum(frame) FROM read_parquet(?)", (str(folder / "packets.parquet"),)) == 6


@pytest.mark.parametrize(
    ("column", "table"),
    [("frame", "requests.parquet"), ("tunnel", "packets.parquet")],
    ids=["table", "column"],
)
def test_what_an_older_version_did_not_write_is_told(folder: Path, column: str, table: str) -> None:
    with open_packets(folder) as query, pytest.raises(Outdated, match="older version"):
        query.dicts(f"SELECT {column} FROM read_parquet(?)", (str(folder / table),))


def test_a_fault_of_a_question_is_not_taken_for_an_old_table(folder: Path) -> None:
    with open_packets(folder) as query, pytest.raises(duckdb.ParserException):
        query.rows("SELEC 1")


@pytest.mark.parametrize("target", ["/etc/passwd", "/proc/self/environ"])
def test_a_system_file_cannot_be_read(folder: Path, target: str) -> None:
    with open_packets(folder) as query, pytest.raises(duckdb.PermissionException):
        query.rows("SELECT * FROM read_csv(?)", (target,))


def test_another_investigation_cannot_be_read(folder: Path) -> None:
    for name in ("other", "it's mine too"):
        other = folder.parent / name
        other.mkdir()
        pq.write_table(pa.table({"frame": [1]}), other / "packets.parquet")
        for path in (other / "packets.parquet", folder / ".." / name / "packets.parquet"):
            with open_packets(folder) as query, pytest.raises(duckdb.PermissionException):
                query.rows("SELECT * FROM read_parquet(?)", (str(path),))


@pytest.mark.parametrize(
    "statement",
    [
        "SET enable_external_access = true",
        "SET allowed_directories = ['/']",
        "INSTALL httpfs",
        "ATTACH '/tmp/other.duckdb'",
        "COPY (SELECT 1) TO '/tmp/stallscope-was-here.csv'",
    ],
)
def test_the_lock_cannot_be_opened_from_inside(folder: Path, statement: str) -> None:
    with open_packets(folder) as query, pytest.raises(duckdb.Error):
        query.rows(statement)


def test_a_table_that_was_replaced_is_read_anew(folder: Path) -> None:
    path = folder / "packets.parquet"
    for frames in ([1, 2, 3], [4, 5, 6], list(range(1000))):
        pq.write_table(pa.table({"frame": frames}), folder / "fresh.parquet")
        (folder / "fresh.parquet").replace(path)
        with open_packets(folder) as query:
            assert query.value("SELECT sum(frame) FROM read_parquet(?)", (str(path),)) == sum(frames)


def test_an_open_connection_outlives_many_other_investigations(folder: Path, tmp_path: Path) -> None:
    with open_packets(folder) as query:
        for number in range(2 * INSTANCES):
            with open_packets(tmp_path / str(number)) as other:
                assert other.value("SELECT 1") == 1
        assert query.value("SELECT max(frame) FROM read_parquet(?)", (str(folder / "packets.parquet"),)) == 3


def test_one_investigation_is_asked_by_many_threads_at_once(folder: Path) -> None:
    def ask(number: int) -> int:
        with open_packets(folder) as query:
            path = str(folder / "packets.parquet")
            return int(query.value("SELECT sum(frame) + ? FROM read_parquet(?)", (number, path)))

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(ask, range(64))) == [6 + number for number in range(64)]
