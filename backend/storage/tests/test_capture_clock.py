"""A capture's clock in Python and in SQL: to the nanosecond the same."""

from __future__ import annotations

import duckdb
import pytest

from backend.storage.capture_clock import COMMON, CaptureClock

S = 1_000_000_000
FIRST_NS, LAST_NS = 1_700_000_000 * S + 7, 1_700_000_100 * S + 11
TIMES_NS = [FIRST_NS, FIRST_NS + 1, FIRST_NS + 33_333_333_333, LAST_NS - 1, LAST_NS]


@pytest.mark.parametrize(
    "ahead_ns",
    [(300_000_000, 300_000_000), (-4 * S, -4 * S), (-7_300 * S, -7_300 * S + 9_000_001), (5, -7), (0, 3 * S)],
)
def test_sql_and_python_tell_the_same_time(ahead_ns: tuple[int, int]) -> None:
    clock = CaptureClock(FIRST_NS, LAST_NS, *ahead_ns)
    rows = duckdb.execute(
        f"SELECT {clock.common_sql('t')}, typeof({clock.common_sql('t')}) "
        "FROM (SELECT unnest(?::BIGINT[]) AS t) ORDER BY t",
        (TIMES_NS,),
    ).fetchall()
    assert rows == [(clock.common(time_ns), "BIGINT") for time_ns in TIMES_NS]
    assert not clock.is_common


def test_the_reports_own_clock_changes_nothing() -> None:
    assert COMMON.is_common
    assert (COMMON.common_sql("time_ns"), COMMON.common(5), COMMON.own(5)) == ("time_ns", 5, 5)
