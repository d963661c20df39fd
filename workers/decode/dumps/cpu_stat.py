"""`cpu.stat` of a control group, of version 1 and 2: how often its CPU quota ran out.

usage_usec 81230412
user_usec 61230412
system_usec 20000000
nr_periods 1203
nr_throttled 211
throttled_usec 18230412
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import CounterRow, Dump
from workers.decode.dumps.fields import numbered, whole_number

KIND = "cpu-stat"

# Documentation/admin-guide/cgroup-v2.rst and scheduler/sched-bwc.rst of the kernel; v1 counts in nanoseconds.
_NAMES = (
    "usage_usec", "user_usec", "system_usec", "nice_usec", "core_sched.force_idle_usec", "nr_periods", "nr_throttled",
    "throttled_usec", "throttled_time", "nr_bursts", "burst_usec", "burst_time", "wait_sum",
)  # fmt: skip
_LINE = re.compile(rf"(?P<name>{'|'.join(map(re.escape, _NAMES))}) (?P<value>\d{{1,20}})\s*$")
_FIRST = ("usage_usec", "nr_periods")


def recognise(head: Sequence[str]) -> float:
    """Sure when a counter of throttling or of use is there."""
    return 1.0 if any(_LINE.match(line) for line in head) else 0.0


def owns_line(line: str) -> bool:
    """Any of its lines."""
    return bool(_LINE.match(line))


def starts_anew(previous: str, line: str) -> bool:
    """`usage_usec` begins a listing; so does `nr_periods` where no line of version 2 stands before it."""
    now, before = _LINE.match(line), _LINE.match(previous)
    if now is None or before is None or now["name"] not in _FIRST:
        return False
    return (
        now["name"] == "usage_usec"
        or not before["name"].endswith("_usec")
        or before["name"] == "throttled_usec"
    )


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """A row a line; times in microseconds whatever the version."""
    rows: list[CounterRow] = []
    not_understood: list[int] = []
    for number, line in numbered(lines, first_line):
        found = _LINE.match(line)
        value = whole_number(found["value"]) if found is not None else None
        if found is None or value is None:
            not_understood.append(number)
            continue
        name = found["name"]
        in_nanoseconds = name in ("throttled_time", "burst_time")
        name = name.replace("_time", "_usec") if in_nanoseconds else name
        rows.append(CounterRow(number, None, {name: value // 1_000 if in_nanoseconds else value}))
    return Dump(KIND, len(lines), tuple(not_understood), counters=tuple(rows))
