"""Who ran when stalls ended, and how often by chance."""

from __future__ import annotations

import random

import pytest

from backend.forensics.dumps import Dump, PacketProcess, SystemCall
from backend.forensics.evidence.kernel.blocking_processes import (
    LEAST_STALLS,
    SURE_P,
    BlockingProcess,
    StallSpan,
    find_blocking_processes,
)
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.private_words import composed

MS = 1_000_000
S = 1_000_000_000
T0_NS = 1_795_222_120 * S
EVERY = 100
"""Echoes from one stall to the next; ten are held."""


def stalls(count: int) -> list[StallSpan]:
    return [
        StallSpan(T0_NS + n * S, T0_NS + n * S + 100 * MS, tuple(range(n * EVERY + 50, n * EVERY + 60)))
        for n in range(count)
    ]


def listing(count: int, names: list[str], *, busy: float = 0.0, seed: int = 1) -> DumpInput:
    """Packets of an idle CPU, but for the first held one of each stall (`names` by turns), and a `busy` share of
    cadvisor's at any time."""
    chance = random.Random(seed)
    rows = []
    for number in range(count * EVERY):
        stall, at = divmod(number, EVERY)
        process = "cadvisor" if chance.random() < busy else "swapper/11"
        process = names[stall % len(names)] if at == 50 else process
        process = "ksoftirqd/11" if 50 < at < 60 else process
        rows.append(PacketProcess(number + 2, 1, 1, process, number % 65_536))
    return DumpInput("probe.txt", "", Dump("packet-processes", len(rows), (), packet_processes=tuple(rows)))


def best(spans: list[StallSpan], dump: DumpInput) -> BlockingProcess | None:
    found = find_blocking_processes(spans, [dump])
    return found[0] if found else None


def test_the_process_of_each_first_held_packet_is_named_with_its_counts() -> None:
    blocking = best(stalls(10), listing(10, ["cadvisor"]))
    assert blocking is not None
    assert (blocking.process, blocking.named, blocking.stalls, blocking.seen) == ("cadvisor", 10, 10, 0)
    assert blocking.sure
    assert blocking.lines[:2] == (52, 152)
    assert composed(blocking.statement).startswith(
        "cadvisor was interrupted by the first held packet at 10 of 10 stalls, "
    )


def test_a_process_that_always_runs_is_no_blocking_process() -> None:
    blocking = best(stalls(4), listing(4, ["cadvisor"], busy=0.6))
    assert blocking is not None
    assert not blocking.sure


def test_bystanders_are_behind_the_blocking_process() -> None:
    found = find_blocking_processes(
        stalls(12), [listing(12, ["cadvisor", "cadvisor", "cadvisor", "prometheus"])]
    )
    assert [(c.process, c.named, c.sure) for c in found] == [
        ("cadvisor", 9, True),
        ("prometheus", 3, True),
    ]


@pytest.mark.parametrize("count", [LEAST_STALLS - 1, LEAST_STALLS])
def test_one_stall_tells_nothing(count: int) -> None:
    blocking = best(stalls(count), listing(count, ["cadvisor"]))
    assert blocking is not None
    assert blocking.sure == (count >= LEAST_STALLS)


def test_the_process_before_the_network_thread_took_over_is_the_one() -> None:
    spans, dump = stalls(5), listing(5, ["ksoftirqd/11"])
    rows = list(dump.dump.packet_processes)
    for row in range(49, len(rows), EVERY):
        rows[row] = PacketProcess(rows[row].line, 7, 7, "cadvisor", rows[row].sequence)
    found = best(spans, DumpInput("p", "", Dump("packet-processes", 9, (), packet_processes=tuple(rows))))
    assert found is not None
    assert (found.process, found.named) == ("cadvisor", 5)


def test_numbers_in_the_other_byte_order_are_the_same_packets() -> None:
    dump = listing(5, ["cadvisor"])
    turned = tuple(
        PacketProcess(p.line, p.tgid, p.pid, p.process, ((p.sequence & 0xFF) << 8) | p.sequence >> 8)
        for p in dump.dump.packet_processes
    )
    blocking = best(stalls(5), DumpInput("p", "", Dump("packet-processes", 9, (), packet_processes=turned)))
    assert blocking is not None
    assert (blocking.process, blocking.named) == ("cadvisor", 5)


def test_an_idle_host_has_no_blocking_process() -> None:
    assert best(stalls(5), listing(5, ["swapper/11"])) is None


def test_by_chance_hardly_anybody_is_sure() -> None:
    wrong = 0
    chance = random.Random(3)
    for seed in range(300):
        names = ["cadvisor" if chance.random() < 0.3 else "swapper/11" for _ in range(8)]
        wrong += sum(
            c.sure for c in find_blocking_processes(stalls(8), [listing(8, names, busy=0.3, seed=seed)])
        )
    assert wrong <= 300 * SURE_P * 2


def traced(calls: list[SystemCall]) -> DumpInput:
    return DumpInput("strace.txt", "", Dump("strace", len(calls), (), system_calls=tuple(calls)))


def memory_reads(count: int, *, offset_ns: int = 0, every_ns: int = S) -> list[SystemCall]:
    """Reads of 95 ms that end 1 ms before the last held answer of each stall, and short ones in between."""
    path = "/sys/fs/cgroup/memory/memory.stat"
    calls = []
    for number in range(count):
        begin_ns = T0_NS + number * every_ns + 4 * MS + offset_ns
        calls.append(SystemCall(2 * number + 1, 7, "cadvisor", "read", path, 0.095, begin_ns))
        calls.append(SystemCall(2 * number + 2, 7, "cadvisor", "read", path, 0.001, begin_ns + 400 * MS))
    return calls


def test_a_call_that_ends_with_every_stall_is_named() -> None:
    blocking = best(stalls(8), traced(memory_reads(8)))
    assert blocking is not None
    assert (blocking.what, blocking.named, blocking.stalls) == (
        "in read of /sys/fs/cgroup/memory/memory.stat",
        8,
        8,
    )
    assert blocking.sure


@pytest.mark.parametrize(("late_ns", "named"), [(21 * MS, 8), (22 * MS, 0)])
def test_a_call_that_ends_at_another_time_is_not(late_ns: int, named: int) -> None:
    blocking = best(stalls(8), traced(memory_reads(8, offset_ns=late_ns)))
    assert (blocking.named if blocking else 0) == named


def test_calls_that_go_on_all_the_time_explain_nothing() -> None:
    blocking = best(stalls(8), traced(memory_reads(83, every_ns=97 * MS)))
    assert blocking is not None
    assert not blocking.sure


@pytest.mark.parametrize("zone_h", [-8, 0, 5.5])
def test_times_of_day_in_any_zone(zone_h: float) -> None:
    calls = [
        SystemCall(
            c.line, c.pid, "cadvisor", c.name, c.path, c.duration_s, None, _of_day(c.time_ns or 0, zone_h)
        )
        for c in memory_reads(8)
    ]
    blocking = best(stalls(8), traced(calls))
    assert blocking is not None
    assert (blocking.named, blocking.sure) == (8, True)


def _of_day(time_ns: int, zone_h: float) -> float:
    return (time_ns / 1e9 + zone_h * 3_600) % 86_400


def test_calls_without_a_time_tell_nothing() -> None:
    assert best(stalls(3), traced([SystemCall(1, 7, "cadvisor", "read", "", 0.1)])) is None
