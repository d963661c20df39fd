"""How far counters rose, for the report: one time span for each listing, contradictions left out."""

from __future__ import annotations

from backend.forensics.counter_table import COUNTERS_LISTED, LINES_LISTED, list_counter_sets
from backend.forensics.dumps import CounterRow, Dump
from backend.forensics.evidence.kernel.counter_series import Source, counter_series
from backend.forensics.report import CounterSetPart

S = 1_000_000_000


def dump(name: str, at_s: int | None, counters: dict[str, int], *, host: str = "") -> Source:
    rows = tuple(CounterRow(10 + number, None, {key: counters[key]}) for number, key in enumerate(counters))
    at_ns = None if at_s is None else at_s * S
    return Source(name, host, Dump("nstat", len(rows), (), captured_at_ns=at_ns, counters=rows))


def sets(*sources: Source) -> list[CounterSetPart]:
    return list_counter_sets(counter_series(sources)[0])


def test_rises_between_the_first_and_the_last_dump_with_their_lines() -> None:
    (found,) = sets(
        dump("b", 40, {"drop": 9, "found": 7}),
        dump("a", 10, {"drop": 1, "found": 7}),
        dump("c", 20, {"drop": 2, "found": 7}),
    )
    assert (found.kind, found.seconds, found.rises) == ("nstat", 30.0, {"drop": 8, "found": 0})
    assert [(part.input, part.lines) for part in found.evidence] == [("a", [10]), ("b", [10])]


def test_without_times_the_rise_stands_alone() -> None:
    (found,) = sets(dump("b", None, {"drop": 1}), dump("a", None, {"drop": 4}))
    assert (found.seconds, found.rises) == (None, {"drop": 3})
    assert [part.input for part in found.evidence] == ["b", "a"]


def test_what_falls_and_what_spans_another_time_is_left_out() -> None:
    (found,) = sets(
        dump("a", 10, {"drop": 5, "found": 1, "lost": 1}), dump("b", 20, {"drop": 4, "found": 2, "late": 1, "lost": 1}),
        dump("c", 30, {"drop": 6, "found": 4, "late": 9, "lost": 1}),
    )  # fmt: skip
    assert found.rises == {"found": 3, "lost": 0}


def test_hosts_stay_apart_and_long_listings_keep_what_rose() -> None:
    many = {f"c{number:04d}": number for number in range(COUNTERS_LISTED)}
    before, after = {**many, "z": 1}, {**many, "z": 5}
    found = sets(
        *(dump(host, at, each, host=host) for host in ("x", "y") for at, each in ((1, before), (2, after)))
    )
    assert [each.host for each in found] == ["x", "y"]
    assert {len(each.rises) for each in found} == {COUNTERS_LISTED}
    assert found[0].rises["z"] == 4
    every = {f"c{number:04d}": 0 for number in range(LINES_LISTED + 1)}
    (wide,) = sets(dump("a", 1, every), dump("b", 2, dict.fromkeys(every, 1)))
    assert len(wide.evidence[0].lines) == LINES_LISTED
