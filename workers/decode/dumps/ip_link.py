r"""`ip link`, with `-o`, `-d` or `-s`: which interfaces there are and which bridge each belongs to.

3: cni0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP mode DEFAULT group default
    link/ether 2e:63:e1:b6:3c:74 brd ff:ff:ff:ff:ff:ff
4: veth1e2feb89@if2: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue master cni0 state UP …
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import Dump, Interface, LinkCounters
from workers.decode.dumps.fields import LONGEST_LINE, whole_number
from workers.decode.dumps.ip_interfaces import (
    begins_again,
    is_detail_line,
    is_interface_line,
    read_interface,
    with_detail,
)

KIND = "ip-link"

_COUNTED = re.compile(r"\s{1,8}(?P<side>RX|TX)(?P<errors> errors)?:\s{1,4}(?P<names>[a-z][\w ]{1,120}?)\s*$")
_PACKETS = "packets"
_NO_LOSS = frozenset(("bytes", _PACKETS, "mcast", "collsns", "transns", "heartbt"))

owns_line = is_interface_line
starts_anew = begins_again


def recognise(head: Sequence[str]) -> float:
    """Sure when there are interfaces and no addresses of them."""
    if any(" inet" in line[:200] for line in head):
        return 0.0
    return 0.9 if any(is_interface_line(line) for line in head) else 0.0


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The interfaces, with `-s` also what they counted."""
    interfaces: list[Interface] = []
    counted: list[LinkCounters] = []
    not_understood: list[int] = []
    title: re.Match[str] | None = None
    for number, line in enumerate(lines, first_line):
        if not line.strip():
            continue
        if interfaces and is_detail_line(line):
            if title is not None:
                _add(counted, interfaces[-1].name, title, line, number)
            title = _COUNTED.match(line)
            interfaces[-1] = with_detail(interfaces[-1], line, number)
            continue
        interface = read_interface(line, number) if len(line) <= LONGEST_LINE else None
        if interface is None:
            not_understood.append(number)
        else:
            interfaces.append(interface)
    return Dump(
        KIND, len(lines), tuple(not_understood), interfaces=tuple(interfaces), link_counters=tuple(counted)
    )


def _add(counted: list[LinkCounters], name: str, title: re.Match[str], line: str, number: int) -> None:
    """The numbers below a title of names."""
    names, values = title["names"].split(), [whole_number(word) for word in line.split()]
    if len(names) != len(values) or None in values:
        return
    numbers = {key: value for key, value in zip(names, values, strict=True) if value}
    sent = numbers.get(_PACKETS, 0) if title["side"] == "TX" else 0
    lost = {f"{title['side']} {key}": value for key, value in numbers.items() if key not in _NO_LOSS}
    counted.append(LinkCounters(number, name, "", sent, lost))
