"""`/etc/hosts` (hosts(5)).

# Kubernetes-managed hosts file.
127.0.0.1       localhost
10.244.1.17     checkout-7f9c
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from backend.forensics.dumps import AddressName, Dump
from workers.decode.dumps.fields import canonical_address, numbered
from workers.decode.dumps.formats import share_owned

KIND = "hosts"

_OF_ANY_HOST: Final = re.compile(
    r"(?:127\.0\.0\.1|::1)[ \t]+\S{0,60}local\S{0,60}(?:[ \t]+[\w.-]{1,253}){0,8}\s*$"
    r"|(?:127\.0\.1\.1|f[ef]0[02]::[0-3])[ \t]+[\w.-]{1,253}(?:[ \t]+[\w.-]{1,253}){0,8}\s*$"
    r"|# Kubernetes-managed hosts file"
)
_ENTRY: Final = re.compile(
    r"\s*(?P<address>[\da-fA-F.:]{3,45})[ \t]+(?P<name>[\w.-]{1,253})(?:[ \t]+[\w.-]{1,253}){0,16}\s*(?:#|$)"
)


def recognise(head: Sequence[str]) -> float:
    """The share of lines that every hosts file has."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """An entry of the machine itself: an address and a name alone may be anything."""
    return _OF_ANY_HOST.match(line) is not None


def starts_anew(previous: str, line: str) -> bool:
    """Each file begins with the machine itself."""
    return line.startswith(("127.0.0.1", "# Kube")) and "127.0.0.1" in previous


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The first name of each address; those of the machine itself say nothing of others."""
    names: list[AddressName] = []
    not_understood: list[int] = []
    for number, line in numbered(lines, first_line):
        entry = _ENTRY.match(line)
        address = canonical_address(entry["address"]) if entry else None
        if entry is not None and address is not None:
            if not address.startswith(("127.", "::", "ff0", "fe00::")):
                names.append(AddressName(number, address, entry["name"], "host"))
        elif not line.lstrip().startswith("#"):
            not_understood.append(number)
    return Dump(KIND, len(lines), tuple(not_understood), address_names=tuple(names))
