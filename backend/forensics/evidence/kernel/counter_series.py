"""How counters rose from dump to dump: a series of each counter of each host, with the lines of every value.

A counter only grows while its kernel runs. Where it falls, the two dumps contradict each other (exchanged times,
another machine, a restart in between): no rise is computed across that place, and the rest is used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from backend.forensics.dumps import Dump
from backend.forensics.private_words import of_file

WRAPS_AT: Final = 2**32
_FAR: Final = WRAPS_AT // 4
"""A 32-bit counter wrapped when it was within a quarter of its end and is now within a quarter of its beginning."""

# Printed from 32-bit fields: struct ip_conntrack_stat (nf_conntrack_common.h), struct softnet_data (netdevice.h).
KINDS_OF_32_BITS: Final = frozenset(("conntrack-stats", "softnet-stat"))

Order = Literal["times", "counters"]


@dataclass(frozen=True)
class CounterValue:
    """What one dump says of a counter."""

    input: str
    lines: tuple[int, ...]
    time_ns: int | None
    per_cpu: dict[int | None, int]

    @property
    def total(self) -> int:
        """The sum over the CPUs."""
        return sum(self.per_cpu.values())


@dataclass(frozen=True)
class CounterStep:
    """From one dump to the next; `rise` is None where they contradict each other."""

    before: CounterValue
    after: CounterValue
    rise: int | None
    wrapped: bool = False


@dataclass(frozen=True)
class CounterSeries:
    """One counter of one host, over at least two dumps."""

    kind: str
    """As in ``Dump.kind``."""
    host: str
    """"" when nothing names it."""
    name: str
    subject: str
    """As in ``Dump.subject``."""
    order: Order
    """Whether the order of the dumps is by their times or follows from the counters themselves."""
    steps: tuple[CounterStep, ...]

    @property
    def rise(self) -> int | None:
        """Between the first and the last dump; None when any two neighbours contradict each other."""
        rises = [step.rise for step in self.steps]
        return None if None in rises else sum(rise for rise in rises if rise is not None)


@dataclass(frozen=True)
class Source:
    """A dump, its file and its host."""

    input: str
    host: str
    dump: Dump


def counter_series(sources: Sequence[Source]) -> tuple[tuple[CounterSeries, ...], tuple[str, ...]]:
    """Every series, by kind, host, subject and name, and a sentence for each pair of dumps in contradiction."""
    series: list[CounterSeries] = []
    problems: list[str] = []
    for kind, host, subject, group in _groups(sources):
        ordered, order = _in_order(group)
        if len(ordered) < 2:
            continue
        names = sorted({name for source in ordered for row in source.dump.counters for name in row.counters})
        found = [_series_of((kind, host, name, subject), ordered, order) for name in names]
        series += [each for each in found if each is not None]
        problems += _contradictions([each for each in found if each is not None])
    return tuple(series), tuple(problems)


def host_names(sources: Sequence[Source]) -> list[str]:
    """The host of each. Dumps that name none are of the only one that is named, unless the named ones alone hold a
    whole series of a kind that the nameless ones hold as well: then these are another host's."""
    named = {source.host for source in sources if source.host}
    if len(named) != 1:
        return [source.host for source in sources]
    whole, nameless = _kinds(sources, named=True), _kinds(sources, named=False)
    apart = any(count > 1 and whole.get(key, 0) > 1 for key, count in nameless.items())
    return [source.host or ("" if apart else next(iter(named))) for source in sources]


def _kinds(sources: Sequence[Source], *, named: bool) -> Counter[tuple[str, str]]:
    mine = (s.dump for s in sources if bool(s.host) is named and s.dump.counters)
    return Counter((dump.kind, dump.subject) for dump in mine)


def _groups(sources: Sequence[Source]) -> list[tuple[str, str, str, list[Source]]]:
    """By kind, host and subject."""
    groups: dict[tuple[str, str, str], list[Source]] = {}
    for source, host in zip(sources, host_names(sources), strict=True):
        if source.dump.counters:
            key = source.dump.kind, host, source.dump.subject
            groups.setdefault(key, []).append(source)
    return [(*key, groups[key]) for key in sorted(groups)]


