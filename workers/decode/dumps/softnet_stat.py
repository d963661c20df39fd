"""`/proc/net/softnet_stat`: what each CPU took from the network cards, in hexadecimal, a row a CPU.

00a1b2c3 00000000 0000001f 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import CounterRow, Dump
from workers.decode.dumps.fields import hexadecimal_number, numbered
from workers.decode.dumps.formats import share_owned

KIND = "softnet-stat"

# net/core/net-procfs.c, softnet_seq_show: the columns 3 to 7 are zeros, backlog_len came with 5.10.
_COLUMNS = {
    0: "processed",
    1: "dropped",
    2: "time_squeeze",
    8: "cpu_collision",
    9: "received_rps",
    10: "flow_limit_count",
}
_BACKLOG_COLUMN, _CPU_COLUMN = 11, 12
_ROW = re.compile(r"[0-9a-f]{8}(?: [0-9a-f]{8}){8,14}\s*$")


def recognise(head: Sequence[str]) -> float:
    """The share of lines that are rows; less than sure, for other files have such rows, too."""
    return 0.6 * share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """A row: nine or more words of eight digits, of which the fourth to eighth are zero."""
    return bool(_ROW.match(line)) and line.split()[3:8] == ["00000000"] * 5


def starts_anew(previous: str, line: str) -> bool:
    """CPU 0 begins a listing, where the rows name their CPU."""
    words = line.split()
    return bool(previous) and len(words) > _CPU_COLUMN and words[_CPU_COLUMN] == "00000000"


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """A row a CPU; CPUs that are off are left out by the kernel, so newer ones name theirs."""
    counters: list[CounterRow] = []
    gauges: list[CounterRow] = []
    not_understood: list[int] = []
    for number, line in numbered(lines, first_line):
        values = [hexadecimal_number(word) for word in line.split()] if _ROW.match(line) else []
        if not values or None in values:
            not_understood.append(number)
            continue
        whole = [value for value in values if value is not None]
        cpu = whole[_CPU_COLUMN] if len(whole) > _CPU_COLUMN else len(counters)
        counters.append(CounterRow(number, cpu, {n: whole[i] for i, n in _COLUMNS.items() if i < len(whole)}))
        if len(whole) > _BACKLOG_COLUMN:
            gauges.append(CounterRow(number, cpu, {"backlog_len": whole[_BACKLOG_COLUMN]}))
    return Dump(KIND, len(lines), tuple(not_understood), counters=tuple(counters), gauges=tuple(gauges))
