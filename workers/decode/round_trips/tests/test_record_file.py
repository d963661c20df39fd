"""Samples that are kept for one process: the same in memory and in a file, in one batch and in several."""

from pathlib import Path

import numpy as np
import pytest

from backend.forensics.round_trips import ROUND_TRIP_DTYPE, ROUND_TRIP_SCHEMA
from workers.decode.growing import Records
from workers.decode.round_trips import record_file
from workers.decode.round_trips.reader import _ParquetFile
from workers.decode.round_trips.record_file import RecordFile


def drawn(rows: int) -> Records:
    """Samples with something else in every byte."""
    octets = np.random.default_rng(7).integers(0, 256, rows * ROUND_TRIP_DTYPE.itemsize, np.uint8)
    return octets.view(ROUND_TRIP_DTYPE)


@pytest.mark.parametrize("held_bytes", [1, 1 << 20], ids=["file", "memory"])
@pytest.mark.parametrize("rows", [0, 1, 100, 101, 350])
def test_what_was_appended_is_read(
    held_bytes: int, rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_file, "BATCH_ROWS", 100)
    records = drawn(rows)
    kept, stored = RecordFile(held_bytes), _ParquetFile(tmp_path)
    for part in (records[:30], records[30:]):
        kept.append(part)
        stored.append(part)
    assert kept.rows == rows
    assert kept.read(ROUND_TRIP_SCHEMA.names).equals(stored.finish().read(ROUND_TRIP_SCHEMA.names))


def test_two_readers_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_file, "BATCH_ROWS", 2)
    kept, records = RecordFile(), drawn(5)
    kept.append(records)
    pairs = zip(kept.batches(["kind"]), kept.batches(["rtt_ns", "kind"]), strict=True)
    for number, (one, other) in enumerate(pairs):
        part = records[2 * number : 2 * number + 2]
        assert one.column("kind").to_pylist() == other.column("kind").to_pylist() == part["kind"].tolist()
        assert other.column("rtt_ns").to_pylist() == part["rtt_ns"].tolist()
    assert number == 2


def test_given_up() -> None:
    kept = RecordFile()
    kept.append(drawn(3))
    kept.close()
    with pytest.raises(ValueError, match="closed file"):
        kept.append(drawn(1))
