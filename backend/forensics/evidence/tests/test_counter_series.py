"""How counters rise over a series of dumps, and what happens where they fall."""

import pytest

from backend.forensics.dumps import CounterRow, Dump
from backend.forensics.evidence.kernel.counter_series import WRAPS_AT, CounterSeries, Source, counter_series
from backend.forensics.private_words import composed


def dump(
    *values: int, at_ns: int | None = None, host: str = "", name: str = "a.txt", kind: str = "conntrack-stats"
) -> Source:
    rows = tuple(CounterRow(10 + cpu, cpu, {"drop": value}) for cpu, value in enumerate(values))
    return Source(name, host, Dump(kind, len(rows), (), captured_at_ns=at_ns, counters=rows))


def only(*sources: Source) -> tuple[CounterSeries, tuple[str, ...]]:
    (series,), problems = counter_series(sources)
    return series, problems


def test_neighbours_and_the_whole_rise() -> None:
    series, problems = only(dump(5, 5, at_ns=2), dump(1, 2, at_ns=1), dump(9, 8, at_ns=3))
    assert [step.rise for step in series.steps] == [7, 7]
    assert [(step.before.time_ns, step.after.time_ns) for step in series.steps] == [(1, 2), (2, 3)]
    assert (series.rise, series.order, series.name, problems) == (14, "times", "drop", ())
    assert series.steps[0].before.lines == (10, 11)


def test_without_times_the_counters_give_the_order() -> None:
    series, _ = only(dump(9, name="z.txt"), dump(1, name="y.txt", at_ns=5))
    assert (series.order, series.rise, series.steps[0].before.input) == ("counters", 8, "y.txt")


def test_a_fall_is_named_with_its_lines_and_the_rest_is_used() -> None:
    series, problems = only(dump(5, at_ns=1), dump(3, at_ns=2, name="b.txt"), dump(4, at_ns=3))
    assert [step.rise for step in series.steps] == [None, 1]
    assert series.rise is None
    assert len(problems) == 1
    told = composed(problems[0])
    assert "a.txt line 10" in told
    assert "b.txt line 10" in told
    assert "no rise" in told


@pytest.mark.parametrize(
    ("was", "now", "kind", "rise"),
    [
        (WRAPS_AT - 5, 7, "conntrack-stats", 12),
        (WRAPS_AT - WRAPS_AT // 4, 0, "conntrack-stats", WRAPS_AT // 4),
        (WRAPS_AT - WRAPS_AT // 4 - 1, 0, "conntrack-stats", None),
        (WRAPS_AT - 5, WRAPS_AT // 4, "conntrack-stats", None),
        (WRAPS_AT - 5, 7, "nstat", None),
    ],
)
def test_a_counter_of_32_bits_may_wrap(was: int, now: int, kind: str, rise: int | None) -> None:
    series, _ = only(dump(was, 0, at_ns=1, kind=kind), dump(now, 0, at_ns=2, kind=kind))
    assert (series.rise, series.steps[0].wrapped) == (rise, rise is not None)


def test_a_cpu_that_came_later_adds_nothing() -> None:
    series, problems = only(dump(1, at_ns=1), dump(2, 500, at_ns=2))
    assert (series.rise, problems) == (1, ())


def test_hosts_and_kinds_are_kept_apart() -> None:
    sources = [
        dump(1, host="a", at_ns=1),
        dump(9, host="b", at_ns=2),
        dump(9, host="b", at_ns=3, kind="nstat"),
    ]
    assert counter_series(sources) == ((), ())


def test_dumps_without_a_host_are_of_the_only_one_named() -> None:
    series, _ = only(dump(1, host="a", at_ns=1), dump(9, at_ns=2))
    assert (series.host, series.rise) == ("a", 8)
