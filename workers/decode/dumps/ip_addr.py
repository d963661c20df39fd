r"""`ip addr` and `ip -o addr`: the addresses of each interface.

2: eth0    inet 10.16.146.2/16 scope global eth0\       valid_lft forever preferred_lft forever

2: eth0@if2: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group default qlen 1000
    inet 10.16.146.2/16 scope global eth0
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import Dump, Interface, InterfaceAddress
from workers.decode.dumps.fields import LONGEST_LINE, canonical_address, whole_number
from workers.decode.dumps.ip_interfaces import (
    begins_again,
    is_detail_line,
    is_interface_line,
    read_interface,
    with_detail,
)

KIND = "ip-addr"

_ADDRESS = re.compile(
    r"(?:\d{1,9}: (?P<name>[^\s:@<>]{1,15}))?\s{1,24}inet6? (?P<address>[0-9a-fA-F.:]{2,45})"
    r"(?: peer [0-9a-fA-F.:]{2,45})?/(?P<bits>\d{1,3})\b(?P<flags>.{0,200})"
)

owns_line = is_interface_line
starts_anew = begins_again


def recognise(head: Sequence[str]) -> float:
    """Sure as soon as one interface has an address."""
    return 1.0 if any(_ADDRESS.match(line) for line in head) else 0.0


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The addresses, and the interfaces where the long form names them."""
    interfaces: list[Interface] = []
    addresses: list[InterfaceAddress] = []
    not_understood: list[int] = []
    name = ""
    for number, line in enumerate(lines, first_line):
        text = line if len(line) <= LONGEST_LINE else ""
        interface, address = read_interface(text, number), _read_address(text, number, name)
        if interface is not None:
            interfaces.append(interface)
            name = interface.name
        elif address is not None:
            addresses.append(address)
        elif line.strip() and not is_detail_line(text):
            not_understood.append(number)
        elif interfaces:
            interfaces[-1] = with_detail(interfaces[-1], text, number)
    return Dump(
        KIND, len(lines), tuple(not_understood), interfaces=tuple(interfaces), addresses=tuple(addresses)
    )


def _read_address(line: str, number: int, interface_before: str) -> InterfaceAddress | None:
    match = _ADDRESS.match(line)
    if match is None:
        return None
    address, bits = canonical_address(match["address"]), whole_number(match["bits"], largest=128)
    if address is None or bits is None:
        return None
    return InterfaceAddress(
        number, match["name"] or interface_before, address, bits, "dadfailed" in match["flags"].split()
    )
