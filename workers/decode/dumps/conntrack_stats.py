r"""`conntrack -S` and `/proc/net/stat/nf_conntrack`: what the connection table counted, CPU by CPU.

    cpu=0   	found=157 invalid=0 insert=0 insert_failed=27 drop=27 early_drop=0 error=0 search_restart=0

    entries  clashres found new invalid ignore delete chainlength insert insert_failed drop …
    00000256  00000000 0000009d 00000000 00000000 00000000 00000000 00000000 00000000 0000001b 0000001b …

The set of counters changes with the kernel, so none is expected. The second form is hexadecimal; its names
are turned into those of the first. `entries` is no counter: it is the size of the whole table, repeated on
every row, so the first row gives it as a gauge.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import CounterRow, Dump
from workers.decode.dumps.fields import LONGEST_LINE, hexadecimal_number, whole_number
from workers.decode.dumps.formats import share_owned

KIND = "conntrack-stats"

NAME_IN_CONNTRACK_S = {
    "clashres": "clash_resolve",
    "chainlength": "chaintoolong",
    "icmp_error": "error",
}
_COUNTER_LINE = re.compile(r"\s{0,16}cpu=\d{1,5}\s{1,16}[a-z_0-9]{1,32}=\d")
_TABLE_HEADER = re.compile(r"\s{0,16}entries\s{1,8}(?:searched|clashres|found)\s")
_TABLE_ROW = re.compile(r"(?:[0-9a-f]{8}\s{1,4}){9,31}(?:[0-9a-f]{8})?\s*$")


def recognise(head: Sequence[str]) -> float:
    """The share of lines that are rows of counters; rows without their names may be another file's."""
    named = any(_COUNTER_LINE.match(line) or _TABLE_HEADER.match(line) for line in head)
    return share_owned(owns_line, head) * (1.0 if named else 0.3)


def owns_line(line: str) -> bool:
    """A row of either form, or the header of the second."""
    return bool(_COUNTER_LINE.match(line) or _TABLE_HEADER.match(line) or _TABLE_ROW.match(line))


def starts_anew(previous: str, line: str) -> bool:
    """`conntrack -S; sleep 60; conntrack -S` prints two listings in a row: the CPU numbers begin again."""
    if not previous:
        return False
    if _TABLE_HEADER.match(line):
        return True
    cpu, cpu_before = _cpu_of(line), _cpu_of(previous)
    return cpu is not None and (cpu_before is None or cpu <= cpu_before)


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """Rows of counters; a value that is no number makes its line not understood."""
    rows: list[CounterRow] = []
    not_understood: list[int] = []
    names: list[str] = []
    for number, line in enumerate(lines, first_line):
        if not line.strip():
            continue
        if _TABLE_HEADER.match(line[:LONGEST_LINE]):
            names = line.split()
            continue
        counters = _read_row(line, names) if len(line) <= LONGEST_LINE else None
        if counters is None:
            not_understood.append(number)
            continue
        cpu = _cpu_of(line)
        rows.append(CounterRow(number, len(rows) if cpu is None else cpu, counters))
    size = tuple(gauge for gauge in (_size_of(lines, first_line, rows),) if gauge is not None)
    return Dump(KIND, len(lines), tuple(not_understood), counters=tuple(rows), gauges=size)


def _size_of(lines: Sequence[str], first_line: int, rows: Sequence[CounterRow]) -> CounterRow | None:
    """Entries in the whole table, as the first row below a header with that column says."""
    for row in rows:
        fields = lines[row.line - first_line].split()
        value = None if _cpu_of(lines[row.line - first_line]) is not None else hexadecimal_number(fields[0])
        if value is not None:
            return CounterRow(row.line, None, {"entries": value})
    return None


def _read_row(line: str, names: Sequence[str]) -> dict[str, int] | None:
    return _read_table_row(line, names) if _cpu_of(line) is None else _read_counter_line(line)


def _read_counter_line(line: str) -> dict[str, int] | None:
    counters: dict[str, int] = {}
    for field in line.split()[1:]:
        name, equals, text = field.partition("=")
        value = whole_number(text)
        if not equals or not name or value is None:
            return None
        counters[name] = value
    return counters or None


def _read_table_row(line: str, names: Sequence[str]) -> dict[str, int] | None:
    fields = line.split()
    values = [hexadecimal_number(field) for field in fields]
    if not names or len(fields) != len(names) or None in values:
        return None
    named = zip(names, values, strict=True)
    return {
        NAME_IN_CONNTRACK_S.get(name, name): value
        for name, value in named
        if value is not None and name != "entries"
    }


def _cpu_of(line: str) -> int | None:
    text = line[:64].lstrip()
    return (
        whole_number(text[4:].split(maxsplit=1)[0]) if text.startswith("cpu=") and text[4:].strip() else None
    )
