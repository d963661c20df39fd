"""Addresses that stand for no name server: queries to them mean that none is configured."""

from __future__ import annotations

import ipaddress

from backend.forensics.evidence.dns.delayed import Resolver
from backend.forensics.evidence.facts import Facts

_BROADCAST = ipaddress.ip_address("255.255.255.255")
"""RFC 919 section 7: the limited broadcast address; no router forwards it."""
_UNSPECIFIED = ipaddress.ip_address("0.0.0.0")
"""RFC 1122 section 3.2.1.3: never a destination; hosts of 4.2BSD took it for the broadcast address."""
_SITE_LOCAL = ipaddress.ip_network("fec0:0:0:ffff::/64")
"""RFC 3879 deprecates them; Windows asks ::1 to ::3 on an interface without a DNS server."""
_USUAL_PREFIXES = (24, 16, 8)


def stands_for_none(facts: Facts, resolver: Resolver) -> str | None:
    """What the address of this resolver is instead of a name server's; None for a name server's."""
    address = ipaddress.ip_address(resolver.server.address)
    if address == _BROADCAST:
        return "the broadcast address"
    if address == _UNSPECIFIED:
        return "the address of no host"
    if address in _SITE_LOCAL:
        return "a default that no name server has"
    if resolver.answered or not isinstance(address, ipaddress.IPv4Address):
        return None
    clients = [ipaddress.ip_address(text) for text in sorted({one.client for one in resolver.delayed})]
    networks = [_network_of(facts, client, address) for client in clients]
    network = next((each for each in networks if each is not None), None)
    if network is None or None in networks:
        return None
    if any(_listed_prefixes(facts, str(client)) for client in clients):
        return f"the broadcast address of {network}"
    return f"the broadcast address where the network is {network}"


def _network_of(
    facts: Facts, client: ipaddress.IPv4Address | ipaddress.IPv6Address, address: ipaddress.IPv4Address
) -> ipaddress.IPv4Network | None:
    """The client's network whose broadcast address this is (RFC 919 section 7). Its length is read from a listing of
    the client's addresses; without one it is that of a class, where all bits behind it are ones."""
    listed = _listed_prefixes(facts, str(client))
    for bits in sorted(listed) if listed else _USUAL_PREFIXES:
        network = ipaddress.IPv4Network(f"{address}/{bits}", strict=False)
        if bits < 31 and network.broadcast_address == address and client in network:
            return network
    return None


def _listed_prefixes(facts: Facts, address: str) -> set[int]:
    listed = (each for given in facts.kernel.dumps for each in given.dump.addresses)
    return {each.prefix_bits for each in listed if each.address == address and each.prefix_bits <= 32}
