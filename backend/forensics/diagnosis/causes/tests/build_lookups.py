"""Lookups that wait, for the tests of their causes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from backend.forensics.analyze import analyse_evidence
from backend.forensics.dumps import CounterRow, Dump
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.report import DiagnosisPart
from backend.forensics.tests.build_capture import MS, T0_NS, S
from backend.forensics.tests.build_dns import DnsBuilder

SPACED_NS = 11 * S


def calm(capture: DnsBuilder, lookups: int = 30, **more: Any) -> DnsBuilder:
    """So many lookups that nothing happens to."""
    for number in range(lookups):
        capture.lookup(T0_NS - 10 * S + number * 20 * MS, f"calm{number}.example", **more)
    return capture


def lost_pairs(
    places: Sequence[str] = ("pod", "resolver"), number: int = 6, *, inside: bool = True
) -> DnsBuilder:
    """Lookups of which the AAAA is lost once."""
    capture = calm(DnsBuilder(places=places))
    for n in range(number):
        capture.lost_pair(T0_NS + n * SPACED_NS, f"svc{n}.lab.example", inside=inside)
    return capture


def counters(rise: int) -> list[DumpInput]:
    """`conntrack -S` before and after."""
    dumps = []
    for name, failed, at_ns in (("before", 1, T0_NS - 20 * S), ("later", 1 + rise, T0_NS + 200 * S)):
        row = CounterRow(1, 0, {"insert_failed": failed, "drop": failed, "early_drop": 0})
        dump = Dump("conntrack-stats", 1, (), at_ns, "text", counters=(row,))
        dumps.append(DumpInput(f"{name}.txt", None, dump))
    return dumps


def diagnoses(capture: DnsBuilder, dumps: Sequence[DumpInput] = ()) -> dict[str, DiagnosisPart]:
    """By cause."""
    found = analyse_evidence([capture.build()], dumps, [], label="", created="", tool_version="")
    assert all(len(d.statement) <= 160 for d in found.report.diagnoses)
    return {d.cause: d for d in found.report.diagnoses}


def rival(diagnosis: DiagnosisPart, cause: str) -> str:
    """The status that a diagnosis gives a rival."""
    return next(r.status for r in diagnosis.rivals if r.cause == cause)
