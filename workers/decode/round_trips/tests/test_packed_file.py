"""Samples that are kept packed: the same in memory, in a file and in Parquet, in one batch and in several."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backend.forensics.round_trips import ROUND_TRIP_DTYPE, ROUND_TRIP_SCHEMA
from workers.decode.growing import Records
from workers.decode.loop.records import TRACKED_DTYPE
from workers.decode.round_trips import packed_file, reader
from workers.decode.round_trips.packed_file import PackedFile, wholes_in
from workers.decode.round_trips.packing import PACKED_DTYPE
from workers.decode.round_trips.reader import _ParquetFile


def drawn(dtype: np.dtype[Any], rows: int, seed: int = 7) -> Records:
    """Records with something else in every byte."""
    octets = np.random.default_rng(seed).integers(0, 256, rows * dtype.itemsize, np.uint8)
    return octets.view(dtype)


CONNECTIONS = drawn(TRACKED_DTYPE, 9)


def samples(rows: int) -> tuple[Records, Records, Records]:
    """(packed, those kept whole, the same unpacked by Python); every third is kept whole."""
    packed = drawn(PACKED_DTYPE, rows)
    packed["connection"] %= len(CONNECTIONS)
    packed["packed_kind"] |= 1 << 1
    packed["packed_kind"][::3] = 0
    whole = drawn(ROUND_TRIP_DTYPE, wholes_in(packed), seed=8)
    for name in ("sent_ns", "rtt_ns", "answer_frame"):
        whole[name] >>= 2  # their sums are in range
    expected: Records = np.zeros(rows, ROUND_TRIP_DTYPE)
    expected[::3] = whole
    for number in range(rows):
        if number % 3:
            before = expected[number - 1]
            answered_ns = int(before["sent_ns"]) + int(before["rtt_ns"]) + int(packed[number]["later_ns"])
            frame = int(before["answer_frame"]) + int(packed[number]["frames"]) % 1024
            expected[number] = unpacked(packed[number], answered_ns, frame)
    return packed, whole, expected


def unpacked(packed: np.void, answered_ns: int, frame: int) -> tuple[int, ...]:
    """The fields of ROUND_TRIP_DTYPE."""
    connection, told = CONNECTIONS[packed["connection"]], int(packed["packed_kind"])
    prober, responder = ("client", "server") if told & 1 else ("server", "client")
    return (
        answered_ns - int(packed["rtt_ns"]), packed["rtt_ns"], frame - (int(packed["frames"]) >> 10), frame,
        connection[f"{prober}_high"], connection[f"{prober}_low"],
        connection[f"{responder}_high"], connection[f"{responder}_low"],
        connection["vantage"], packed["connection"], packed["sequence"], told >> 4,
        connection[f"{prober}_port"], connection[f"{responder}_port"], told >> 1 & 7, told & 1,
    )  # fmt: skip


@pytest.mark.parametrize("held_bytes", [1, 1 << 20], ids=["file", "memory"])
@pytest.mark.parametrize("rows", [0, 1, 100, 101, 350])
def test_what_was_appended_is_read(
    held_bytes: int, rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (packed_file, reader):
        monkeypatch.setattr(module, "UNPACKED_ROWS", 100)
    packed, whole, expected = samples(rows)
    kept, stored = PackedFile(held_bytes), _ParquetFile(tmp_path)
    for part, wholes in ((packed[:30], whole[:10]), (packed[30:], whole[10:])):
        kept.append(part, wholes, CONNECTIONS)
        stored.append(part, wholes, CONNECTIONS)
    assert kept.rows == rows
    table = kept.finish(CONNECTIONS).read(ROUND_TRIP_SCHEMA.names)
    assert table.equals(stored.finish().read(ROUND_TRIP_SCHEMA.names))
    for name in ROUND_TRIP_SCHEMA.names:
        assert table.column(name).to_pylist() == expected[name].tolist(), name


def test_two_readers_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_file, "UNPACKED_ROWS", 2)
    kept = PackedFile()
    packed, whole, expected = samples(5)
    kept.append(packed, whole, CONNECTIONS)
    kept.finish(CONNECTIONS)
    pairs = zip(kept.batches(["kind"]), kept.batches(["rtt_ns", "kind"]), strict=True)
    for number, (one, other) in enumerate(pairs):
        part = expected[2 * number : 2 * number + 2]
        assert one.column("kind").to_pylist() == other.column("kind").to_pylist() == part["kind"].tolist()
        assert other.column("rtt_ns").to_pylist() == part["rtt_ns"].tolist()
    assert number == 2


def test_given_up() -> None:
    kept = PackedFile()
    packed, whole, _ = samples(3)
    kept.append(packed, whole, CONNECTIONS)
    kept.close()
    with pytest.raises(ValueError, match="closed file"):
        kept.append(packed, whole, CONNECTIONS)
