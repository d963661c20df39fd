"""Names and paths that hold an address in another spelling: those of pods, of cloud machines, of reverse lookups."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from typing import Final

_NUMBER: Final = r"(\d{1,3})"
_FOUR: Final = re.compile(
    rf"(?<!\d){_NUMBER}([-_.]){_NUMBER}\2{_NUMBER}\2{_NUMBER}(?!\d)(\.in-addr\.arpa)?", re.I
)
"""10-77-3-9.ns.pod.cluster.local, ip-10-77-3-9.ec2.internal, 10.77.3.9.nip.io, 9.3.77.10.in-addr.arpa."""
_SIX: Final = re.compile(r"(?<![\w-])[0-9a-f]{0,4}(?:-[0-9a-f]{0,4}){2,7}(?![\w-])", re.I)
"""fd77-12--beef.ns.pod.cluster.local, where a colon would stand."""
_NIBBLES: Final = re.compile(r"(?<![\w-])((?:[0-9a-f]\.){32})(?=ip6\.arpa)", re.I)
_HEX: Final = re.compile(r"(?<![0-9a-z])[0-9a-f]{8}(?![0-9a-z])", re.I)
"""0a4d0309.nip.io, ip-0a4d0309."""

Shown = Callable[[str], str | None]
"""Address in its usual text -> what is shown for it; None for what is no private address."""


def without_encoded(text: str, shown: Shown, known: Shown) -> str:
    """The text with a name in the place of each such address. Eight hexadecimal digits may be anything, so these count
    where the address is `known`."""
    text = _NIBBLES.sub(lambda found: _named(found[0], _of_nibbles(found[1]), shown, tail="."), text)
    text = _FOUR.sub(lambda found: _of_four(found, shown), text)
    text = _SIX.sub(lambda found: _named(found[0], _address(found[0].replace("-", ":")), shown), text)
    return _HEX.sub(lambda found: _named(found[0], _address(int(found[0], 16)), known), text)


def _of_four(found: re.Match[str], shown: Shown) -> str:
    numbers = [found[1], found[3], found[4], found[5]]
    if found[6]:
        numbers.reverse()
    plain = ".".join(str(int(number)) for number in numbers)
    return _named(found[0], _address(plain), shown, tail=found[6] or "")


def _of_nibbles(text: str) -> str | None:
    return _address(int(text.replace(".", "")[::-1], 16), six=True)


def _address(value: str | int, *, six: bool = False) -> str | None:
    try:
        address = ipaddress.IPv6Address(value) if six else ipaddress.ip_address(value)
    except ValueError:
        return None
    return str(getattr(address, "ipv4_mapped", None) or address)


def _named(text: str, address: str | None, shown: Shown, *, tail: str = "") -> str:
    name = shown(address) if address is not None else None
    return text if name is None or name == address else name + tail
