"""`/proc/net/ip_vs_stats` and `ip_vs_stats_percpu`: what IPVS forwarded, in hexadecimal.

   Total Incoming Outgoing         Incoming         Outgoing
   Conns  Packets  Packets            Bytes            Bytes
     559     1B4E     1AC8            75D72            7B785

 Conns/s   Pkts/s   Pkts/s          Bytes/s          Bytes/s
       C       3A       3A              FB5             10B0

The names are those of `struct ip_vs_kstats` (include/net/ip_vs.h).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import CounterRow, Dump
from workers.decode.dumps.fields import hexadecimal_number, numbered

KIND = "ipvs-stats"

TOTALS = ("conns", "inpkts", "outpkts", "inbytes", "outbytes")
RATES = ("cps", "inpps", "outpps", "inbps", "outbps")

_FIRST_HEADER = re.compile(r"\s{1,12}Total Incoming Outgoing\s{1,16}Incoming\s{1,16}Outgoing\s*$")
_SECOND_HEADER = re.compile(
    r"(?:CPU)?\s{1,12}Conns\s{1,8}Packets\s{1,8}Packets\s{1,16}Bytes\s{1,16}Bytes\s*$"
)
_RATE_HEADER = re.compile(r"\s{1,12}Conns/s\s{1,8}Pkts/s\s{1,8}Pkts/s\s{1,16}Bytes/s\s{1,16}Bytes/s\s*$")


def recognise(head: Sequence[str]) -> float:
    """Sure when a header is there."""
    return 1.0 if any(owns_line(line) for line in head) else 0.0


def owns_line(line: str) -> bool:
    """A header; the numbers follow it."""
    return bool(_FIRST_HEADER.match(line) or _SECOND_HEADER.match(line) or _RATE_HEADER.match(line))


def starts_anew(previous: str, line: str) -> bool:
    """The first header begins a listing."""
    return bool(previous and _FIRST_HEADER.match(line))


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """Totals as counters, CPU by CPU where listed so; rates per second as gauges."""
    counters: list[CounterRow] = []
    gauges: list[CounterRow] = []
    not_understood: list[int] = []
    names, per_cpu = (), False  # type: tuple[str, ...], bool
    for number, line in numbered(lines, first_line):
        if owns_line(line):
            names = RATES if _RATE_HEADER.match(line) else TOTALS
            per_cpu = (per_cpu or line.startswith("CPU")) and names is TOTALS
            continue
        row = _read_row(line.split(), names, per_cpu, number)
        if row is None:
            not_understood.append(number)
        elif row.counters:
            (gauges if names is RATES else counters).append(row)
    return Dump(KIND, len(lines), tuple(not_understood), counters=tuple(counters), gauges=tuple(gauges))


def _read_row(words: list[str], names: Sequence[str], per_cpu: bool, number: int) -> CounterRow | None:
    cpu: int | None = None
    if per_cpu and words[0] == "~":
        # The sum over the CPUs listed above: adding it would count everything twice.
        return CounterRow(number, None, {}) if len(words) == len(names) + 1 else None
    if per_cpu:
        cpu = hexadecimal_number(words[0])
        words = words[1:]
    values = [hexadecimal_number(word) for word in words]
    if not names or len(values) != len(names) or None in values or (per_cpu and cpu is None):
        return None
    return CounterRow(number, cpu, {name: v for name, v in zip(names, values, strict=True) if v is not None})
