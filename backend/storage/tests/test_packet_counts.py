"""Counts taken from stored buckets are those of the packets themselves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from backend.forensics.connections import BUCKET_DTYPE
from backend.storage.capture_tables import CaptureTables
from backend.storage.packet_conditions import PathTables
from backend.storage.packet_pages import PacketFilter, count_by_time
from backend.storage.packet_store import open_packets
from backend.storage.write_tables import write_buckets

START_NS = 1_760_000_000_123_456_789
MS = 1_000_000
NO_PATHS = PathTables("", "")


@pytest.fixture(scope="module")
def capture(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, np.ndarray, np.ndarray]:
    """Folder, times and vantage points of 5,000 packets within 90 s."""
    folder = tmp_path_factory.mktemp("capture")
    chance = np.random.default_rng(7)
    time_ns = np.sort(START_NS + chance.integers(0, 90_000 * MS, 5_000))
    vantage = chance.integers(0, 2, len(time_ns)).astype(np.uint32)
    pq.write_table(pa.table({"time_ns": time_ns, "vantage": vantage}), folder / "packets.parquet")
    start = time_ns // MS * MS
    key, count = np.unique(np.stack([vantage.astype(np.int64), start]), axis=1, return_counts=True)
    buckets = np.zeros(len(count), BUCKET_DTYPE)
    buckets["vantage"], buckets["start_ns"], buckets["packets"] = key[0], key[1], count
    write_buckets(buckets, folder)
    return folder, time_ns, vantage


@pytest.mark.parametrize("width_ns", [MS, 100 * MS, 1_000 * MS, 10_000 * MS, 1_000_000 * MS, 7 * MS, 12_345])
@pytest.mark.parametrize("point", [None, 1])
@pytest.mark.parametrize(
    ("begin_ns", "end_ns"),
    [
        (None, None),
        (None, 40_000_000_001),
        (1, None),
        (3_000 * MS + 1, 61_000 * MS),
        (10, 500_000),
        (700, 701),
    ],
)
def test_buckets_count_as_packets_do(
    capture: tuple[Path, np.ndarray, np.ndarray],
    width_ns: int,
    point: int | None,
    begin_ns: int | None,
    end_ns: int | None,
) -> None:
    folder, time_ns, vantage = capture
    first_ns = None if begin_ns is None else START_NS + begin_ns
    last_ns = None if end_ns is None else START_NS + end_ns
    inside = np.ones(len(time_ns), bool) if point is None else vantage == point
    inside &= (time_ns >= (first_ns or 0)) & (time_ns < (last_ns or 2**62))
    expected = np.unique(time_ns[inside] // width_ns, return_counts=True)
    with open_packets(folder) as query:
        found = count_by_time(
            query, CaptureTables("a", folder), NO_PATHS, PacketFilter(first_ns, last_ns, point), width_ns
        )
    assert [each for each in found if each[1]] == list(
        zip(*(part.tolist() for part in expected), strict=True)
    )
