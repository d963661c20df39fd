"""Single values of kernel dumps that a cause asks for: how far a counter rose, what a setting says, what was logged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from backend.forensics.evidence.kernel.counters import DumpInput, KernelFacts, between_dumps

Line = tuple[str, int]
"""(input, 1-based line) of a dump."""


@dataclass(frozen=True)
class Rise:
    """A counter between the earliest and the latest dump that shows it."""

    name: str
    by: int
    lines: tuple[Line, Line]
    """Before and after."""
    host: str = ""
    """"" where the dumps name none."""

    @property
    def between_dumps(self) -> str:
        """``between the dumps of node-1``."""
        return between_dumps(self.host)


@dataclass(frozen=True)
class TableFill:
    """Connection-tracking entries against their limit, at the fullest moment that a dump shows."""

    count: int
    limit: int
    lines: tuple[Line, ...]

    @property
    def ratio(self) -> float:
        return self.count / self.limit if self.limit else 0.0


def counter_rise(kernel: KernelFacts, kind: str, name: str) -> Rise | None:
    """How far `name` rose over the dumps of `kind` (one host), None with fewer than two or when it fell. Of several
    subjects (`Dump.subject`) each is followed by itself, and the one that rose most is given."""
    dumps = [each for each in kernel.dumps if each.dump.kind == kind]
    if len({each.host or each.dump.host for each in dumps} - {"", None}) > 1:
        return None
    rises = [
        rise
        for subject in sorted({each.dump.subject for each in dumps})
        if (rise := _rise([each for each in dumps if each.dump.subject == subject], name)) is not None
    ]
    return max(rises, key=lambda rise: rise.by, default=None)


def _rise(dumps: Sequence[DumpInput], name: str) -> Rise | None:
    seen: list[tuple[int, int, Line]] = []
    for each in dumps:
        rows = [(row.counters[name], row.line) for row in each.dump.counters if name in row.counters]
        if rows:
            line = (each.input, rows[0][1])
            seen.append((each.dump.captured_at_ns or 0, sum(value for value, _ in rows), line))
    if len(seen) < 2:
        return None
    # Without times the counter itself shows which dump is the later one: it only grows.
    timed = all(time for time, _, _ in seen)
    seen.sort(key=lambda entry: (entry[0] if timed else entry[1], entry[1], entry[2]))
    first, last = seen[0], seen[-1]
    if last[1] < first[1]:
        return None
    host = next((own for each in dumps if (own := each.host or each.dump.host)), "")
    return Rise(name, last[1] - first[1], (first[2], last[2]), host)


def counter_value(kernel: KernelFacts, kind: str, name: str) -> tuple[int, Line] | None:
    """The largest value that a dump of `kind` shows, with its line; None where none shows it."""
    shown = [
        (row.counters[name], (each.input, row.line))
        for each in kernel.dumps
        if each.dump.kind == kind
        for row in each.dump.counters
        if name in row.counters
    ]
    return max(shown, default=None)


def settings_of(kernel: KernelFacts, key: str) -> list[tuple[str, Line]]:
    """(value, line) of every `sysctl` that prints the key."""
    return [
        (setting.value, (each.input, setting.line))
        for each in kernel.dumps
        for setting in each.dump.settings
        if setting.key == key
    ]


def messages_with(kernel: KernelFacts, *words: str) -> list[tuple[str, Line]]:
    """(text, line) of kernel messages that hold all of the words, whatever their case."""
    return [
        (message.text, (each.input, message.line))
        for each in kernel.dumps
        for message in each.dump.messages
        if all(word in message.text.lower() for word in words)
    ]


def conntrack_fill(kernel: KernelFacts) -> TableFill | None:
    """The fullest table of any dump; None unless both the count and the limit are known."""
    limits = _numbers(settings_of(kernel, "net.netfilter.nf_conntrack_max"))
    counts = [*_numbers(settings_of(kernel, "net.netfilter.nf_conntrack_count")), *_gauged(kernel)]
    if not limits or not counts:
        return None
    limit, count = min(limits), max(counts)
    return TableFill(count[0], limit[0], (count[1], limit[1]))


def conntrack_counts(kernel: KernelFacts) -> list[tuple[int, int, Line]]:
    """(time in ns, entries, line) of every dump with a time that shows the number of entries, by time."""
    found = []
    for each in kernel.dumps:
        if each.dump.captured_at_ns is not None:
            only = KernelFacts((each,), None, "")
            counts = [*_numbers(settings_of(only, "net.netfilter.nf_conntrack_count")), *_gauged(only)]
            found += [(each.dump.captured_at_ns, count, line) for count, line in counts]
    return sorted(found, key=lambda entry: (entry[0], entry[1], entry[2]))


def _numbers(settings: list[tuple[str, Line]]) -> list[tuple[int, Line]]:
    found = [(int(text), line) for text, line in settings if text.isascii() and text.isdigit()]
    return sorted(found, key=lambda entry: (entry[0], entry[1]))


def _gauged(kernel: KernelFacts) -> Iterator[tuple[int, Line]]:
    for each in kernel.dumps:
        yield from _entries(each)


def _entries(each: DumpInput) -> Iterator[tuple[int, Line]]:
    """``conntrack -C``, or the `entries` column of /proc/net/stat/nf_conntrack (global, the same on every CPU)."""
    for row in each.dump.gauges:
        value = row.counters.get("entries")
        if value is not None:
            yield value, (each.input, row.line)


def throttled_share(kernel: KernelFacts) -> float:
    """Of the periods of CPU quotas those in which a control group was stopped; 0 where cpu.stat does not show."""
    throttled, periods = (counter_rise(kernel, "cpu-stat", name) for name in ("nr_throttled", "nr_periods"))
    return throttled.by / periods.by if throttled is not None and periods is not None and periods.by else 0.0
