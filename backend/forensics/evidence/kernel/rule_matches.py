"""Whether a rule of iptables or nftables matches the SYNs of a destination: by port, addresses and protocol.

What a rule's text leaves open (a set, an interface, a mark) may match; what it names must hold the SYN's own."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

_VALUES: Final = r"(?P<not>!= ?)?(?P<values>\{[^{}]{1,512}\}|[^\s{}]{1,512})"
# iptables-extensions(8) and nft(8): "! -d 10.0.0.1/32", "ip daddr != { 10.0.0.1, 10.0.1.0/24 }".
_ADDRESSES: Final = {
    side: re.compile(
        rf"(?:(?P<before>! )?(?<!\S)(?:{short}|--{long}) |(?<!\S)ip6? {side} ){_VALUES}", re.ASCII
    )
    for side, short, long in (("saddr", "-s", "source"), ("daddr", "-d", "destination"))
}
_PORTS: Final = re.compile(rf"(?:(?P<before>! )?(?<!\S)--(?:d?ports?) |(?<!\S)dport ){_VALUES}", re.ASCII)
_PROTOCOL: Final = re.compile(
    r"(?<!\S)(?:-p (?:udp|icmp\w*|ipv6-icmp|sctp|gre|esp)\b|(?:udp|sctp|dccp) [ds]port\b)"
)
_QUOTED: Final = re.compile(r'"[^"]{0,512}"')


@dataclass(frozen=True)
class Hop:
    """One SYN as one vantage point saw it: who asked whom."""

    source: str
    destination: str
    port: int


def drops_any(text: str, hops: Iterable[Hop]) -> bool:
    """Whether a rule that names a destination port matches one of these SYNs."""
    bare = _QUOTED.sub('""', text)
    if _PROTOCOL.search(bare):
        return False
    ports = _PORTS.search(bare)
    return ports is not None and any(
        _holds_port(ports, hop.port)
        and _holds_address(_ADDRESSES["daddr"].search(bare), hop.destination)
        and _holds_address(_ADDRESSES["saddr"].search(bare), hop.source)
        for hop in hops
    )


def _values(match: re.Match[str]) -> Iterator[str]:
    return (value for value in re.split(r"[\s,{}]+", match["values"]) if value)


def _negated(match: re.Match[str]) -> bool:
    return bool(match["before"] or match["not"])


def _holds_port(match: re.Match[str], port: int) -> bool:
    found = any(_in_ports(value, port) for value in _values(match))
    return found != _negated(match)


def _in_ports(value: str, port: int) -> bool:
    """``80``, ``8000:8100`` of iptables, ``8000-8100`` of nft."""
    bounds = re.fullmatch(r"(\d{1,5})(?:[:-](\d{1,5}))?", value)
    return bounds is not None and int(bounds[1]) <= port <= int(bounds[2] or bounds[1])


def _holds_address(match: re.Match[str] | None, address: str) -> bool:
    """A rule that names none takes every one; of a set by name (``@blocked``) it is not known."""
    if match is None:
        return True
    found = [_in_network(value, address) for value in _values(match)]
    if None in found:
        return True
    return any(found) != _negated(match)


@lru_cache(maxsize=4096)
def _in_network(value: str, address: str) -> bool | None:
    """None where the value is no address."""
    try:
        if re.fullmatch(r"[\w.:]+-[\w.:]+", value):
            first, last = (ipaddress.ip_address(end) for end in value.split("-"))
            own = ipaddress.ip_address(address)
            return own.version == first.version == last.version and int(first) <= int(own) <= int(last)
        return ipaddress.ip_address(address) in ipaddress.ip_network(value, strict=False)
    except ValueError:
        return None
