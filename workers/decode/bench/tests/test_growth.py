"""No fact, detector or cause searches a table again for each of many destinations: work grows as the capture does."""

import struct
from pathlib import Path

import numpy as np
import pytest

from workers.decode.bench.generate import generate
from workers.decode.bench.scripts import TRAFFIC
from workers.decode.bench.visits import CountedArray, VisitMeter, count_parts, growing_faster

TIMES = 4
PCAP_HEADER_BYTES = 24


def with_times(path: Path, times: str) -> None:
    """The same packets, all at once or at any time of three years."""
    data, random = bytearray(path.read_bytes()), np.random.default_rng(1)
    at = PCAP_HEADER_BYTES
    while at < len(data):
        (length,) = struct.unpack_from("<I", data, at + 8)
        seconds, nanoseconds = (
            random.integers(0, (100_000_000, 1_000_000_000)) if times == "random" else (0, 0)
        )
        struct.pack_into("<II", data, at, 1_700_000_000 + seconds, nanoseconds)
        at += 16 + length
    path.write_bytes(data)


def counted(folder: Path, traffic: str, packets: int, times: str) -> dict[str, int]:
    path = folder / f"{traffic}.pcap"
    generate(path, packets, traffic)
    if times != "as sent":
        with_times(path, times)
    parts = count_parts(path)
    path.unlink()
    # Of less than one element in 10 packets the beginning of the capture hides how it goes on.
    return {what: max(count, packets // 10) for what, count in parts.items()}


def too_fast(
    folder: Path, traffic: str, packets: tuple[int, int], power: float, times: str = "as sent"
) -> dict[str, float]:
    few, many = (counted(folder, traffic, size, times) for size in packets)
    return growing_faster(few, many, packets[1] / packets[0], power)


@pytest.mark.parametrize(("times", "packets"), [("as sent", 20_000), ("equal", 10_000)])
def test_work_grows_as_the_capture(tmp_path: Path, times: str, packets: int) -> None:
    """In small captures connections that were cut off at the end count much, so the power is generous: a table
    searched for each destination has 2."""
    assert too_fast(tmp_path, "everything", (packets, TIMES * packets), 1.5, times) == {}


@pytest.mark.long
@pytest.mark.parametrize("traffic", sorted(TRAFFIC))
def test_work_of_every_traffic_grows_as_the_capture(tmp_path: Path, traffic: str) -> None:
    assert too_fast(tmp_path, traffic, (100_000, 1_000_000), 1.1) == {}


@pytest.mark.long
@pytest.mark.parametrize("times", ["equal", "random"])
def test_work_grows_as_the_capture_whatever_its_times(tmp_path: Path, times: str) -> None:
    assert too_fast(tmp_path, "everything", (100_000, 1_000_000), 1.1, times) == {}


def searches(size: int) -> dict[str, int]:
    """By name: a table searched for each of its values, and sorted once and then looked up."""
    table = np.arange(size).view(CountedArray)
    meter = VisitMeter()
    meter.run("again and again", lambda: [np.flatnonzero(table == value) for value in range(size)])
    meter.run("sorted once", lambda: np.searchsorted(np.sort(table), np.arange(size)))
    return meter.parts


def test_a_table_searched_for_each_value_is_named() -> None:
    assert list(growing_faster(searches(500), searches(2000), TIMES, 1.5)) == ["again and again"]


def test_results_of_counted_arrays_are_those_of_arrays() -> None:
    plain = np.array([(3, 1.5), (1, 2.5), (2, 0.5)], [("a", "<i8"), ("b", "<f8")])
    counting = plain.view(CountedArray)
    for rows in (plain, counting):
        assert rows["a"].sum() == 6
        assert rows[rows["a"] > 1]["b"].tolist() == [1.5, 0.5]
        assert np.lexsort((rows["b"], rows["a"])).tolist() == [1, 2, 0]
    assert isinstance(np.unique(counting["a"]), CountedArray)