def _in_order(group: Sequence[Source]) -> tuple[list[Source], Order]:
    """By time when all have one, else by the sum of what all of them count."""
    if all(source.dump.captured_at_ns is not None for source in group):
        return sorted(
            group, key=lambda s: (s.dump.captured_at_ns or 0, s.input, _first_line(s.dump))
        ), "times"
    shared = set.intersection(*({n for row in s.dump.counters for n in row.counters} for s in group))
    return sorted(group, key=lambda s: (_sum(s.dump, shared), s.input, _first_line(s.dump))), "counters"


def _first_line(dump: Dump) -> int:
    return dump.counters[0].line


def _sum(dump: Dump, names: set[str]) -> int:
    return sum(value for row in dump.counters for name, value in row.counters.items() if name in names)


def _series_of(
    what: tuple[str, str, str, str], ordered: Sequence[Source], order: Order
) -> CounterSeries | None:
    """`what`: kind, host, name and subject."""
    values = [value for source in ordered if (value := _value_of(source, what[2])) is not None]
    steps = tuple(_step(what[0], before, after) for before, after in pairwise(values))
    return CounterSeries(*what, order, steps) if steps else None


def _value_of(source: Source, name: str) -> CounterValue | None:
    rows = [row for row in source.dump.counters if name in row.counters]
    if not rows:
        return None
    per_cpu: dict[int | None, int] = {}
    for row in rows:
        per_cpu[row.cpu] = per_cpu.get(row.cpu, 0) + row.counters[name]
    return CounterValue(source.input, tuple(row.line for row in rows), source.dump.captured_at_ns, per_cpu)


def _step(kind: str, before: CounterValue, after: CounterValue) -> CounterStep:
    """CPUs that only one of the dumps has are left out: they were switched on or off in between."""
    rise, wrapped = 0, False
    for cpu in before.per_cpu.keys() & after.per_cpu.keys():
        was, now = before.per_cpu[cpu], after.per_cpu[cpu]
        if now < was:
            if kind not in KINDS_OF_32_BITS or not (WRAPS_AT - _FAR <= was < WRAPS_AT and now < _FAR):
                return CounterStep(before, after, None)
            now, wrapped = now + WRAPS_AT, True
        rise += now - was
    return CounterStep(before, after, rise, wrapped)


def rise_between(before: Dump, after: Dump, name: str) -> int | None:
    """How far a counter rose from one dump to another of its kind, CPU by CPU, a wrap of 32 bits included; None where
    it fell, or where one of them lacks it."""
    was, now = (_value_of(Source("", "", dump), name) for dump in (before, after))
    return _step(before.kind, was, now).rise if was is not None and now is not None else None


def _contradictions(series: Sequence[CounterSeries]) -> list[str]:
    """One sentence for two dumps, however many of their counters fall."""
    falls: dict[tuple[str, int, str, int], list[tuple[CounterSeries, CounterStep]]] = {}
    for each in series:
        for step in each.steps:
            if step.rise is None:
                key = step.before.input, step.before.lines[0], step.after.input, step.after.lines[0]
                falls.setdefault(key, []).append((each, step))
    return [_sentence(fallen) for fallen in falls.values()]


def _sentence(fallen: Sequence[tuple[CounterSeries, CounterStep]]) -> str:
    first, step = fallen[0]
    more = f" and {len(fallen) - 1} more" if len(fallen) > 1 else ""
    earlier = "earlier" if first.order == "times" else "lower"
    return (
        f"{first.kind}: {first.name}{more} falls from {step.before.total:,} ({of_file(step.before.input)} line "
        f"{step.before.lines[0]}, the {earlier} dump) to {step.after.total:,} ({of_file(step.after.input)} line "
        f"{step.after.lines[0]}): they contradict each other, no rise is computed between them"
    )
