"""Negative. A conntrack listing shows two pods on one source port, the later one let out with another.

Entries as `conntrack -L` of a real kernel (Linux 6.18) lists them after 203 of 600 ports had been rewritten; here
the counters before and after are equal: no insertion failed.
"""

from __future__ import annotations

from backend.forensics.detectors.tuple_collision.thresholds import Thresholds
from backend.forensics.dumps import ConntrackEntry, ConntrackTable, ConntrackTuple, CounterRow, Dump
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.tests.build_capture import T0_NS, S
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("info", 3)
LOOSENED = Thresholds(least_insert_failed=0)
WRONG_CLAIM = "lost SYNs, from ports that the kernel rewrote as it should"


def build() -> Facts:
    rows = []
    for number in range(6):
        port = 41_363 + number // 2
        outer = port if number % 2 == 0 else 23_000 + number
        original = ConntrackTuple(f"10.0.0.{1 + number % 2}", "192.0.2.10", port, 80)
        reply = ConntrackTuple("192.0.2.10", "198.51.100.1", 80, outer)
        rows.append(ConntrackEntry(number + 1, "tcp", "TIME_WAIT", 119, original, reply, ("ASSURED",)))
    listed = Dump("conntrack-list", 6, (), entries=ConntrackTable.of(rows))
    dumps = [DumpInput("conntrack-L.txt", None, listed)]
    for name, at_ns in (("before", T0_NS), ("after", T0_NS + 60 * S)):
        row = CounterRow(1, 0, {"found": 203, "insert_failed": 29, "drop": 29})
        stats = Dump("conntrack-stats", 1, (), at_ns, "text", counters=(row,))
        dumps.append(DumpInput(f"conntrack-S-{name}.txt", None, stats))
    return gather_facts([], dumps)
