"""Counters of two kernels side by side: what is paired, what comes first, what is said to be missing."""

from __future__ import annotations

from backend.forensics.comparison.counters import COUNTERS_LISTED
from backend.forensics.comparison.result import Comparison
from backend.forensics.comparison.tests.build_report import compare, counters, report
from backend.forensics.report import CounterSetPart
from backend.services.render_comparison import render_comparison


def compared(base: list[CounterSetPart], candidate: list[CounterSetPart]) -> Comparison:
    return compare(report(counters=base), report(counters=candidate))


def names(comparison: Comparison) -> list[str]:
    return [part.name for part in comparison.counters]


def test_what_differs_most_by_time_comes_first_and_what_never_rose_is_left_out() -> None:
    base = counters({"found": 1000, "drop": 0, "insert_failed": 3, "invalid": 0}, seconds=10)
    candidate = counters({"found": 3000, "drop": 29, "insert_failed": 3, "invalid": 0}, seconds=30)
    found = compared([base], [candidate])
    assert names(found) == ["drop", "insert_failed", "found"]
    first, _, last = found.counters
    assert first.base is not None
    assert (first.base.rise, first.base.per_s) == (0, 0.0)
    assert first.candidate is not None
    assert first.candidate.evidence[1].input == "after.txt"
    assert last.base is not None
    assert last.candidate is not None
    assert (last.base.per_s, last.candidate.per_s) == (100.0, 100.0)
    assert found.verdict == "same"  # counters judge nothing


def test_without_times_the_rises_are_compared() -> None:
    base, candidate = counters({"drop": 1, "found": 5}, seconds=None), counters({"drop": 90, "found": 6})
    found = compared([base], [candidate])
    assert names(found) == ["drop", "found"]
    assert found.counters[0].base is not None
    assert found.counters[0].base.per_s is None


def test_a_counter_that_one_kernel_lacks_is_listed_without_a_side() -> None:
    found = compared([counters({"drop": 1})], [counters({"drop": 1, "clash_resolve": 4})])
    assert names(found) == ["clash_resolve", "drop"]
    assert found.counters[0].base is None


def test_hosts_are_paired_by_name_unless_there_is_one_on_either_side() -> None:
    a, b, c = (counters({"drop": rise}, host=host) for rise, host in ((1, "a"), (2, "b"), (3, "c")))
    assert names(compared([a], [b])) == ["drop"]
    found = compared([a, b], [b, c])
    assert [part.host for part in found.counters] == ["b"]
    assert found.not_compared[-2:] == [
        "Only the base has counters of conntrack-stats on a before and after.",
        "Only the candidate has counters of conntrack-stats on c before and after.",
    ]


def test_the_list_ends_and_markdown_has_it() -> None:
    many = {f"c{number}": number + 1 for number in range(COUNTERS_LISTED + 5)}
    found = compared([counters(dict.fromkeys(many, 0))], [counters(many)])
    assert len(found.counters) == COUNTERS_LISTED
    assert found.counters[0].name == f"c{COUNTERS_LISTED + 4}"
    text = render_comparison(found)
    assert "## Kernel counters" in text
    assert (
        f"| c{COUNTERS_LISTED + 4} (conntrack-stats) | 0 in 30.0 s (0 a second) | 205 in 30.0 s (6.83 a second) |"
        in text
    )
