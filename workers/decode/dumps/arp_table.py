"""`arp -n`, `arp -a` and `/proc/net/arp`: whom ARP found on the own segments.

Address                  HWtype  HWaddress           Flags Mask            Iface
10.244.1.0               ether   02:ab:cd:00:00:01   CM                    flannel.1
10.244.2.0                       (incomplete)                              flannel.1
? (10.244.2.0) at 02:ab:cd:00:00:02 [ether] PERM on flannel.1
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import Dump, Neighbor
from workers.decode.dumps.fields import canonical_address, numbered
from workers.decode.dumps.formats import share_owned

KIND = "ip-neigh"

_TITLE = re.compile(r"Address\s+HWtype\s+HWaddress\s+Flags|IP address\s+HW type\s+Flags")
_ROW = re.compile(
    r"(?P<address>[\w.:-]{1,64})\s+(?:(?:ether|infiniband|ieee802)\s+(?P<link>[0-9a-fA-F:]{11,59})\s+"
    r"(?P<flags>[CMPVI!]{1,5})|(?P<incomplete>\(incomplete\)))\s+(?:\S{1,16}\s+)?(?P<interface>[^\s/]{1,15})\s*$"
)
_BSD = re.compile(
    r"(?P<name>\S{1,255}) \((?P<address>[\d.]{7,15})\) at (?:"
    r"(?P<link>[0-9a-fA-F:]{11,17}) \[\w{1,10}\]|<?\(?incomplete\)?>?)"
    r"(?P<flags>(?: PERM| PUB)*)(?: \[\w{1,10}\])? on (?P<interface>[^\s/]{1,15})"
)
_PROC = re.compile(
    r"(?P<address>[\d.]{7,15})\s+0x[0-9a-f]+\s+0x(?P<flags>[0-9a-f]+)\s+(?P<link>[0-9a-fA-F:]{17})\s+\*\s+(?P<interface>[^\s/]{1,15})\s*$"
)
_TOTAL = re.compile(r"Entries: \d{1,9}\s+Skipped: \d")


def recognise(head: Sequence[str]) -> float:
    """The share of entries."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """The title and the entries."""
    return bool(_TITLE.match(line) or _BSD.match(line) or _PROC.match(line) or _TOTAL.match(line)) or (
        _ROW.match(line) is not None and ("ether" in line or "(incomplete)" in line)
    )


def starts_anew(previous: str, line: str) -> bool:
    """A title begins a listing."""
    return bool(previous) and _TITLE.match(line) is not None


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The entries, with the states that `ip neigh` would show."""
    found: list[Neighbor] = []
    not_understood: list[int] = []
    for number, line in numbered(lines, first_line):
        row = _ROW.match(line) or _BSD.match(line) or _PROC.match(line)
        address = canonical_address(row["address"]) if row is not None else None
        if row is not None and address is not None:
            found.append(Neighbor(number, address, row["interface"], *_answer(row)))
        elif not (row or _TITLE.match(line) or _TOTAL.match(line)):
            not_understood.append(number)
    return Dump(KIND, len(lines), tuple(not_understood), neighbors=tuple(found))


def _answer(row: re.Match[str]) -> tuple[str, str]:
    """(hardware address, state): `arp` does not distinguish REACHABLE from STALE."""
    link, flags = row.groupdict().get("link") or "", row.groupdict().get("flags") or ""
    if not link or link == "00:00:00:00:00:00" or flags == "0":
        return "", "INCOMPLETE"
    permanent = "M" in flags or "PERM" in flags or (flags.isdigit() and int(flags, 16) & 4)
    return link.lower(), "PERMANENT" if permanent else "STALE"
