"""What kernel dumps add: counter deltas, NAT rules, conntrack entries, each with the lines it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from backend.forensics.dumps import ConntrackEntry, ConntrackTable, CounterRow, Dump, Interface, NatRule
from backend.forensics.dumps.conntrack import EVENT_NEW
from backend.forensics.evidence.kernel.counter_series import (
    CounterSeries,
    Source,
    counter_series,
    host_names,
    rise_between,
)
from backend.forensics.private_words import PrivateWord


@dataclass(frozen=True)
class DumpInput:
    """A dump and the evidence file it came from."""

    input: str
    host: str | None
    dump: Dump


@dataclass(frozen=True)
class CounterDelta:
    """Rise of every conntrack counter between two dumps of one kind."""

    before: str
    before_lines: tuple[int, ...]
    after: str
    after_lines: tuple[int, ...]
    deltas: dict[str, int]
    basis: str
    """``text`` or ``given`` when the dumps carry times, ``counters`` when the order follows from the
    numbers."""
    host: str = ""
    """"" where the dumps name none."""

    @property
    def between_dumps(self) -> str:
        """``between the dumps of node-1``."""
        return between_dumps(self.host)


def between_dumps(host: str) -> str:
    """When a counter rose, and whose it is."""
    return f"between the dumps of {PrivateWord(host, 'host')}" if host else "between the dumps"


@dataclass(frozen=True)
class KernelFacts:
    """All dumps of the investigation, by what they show."""

    dumps: tuple[DumpInput, ...]
    delta: CounterDelta | None
    delta_problem: str
    """Why there is no delta, in words; "" when there is one."""
    series: tuple[CounterSeries, ...] = ()
    """Every counter of every kind over the dumps that hold it."""
    contradictions: tuple[str, ...] = ()
    """Sentences on dumps between which a counter falls, with their lines."""

    def nat_rules(self) -> Iterator[tuple[str, NatRule]]:
        """(input, rule) of every dump of NAT rules."""
        for each in self.dumps:
            for rule in each.dump.nat_rules:
                yield each.input, rule

    def interfaces(self) -> Iterator[tuple[str, Interface]]:
        """(input, interface) of every `ip link`."""
        for each in self.dumps:
            for interface in each.dump.interfaces:
                yield each.input, interface

    def events(self) -> Iterator[tuple[str, ConntrackEntry]]:
        """(input, entry) of every conntrack event listing."""
        for each in self.dumps:
            if each.dump.kind == "conntrack-events":
                for entry in each.dump.entries:
                    yield each.input, entry

    def new_events(self, source_ports: Iterable[int]) -> Iterator[tuple[str, ConntrackEntry]]:
        """(input, entry) of NEW events with a time whose original source port is one of these: a listing holds
        millions, only a few are asked for."""
        wanted = np.array(sorted(set(source_ports)), np.uint16)
        for each in self.dumps:
            if each.dump.kind == "conntrack-events":
                rows = each.dump.entries.events(EVENT_NEW).rows
                for entry in ConntrackTable(rows[np.isin(rows["original_source_port"], wanted)]):
                    yield each.input, entry

    def has(self, kind: str) -> bool:
        """Whether a dump of this kind was given."""
        return any(each.dump.kind == kind for each in self.dumps)


def gather_kernel_facts(dumps: Sequence[DumpInput]) -> KernelFacts:
    """Compare the counters and keep the rest at hand."""
    dumps = [replace(each, host=host or None) for each, host in zip(dumps, _hosts(dumps), strict=True)]
    delta, problem = _delta([d for d in dumps if d.dump.kind == "conntrack-stats"])
    series, contradictions = counter_series(_sources(dumps))
    return KernelFacts(tuple(dumps), delta, problem, series, contradictions)


def _sources(dumps: Sequence[DumpInput]) -> list[Source]:
    return [Source(each.input, each.host or each.dump.host, each.dump) for each in dumps]


def _hosts(dumps: Sequence[DumpInput]) -> list[str]:
    return host_names(_sources(dumps))


def counter_totals(rows: Sequence[CounterRow]) -> dict[str, int]:
    """Sum over CPUs."""
    totals: dict[str, int] = {}
    for row in rows:
        for name, value in row.counters.items():
            totals[name] = totals.get(name, 0) + value
    return totals


def _delta(stats: Sequence[DumpInput]) -> tuple[CounterDelta | None, str]:
    if not stats:
        return None, "no conntrack -S was given"
    if len(stats) == 1:
        return None, "only one conntrack -S was given: a rise needs one before and one after"
    if len({d.host or d.dump.host for d in stats}) > 1:
        return None, "the conntrack -S dumps are of different hosts"
    shared = set.intersection(*(set(counter_totals(d.dump.counters)) for d in stats))
    timed = all(d.dump.captured_at_ns is not None for d in stats)
    ordered = sorted(stats, key=lambda d: (_order_key(d, shared, timed), d.input))
    before, after = ordered[0], ordered[-1]
    rises = {name: rise_between(before.dump, after.dump, name) for name in sorted(shared)}
    deltas = {name: rise for name, rise in rises.items() if rise is not None}
    if len(deltas) < len(rises):
        return (
            None,
            f"{before.input} and {after.input} contradict each other: a counter is lower in the later one",
        )
    basis = before.dump.captured_at_basis if timed else "counters"
    lines = [tuple(row.line for row in d.dump.counters) for d in (before, after)]
    return CounterDelta(
        before.input, lines[0], after.input, lines[1], deltas, basis, after.host or after.dump.host
    ), ""


def _order_key(each: DumpInput, shared: set[str], timed: bool) -> int:
    if timed:
        return each.dump.captured_at_ns or 0
    totals = counter_totals(each.dump.counters)
    return sum(totals[name] for name in shared)
