"""/proc/net/dev and `netstat -i`: a row an interface.

Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier …
  eth0: 1234 12 0 7 0 0 0 0 1234 12 0 0 0 0 0 0
Iface      MTU    RX-OK RX-ERR RX-DRP RX-OVR    TX-OK TX-ERR TX-DRP TX-OVR Flg
eth0      1500       12      0      7 0            12      0      0      0 BMRU
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from backend.forensics.dumps import Dump, LinkCounters
from workers.decode.dumps.fields import numbered
from workers.decode.dumps.formats import share_owned

KIND = "interface-table"

_TITLE = re.compile(r"Inter-\|\s{1,8}Receive|\s{0,4}face \|bytes|Iface\s{1,12}MTU\s|Kernel Interface table")
_PROC = re.compile(
    r"\s{0,12}(?P<name>[\w.@-]{1,15}):\s{0,20}(?P<counts>\d{1,20}(?:\s{1,20}\d{1,20}){15})\s*$"
)
_NETSTAT = re.compile(
    r"(?P<name>[\w.@-]{1,15})\s{1,12}\d{2,6}(?:\s{1,4}\d)?\s{1,20}(?P<counts>\d{1,20}(?:\s{1,20}\d{1,20}){7})\s{1,8}"
    r"[ABDLMNOPRU]{1,10}\s*$"
)
_PROC_SENT: Final = 9
_PROC_LOST: Final = {
    "RX errors": 2,
    "RX dropped": 3,
    "RX fifo": 4,
    "TX errors": 10,
    "TX dropped": 11,
    "TX fifo": 12,
}
_NETSTAT_SENT: Final = 4
_NETSTAT_LOST: Final = {
    "RX errors": 1, "RX dropped": 2, "RX overruns": 3, "TX errors": 5, "TX dropped": 6, "TX overruns": 7,
}  # fmt: skip
"""Columns (net/core/net-procfs.c; net-tools, lib/interface.c)."""


def recognise(head: Sequence[str]) -> float:
    """The share of rows."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """A title or a row."""
    return bool(_TITLE.match(line) or _PROC.match(line) or _NETSTAT.match(line))


def starts_anew(previous: str, line: str) -> bool:
    """The first line of the title begins a table."""
    return (
        bool(previous)
        and line.startswith(("Inter-|", "Iface", "Kernel Interface"))
        and "able" not in previous
    )


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """One record for each interface."""
    found: list[LinkCounters] = []
    strange: list[int] = []
    for number, line in numbered(lines, first_line):
        proc, netstat = _PROC.match(line), _NETSTAT.match(line)
        row = proc or netstat
        if row is None:
            strange += [] if _TITLE.match(line) else [number]
            continue
        counts = [int(word) for word in row["counts"].split()]
        places = _PROC_LOST if proc else _NETSTAT_LOST
        lost = {name: counts[at] for name, at in places.items() if counts[at]}
        sent = counts[_PROC_SENT if proc else _NETSTAT_SENT]
        found.append(LinkCounters(number, row["name"], "", sent, lost))
    return Dump(KIND, len(lines), tuple(strange), link_counters=tuple(found))
