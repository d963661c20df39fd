"""`ip route`: the own address by which each network is reached.

default via 10.52.34.1 dev eth0
10.52.34.0/24 dev eth0 proto kernel scope link src 10.52.34.2
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import Dump, InterfaceAddress
from workers.decode.dumps.fields import LONGEST_LINE, canonical_address, whole_number
from workers.decode.dumps.formats import share_owned

KIND = "ip-route"

_TARGET = re.compile(
    r"(?:default|(?:unicast |blackhole |unreachable |prohibit |local |broadcast )?[0-9a-fA-F.:]{2,45}(?:/\d{1,3})?)"
    r" (?:via (?:inet6 )?[0-9a-fA-F.:]{2,45} )?(?:dev|proto|metric|nhid|scope|src) ?\S{0,40}.{0,400}$"
)
_OWN = re.compile(r"\bsrc (?P<address>[0-9a-fA-F.:]{2,45})(?:\s|$)")
_DEVICE = re.compile(r"\bdev (?P<name>[^\s/]{1,15})")
_BITS = re.compile(r"[0-9a-fA-F.:]{2,45}/(?P<bits>\d{1,3}) ")
_NEXT_HOP = re.compile(r"\s+nexthop via \S{2,45} .{0,200}$")


def owns_line(line: str) -> bool:
    """One route a line; further next hops are set in."""
    return "lladdr" not in line and (_TARGET.match(line) is not None or _NEXT_HOP.match(line) is not None)


def starts_anew(previous: str, line: str) -> bool:
    """Nothing in the text parts two listings but what stands between them."""
    return False


def recognise(head: Sequence[str]) -> float:
    """Sure only where a line could be nothing but a route: a neighbor entry has a device, too."""
    sure = any(line.startswith("default ") or " scope " in line or " proto " in line for line in head)
    return share_owned(owns_line, head) if sure else 0.0


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The own addresses that routes name."""
    found: list[InterfaceAddress] = []
    not_understood: list[int] = []
    for number, line in enumerate(lines, first_line):
        text = line if len(line) <= LONGEST_LINE else ""
        own, device = _OWN.search(text), _DEVICE.search(text)
        if line.strip() and not owns_line(text):
            not_understood.append(number)
        address = canonical_address(own["address"]) if own is not None else None
        if address is not None and device is not None and not text.startswith(("blackhole", "unreachable")):
            bits = _BITS.match(text)
            width = whole_number(bits["bits"], largest=128) if bits else None
            whole = 128 if ":" in address else 32
            found.append(InterfaceAddress(number, device["name"], address, whole if width is None else width))
    return Dump(KIND, len(lines), tuple(not_understood), addresses=tuple(found))
