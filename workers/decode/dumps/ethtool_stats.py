"""`ethtool -S`: counters of a network card's driver.

NIC statistics:
     rx_packets: 123456
     linklocal_allowance_exceeded: 0
     [0]: rx_ucast_packets: 12
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import CounterRow, Dump
from workers.decode.dumps.fields import numbered, whole_number

KIND = "ethtool-stats"

_HEADER = re.compile(r"NIC statistics:\s*$")
_ROW = re.compile(
    r"\s{0,16}(?P<name>(?:\[\d{1,4}\]:? ?)?[\w.\-/() \[\]]{1,80}?)\s{0,16}:\s{1,16}(?P<value>\d{1,20})\s*$"
)

_ALONE = re.compile(
    r"\s{0,16}(?:\w{2,20}_allowance_\w{4,12}|"
    r"[rt]x_(?:missed|no_buffer|no_dma|fifo|crc|discards|dropped)\w{0,20}): \d"
)


def recognise(head: Sequence[str]) -> float:
    """Sure when the header is there."""
    return 1.0 if any(owns_line(line) for line in head) else 0.0


def owns_line(line: str) -> bool:
    """The header, which the counters follow, and counters by themselves whose names nothing else prints."""
    return bool(_HEADER.match(line) or _ALONE.match(line))


def starts_anew(previous: str, line: str) -> bool:
    """The header begins a listing."""
    return bool(previous) and bool(_HEADER.match(line))


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """A row a counter, named as the driver does."""
    rows: list[CounterRow] = []
    not_understood: list[int] = []
    for number, line in numbered(lines, first_line):
        row = _ROW.match(line)
        value = whole_number(row["value"]) if row is not None else None
        if row is not None and value is not None:
            rows.append(CounterRow(number, None, {row["name"]: value}))
        elif not _HEADER.match(line):
            not_understood.append(number)
    return Dump(KIND, len(lines), tuple(not_understood), counters=tuple(rows))
