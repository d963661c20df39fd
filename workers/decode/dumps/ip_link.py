r"""`ip link`, with `-o`, `-d` or `-s`: which interfaces there are and which bridge each belongs to.

3: cni0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP mode DEFAULT group default
    link/ether 2e:63:e1:b6:3c:74 brd ff:ff:ff:ff:ff:ff
4: veth1e2feb89@if2: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue master cni0 state UP …
"""

from __future__ import annotations

from collections.abc import Sequence

from backend.forensics.dumps import Dump, Interface
from workers.decode.dumps.fields import LONGEST_LINE
from workers.decode.dumps.ip_interfaces import (
    begins_again,
    is_detail_line,
    is_interface_line,
    read_interface,
    with_detail,
)

KIND = "ip-link"

owns_line = is_interface_line
starts_anew = begins_again


def recognise(head: Sequence[str]) -> float:
    """Sure when there are interfaces and no addresses of them."""
    if any(" inet" in line[:200] for line in head):
        return 0.0
    return 0.9 if any(is_interface_line(line) for line in head) else 0.0


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The interfaces."""
    interfaces: list[Interface] = []
    not_understood: list[int] = []
    for number, line in enumerate(lines, first_line):
        if not line.strip():
            continue
        if interfaces and is_detail_line(line):
            interfaces[-1] = with_detail(interfaces[-1], line, number)
            continue
        interface = read_interface(line, number) if len(line) <= LONGEST_LINE else None
        if interface is None:
            not_understood.append(number)
        else:
            interfaces.append(interface)
    return Dump(KIND, len(lines), tuple(not_understood), interfaces=tuple(interfaces))
