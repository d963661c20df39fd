from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from backend.forensics.connections import BUCKET_DTYPE
from backend.forensics.path_table import SCHEMA
from backend.storage.capture_tables import BUCKET_TABLE_NS, CaptureTables, count_packets, density
from backend.storage.packet_store import open_packets
from backend.storage.path_tables import ORDERS, PathFilter, Sort, cids_of_sightings, list_paths
from backend.storage.write_tables import write_buckets, write_paths

MS = 1_000_000
T0 = 1_700_000_000_000 * MS


@pytest.fixture
def capture(tmp_path: Path) -> CaptureTables:
    """A packet each 3 ms at two vantage points, for 90 s."""
    buckets = np.zeros(60_000, BUCKET_DTYPE)
    buckets["vantage"] = np.repeat([0, 1], 30_000)
    buckets["start_ns"] = T0 + np.tile(np.arange(30_000) * 3 * MS, 2)
    buckets["packets"], buckets["bytes"] = 1, 100
    buckets["syns"] = np.arange(60_000) % 2
    write_buckets(buckets, tmp_path)
    return CaptureTables("a.pcap", tmp_path)


@pytest.mark.parametrize("width_ms", [1, 5, 10, 50, 200, 1_000, 20_000, 100_000])
def test_wider_buckets_hold_the_same_packets(capture: CaptureTables, width_ms: int) -> None:
    with open_packets(capture.folder) as query:
        rows = density(query, capture, (T0, T0 + 90_000 * MS), width_ms * MS)
    for vantage in (0, 1):
        own = [row for row in rows if row[0] == vantage]
        assert [sum(row[column] for row in own) for column in (2, 3, 4)] == [30_000, 3_000_000, 15_000]
        assert all(row[1] % (width_ms * MS) == 0 for row in own)
        assert [row[1] for row in own] == sorted({row[1] for row in own})


@pytest.mark.parametrize("span_ms", [1, 30, 999, 10_000, 10_001, 60_000])
def test_a_window_counts_its_packets_and_at_most_those_of_one_bucket_at_either_end(
    capture: CaptureTables, span_ms: int
) -> None:
    from_ns = T0 + 12_345 * MS
    times = T0 + np.arange(30_000) * 3 * MS
    exact = 2 * int(((times >= from_ns) & (times < from_ns + span_ms * MS)).sum())
    with open_packets(capture.folder) as query:
        counted = count_packets(query, capture, from_ns, from_ns + span_ms * MS)
    slack = 2 * (max(span_ms // 1000, 1) * MS // (3 * BUCKET_TABLE_NS) + 1)
    assert exact <= counted <= exact + 2 * slack


def test_a_capture_without_packets_has_tables_without_rows(tmp_path: Path) -> None:
    write_buckets(np.zeros(0, BUCKET_DTYPE), tmp_path)
    with open_packets(tmp_path) as query:
        for width_ns in (MS, 1_000 * MS):
            assert density(query, CaptureTables("a.pcap", tmp_path), (0, 10), width_ns) == []


def path_rows(number: int) -> list[dict[str, object]]:
    """Connections whose columns run in different orders."""
    return [
        {
            "cid": cid,
            "protocol": "tcp",
            "client": f"10.0.0.{cid % 7}",
            "client_port": 40_000 - cid,
            "server": "10.9.0.1",
            "server_port": 80 + cid % 3,
            "start_ns": T0 + cid,
            "end_ns": T0 + 1_000 - cid,
            "connect_ms": None if cid % 5 == 0 else float(cid * 37 % 101),
            "tries": cid % 4,
            "retry_gaps_s": [],
            "outcome": ("established", "refused")[cid % 2],
            "client_bytes": cid * 11 % 13,
            "server_bytes": 5,
            "packets": cid * 7 % 17,
            "seen_at": ["a.pcap#0"],
            "missing_at": [],
            "sightings": [{"vantage": "a.pcap#0", "input": "a.pcap", "connection": number - 1 - cid}],
            "finding_ids": ["f1"] if cid == 3 else [],
            "joined_because": "seen at one vantage point only",
            "client_order": cid % 7,
            "server_order": 9,
            "search": f"10.0.0.{cid % 7}:{40_000 - cid} 10.9.0.1:{80 + cid % 3} tcp",
        }
        for cid in range(number)
    ]


@pytest.mark.parametrize("sort", list(ORDERS))
@pytest.mark.parametrize("descending", [False, True])
def test_the_connection_table_is_sorted_by_any_column(tmp_path: Path, sort: Sort, descending: bool) -> None:
    write_paths(pa.Table.from_pylist(path_rows(200), schema=SCHEMA), tmp_path)
    paths = str(tmp_path / "paths.parquet")
    with open_packets(tmp_path) as query:
        pages = [
            list_paths(query, paths, PathFilter(), sort=sort, descending=descending, page=(at, 60))
            for at in (0, 60, 120, 180)
        ]
        keys = ", ".join(f"{key} {'DESC' if descending else 'ASC'} NULLS LAST" for key in ORDERS[sort])
        expected = query.rows(f"SELECT cid FROM read_parquet(?) ORDER BY {keys}, cid", (paths,))
    assert [total for _, total in pages] == [200] * 4
    rows = [row for page, _ in pages for row in page]
    assert [row["cid"] for row in rows] == [cid for (cid,) in expected]
    assert "search" not in rows[0]


def test_a_text_is_found_in_either_end_whatever_its_case(tmp_path: Path) -> None:
    write_paths(pa.Table.from_pylist(path_rows(50), schema=SCHEMA), tmp_path)
    with open_packets(tmp_path) as query:
        rows, total = list_paths(
            query,
            str(tmp_path / "paths.parquet"),
            PathFilter(text="10.0.0.3:39997 10.9.0.1:80 TCP"),
            sort="start",
            descending=False,
            page=(0, 10),
        )
    assert ([row["cid"] for row in rows], total) == ([3], 1)


def test_a_connection_is_found_from_its_number_in_a_capture(tmp_path: Path) -> None:
    write_paths(pa.Table.from_pylist(path_rows(50), schema=SCHEMA), tmp_path)
    with open_packets(tmp_path) as query:
        sightings = str(tmp_path / "sightings.parquet")
        assert sorted(cids_of_sightings(query, sightings, "a.pcap", [0, 49, 50])) == [(0, 49), (49, 0)]
        assert cids_of_sightings(query, sightings, "b.pcap", [0]) == []
        assert cids_of_sightings(query, sightings, "a.pcap", []) == []
