"""When two counter dumps make a rise, and when they do not."""

from __future__ import annotations

import itertools

import pytest

from backend.forensics.dumps import CapturedAtBasis, CounterRow, Dump
from backend.forensics.evidence.kernel.counters import DumpInput, gather_kernel_facts


def stats(
    name: str, failed: int, *, found: int = 10, at_ns: int | None = None, host: str | None = None
) -> DumpInput:
    rows = (
        CounterRow(1, 0, {"insert_failed": failed, "found": found}),
        CounterRow(2, 1, {"insert_failed": 1}),
    )
    basis: CapturedAtBasis = "text" if at_ns is not None else "unknown"
    dump = Dump("conntrack-stats", 2, (), captured_at_ns=at_ns, captured_at_basis=basis, counters=rows)
    return DumpInput(name, host, dump)


@pytest.mark.parametrize("dumps", list(itertools.permutations([stats("z.txt", 3), stats("a.txt", 32)])))
def test_without_times_the_counters_tell_which_was_first(dumps: tuple[DumpInput, ...]) -> None:
    delta = gather_kernel_facts(dumps).delta
    assert delta is not None
    assert (delta.before, delta.after, delta.basis) == ("z.txt", "a.txt", "counters")
    assert delta.deltas == {"found": 0, "insert_failed": 29}
    assert delta.before_lines == delta.after_lines == (1, 2)


def test_times_tell_which_was_first() -> None:
    delta = gather_kernel_facts([stats("a.txt", 32, at_ns=200), stats("b.txt", 3, at_ns=100)]).delta
    assert delta is not None
    assert (delta.before, delta.basis, delta.deltas["insert_failed"]) == ("b.txt", "text", 29)


def test_times_that_contradict_the_counters_give_no_rise() -> None:
    kernel = gather_kernel_facts([stats("a.txt", 32, at_ns=100), stats("b.txt", 3, at_ns=200)])
    assert kernel.delta is None
    assert "contradict" in kernel.delta_problem


def test_counters_that_contradict_each_other_give_no_rise() -> None:
    kernel = gather_kernel_facts([stats("a.txt", 32, found=100), stats("b.txt", 3, found=900)])
    assert kernel.delta is None
    assert "contradict" in kernel.delta_problem


def test_one_dump_gives_no_rise() -> None:
    kernel = gather_kernel_facts([stats("a.txt", 32)])
    assert kernel.delta is None
    assert "only one" in kernel.delta_problem


def test_dumps_of_different_hosts_give_no_rise() -> None:
    kernel = gather_kernel_facts([stats("a.txt", 3, host="node-1"), stats("b.txt", 32, host="node-2")])
    assert kernel.delta is None
    assert "different hosts" in kernel.delta_problem


def test_dumps_whose_texts_name_different_hosts_give_no_rise() -> None:
    one, two = stats("a.txt", 3), stats("b.txt", 32)
    named = [
        DumpInput(each.input, None, Dump("conntrack-stats", 2, (), host=host, counters=each.dump.counters))
        for each, host in ((one, "node-1"), (two, "node-2"))
    ]
    assert gather_kernel_facts(named).delta is None


@pytest.mark.parametrize(("was", "now", "rise"), [(2**32 - 10, 19, 29), (2**31, 19, None)])
def test_a_counter_of_32_bits_that_wrapped_has_risen(was: int, now: int, rise: int | None) -> None:
    delta = gather_kernel_facts([stats("a.txt", was, at_ns=100), stats("b.txt", now, at_ns=200)]).delta
    assert (None if delta is None else delta.deltas["insert_failed"]) == rise
