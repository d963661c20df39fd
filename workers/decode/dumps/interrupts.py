"""`/proc/interrupts`: how often each CPU was interrupted, and by what.

           CPU0       CPU1
 24:     123456          0   PCI-MSI 524289-edge      virtio1-input.0
NMI:          0          0   Non-maskable interrupts
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import CounterRow, Dump
from workers.decode.dumps.fields import numbered, whole_number

KIND = "interrupts"

_HEADER = re.compile(r"\s{1,64}CPU\d{1,4}(?:\s{1,16}CPU\d{1,4}){0,1023}\s*$")
_ROW = re.compile(r"\s{0,12}(?P<name>[A-Z0-9_]{1,8}):\s{1,20}(?P<rest>\d.*)$")


def recognise(head: Sequence[str]) -> float:
    """Sure when the header is there."""
    return 1.0 if any(_HEADER.match(line) for line in head) else 0.0


def owns_line(line: str) -> bool:
    """The header; the rows follow it."""
    return bool(_HEADER.match(line))


def starts_anew(previous: str, line: str) -> bool:
    """The header begins a listing."""
    return bool(previous)


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """A row an interrupt and CPU, named ``24 virtio1-input.0``; ERR and MIS have one number for all."""
    counters: list[CounterRow] = []
    not_understood: list[int] = []
    cpus: list[int] = []
    for number, line in numbered(lines, first_line):
        if _HEADER.match(line):
            cpus = [int(word[3:]) for word in line.split()]
            continue
        row = _ROW.match(line)
        rows = _read_row(row, cpus, number) if row else None
        if rows is None:
            not_understood.append(number)
        else:
            counters += rows
    return Dump(KIND, len(lines), tuple(not_understood), counters=tuple(counters))


def _read_row(row: re.Match[str], cpus: Sequence[int], number: int) -> list[CounterRow] | None:
    words = row["rest"].split()
    values: list[int] = []
    while words and len(values) < len(cpus) and (value := whole_number(words[0])) is not None:
        values.append(value)
        words = words[1:]
    if not cpus or len(values) not in (1, len(cpus)):
        return None
    name = f"{row['name']} {words[-1]}" if row["name"].isdigit() and words else row["name"]
    if len(values) == 1 and len(cpus) > 1:
        return [CounterRow(number, None, {name: values[0]})]
    return [CounterRow(number, cpu, {name: value}) for cpu, value in zip(cpus, values, strict=True)]
