"""`ss -s`: how many sockets there are.

Total: 1024
TCP:   37 (estab 4, closed 20, orphaned 0, timewait 18)

Transport Total     IP        IPv6
TCP	  17        12        5
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import CounterRow, Dump
from workers.decode.dumps.fields import numbered
from workers.decode.dumps.formats import share_owned

KIND = "ss-summary"

_TOTAL = re.compile(r"Total: (\d{1,12})(?: \(kernel (\d{1,12})\))?\s*$")
_TCP = re.compile(
    r"TCP:\s{1,8}(\d{1,12}) \(((?:[a-z]{2,12} [\d/]{1,24}(?:, )?){1,12})\)(?:, ports \d{1,12})?\s*$"
)
_HEADER = re.compile(r"Transport Total\s{1,12}IP\s{1,12}IPv6\s*$")
_ROW = re.compile(
    r"(\*|RAW|UDP|TCP|INET|FRAG)\s{1,12}(\d{1,12}|-)\s{1,12}(\d{1,12}|-)\s{1,12}(\d{1,12}|-)\s*$"
)


def recognise(head: Sequence[str]) -> float:
    """The share of lines of the summary."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """Any line of the summary."""
    return any(shape.match(line) for shape in (_TOTAL, _TCP, _HEADER, _ROW))


def starts_anew(previous: str, line: str) -> bool:
    """The total comes first."""
    return bool(previous and _TOTAL.match(line))


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """Sizes: ``sockets``, ``tcp``, ``tcp_timewait``, ``tcp_ip``, ``tcp_ipv6``, …"""
    gauges: list[CounterRow] = []
    not_understood: list[int] = []
    for number, line in numbered(lines, first_line):
        values = _read_line(line)
        if values is None:
            not_understood.append(number)
        elif values:
            gauges.append(CounterRow(number, None, values))
    return Dump(KIND, len(lines), tuple(not_understood), gauges=tuple(gauges))


def _read_line(line: str) -> dict[str, int] | None:
    total, tcp, row = _TOTAL.match(line), _TCP.match(line), _ROW.match(line)
    if total is not None:
        return {"sockets": int(total[1])}
    if tcp is not None:
        parts = (part.split(" ") for part in tcp[2].split(", "))
        # Old versions print `timewait 18/0`: sockets and, behind the stroke, those with an owner.
        states = {f"tcp_{name}": int(count.split("/")[0] or 0) for name, count in parts}
        return {"tcp": int(tcp[1]), **states}
    if row is not None:
        name = "all" if row[1] == "*" else row[1].lower()
        named = zip(("total", "ip", "ipv6"), row.groups()[1:], strict=True)
        return {f"{name}_{column}": int(count) for column, count in named if count != "-"}
    return {} if _HEADER.match(line) else None
