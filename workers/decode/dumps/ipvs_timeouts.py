"""`ipvsadm -L --timeout`: how long IPVS keeps an idle connection.

Timeout (tcp tcpfin udp): 900 120 300
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import Dump, IpvsTimeouts
from workers.decode.dumps.fields import numbered
from workers.decode.dumps.formats import share_owned

KIND = "ipvs-timeouts"

_LINE = re.compile(r"Timeout \(tcp tcpfin udp\): (\d{1,9}) (\d{1,9}) (\d{1,9})\s*$")


def recognise(head: Sequence[str]) -> float:
    """The share of lines that state the timeouts."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """The only line there is."""
    return bool(_LINE.match(line))


def starts_anew(previous: str, line: str) -> bool:
    """Each line is a listing of its own."""
    return bool(previous)


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The timeouts of the first line that states them."""
    timeouts: IpvsTimeouts | None = None
    not_understood: list[int] = []
    for number, line in numbered(lines, first_line):
        match = _LINE.match(line)
        if match is None or timeouts is not None:
            not_understood.append(number)
        else:
            timeouts = IpvsTimeouts(number, int(match[1]), int(match[2]), int(match[3]))
    return Dump(KIND, len(lines), tuple(not_understood), ipvs_timeouts=timeouts)
