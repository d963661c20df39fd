"""`ip neigh` (`ip neighbor show`): whom ARP and NDP found on the own segments.

10.244.84.28 dev cni0 lladdr f6:5d:fa:af:cc:85 REACHABLE
10.52.46.209 dev eth0  FAILED
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import Dump, Neighbor
from workers.decode.dumps.fields import LONGEST_LINE, canonical_address
from workers.decode.dumps.formats import share_owned

KIND = "ip-neigh"

_LINE = re.compile(
    r"(?P<address>[0-9a-fA-F.:]{2,45}) dev (?P<interface>[^\s/]{1,15})\s{1,4}"
    r"(?:lladdr (?P<link>[0-9a-fA-F:.]{1,60})\s{1,4})?"
    r"(?:router |proxy |extern_learn |used \S{1,40} |probes \d{1,9} ){0,5}"
    r"(?P<state>NONE|INCOMPLETE|REACHABLE|STALE|DELAY|PROBE|FAILED|NOARP|PERMANENT)\s{0,4}(?:proto \w{1,20}\s{0,4})?$"
)


def owns_line(line: str) -> bool:
    """One entry a line."""
    return _LINE.match(line) is not None


def starts_anew(previous: str, line: str) -> bool:
    """Nothing in the text parts two listings but what stands between them."""
    return False


def recognise(head: Sequence[str]) -> float:
    """The share of entries."""
    return share_owned(owns_line, head)


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The entries."""
    found: list[Neighbor] = []
    not_understood: list[int] = []
    for number, line in enumerate(lines, first_line):
        match = _LINE.match(line) if len(line) <= LONGEST_LINE else None
        address = canonical_address(match["address"]) if match is not None else None
        if match is not None and address is not None:
            found.append(Neighbor(number, address, match["interface"], match["link"] or "", match["state"]))
        elif line.strip():
            not_understood.append(number)
    return Dump(KIND, len(lines), tuple(not_understood), neighbors=tuple(found))
