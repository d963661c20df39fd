"""Records of which columns are copied out: the same values, few records left as they are."""

import numpy as np
import pytest

from backend.forensics import record_columns
from backend.forensics.record_columns import RecordColumns

DTYPE = np.dtype([("a", "<i8"), ("b", "u1"), ("c", "<u4")])


@pytest.fixture
def records() -> np.ndarray:
    made = np.zeros(30_000, DTYPE)
    generator = np.random.default_rng(1)
    for name in DTYPE.names or ():
        made[name] = generator.integers(0, 200, len(made))
    return made


def test_few_records_stay_what_they_are(records: np.ndarray) -> None:
    few = records[:1_000]
    assert RecordColumns.of(few, ("a",)) is few


def test_a_column_of_one_value_takes_the_memory_of_one(records: np.ndarray) -> None:
    records["b"] = 7
    records["c"] = 8
    records["c"][-1] = 9
    made = RecordColumns.of(records, ("a", "b", "c"))
    assert made["b"].strides == (0,)
    assert np.array_equal(made["b"], records["b"])
    assert not made["b"].flags.writeable
    assert made["c"].strides == (4,)
    assert np.array_equal(made["c"], records["c"])


def test_values_equal_those_of_the_records(records: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_columns, "_FROM_RECORDS", 1)
    let_go: list[tuple[int, int]] = []
    made = RecordColumns.of(records, ("a", "b"), lambda first, count: let_go.append((first, count)))
    for name in DTYPE.names or ():
        assert np.array_equal(made[name], records[name])
    assert made["a"].flags.c_contiguous
    assert not made["a"].flags.writeable
    assert made["a"] is made["a"]
    assert sum(count for _, count in let_go) == records.nbytes
    chosen = np.array([5, 1, 29_999])
    for part in (made[chosen], made[3:9], made[["a", "c"]]):
        assert type(part) is np.ndarray
    assert np.array_equal(made[chosen], records[chosen])
    assert made[7] == records[7]
