"""Which addresses stand for which: IPv4, IPv6 and MAC addresses of one investigation, by one key.

What an address means stays where a diagnosis rests on it (metadata services, loopback, multicast, broadcast), and
private addresses stay in their private block. RFC 6890 lists the blocks."""

from __future__ import annotations

import hashlib
import ipaddress
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from workers.decode.anonymise.prefix_tree import KEY_BYTES, Block, PrefixTree

IPV4_BITS, IPV6_BITS, MAC_BITS = 32, 128, 48
_KEPT_V4: Final = (
    "0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "255.255.255.255/32",
    "100.100.100.200/32",  # Alibaba's metadata service
)  # fmt: skip
_FENCED_V4: Final = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")
_KEPT_V6: Final = (
    "::/127", "ff00::/12",
    "fd00:ec2::254/128", "fd00:ec2::23/128", "fd20:ce::254/128",  # metadata services of AWS and GCP
)  # fmt: skip
_FENCED_V6: Final = ("2000::/3", "fc00::/7", "fe80::/64", "fe80::/10", "ff00::/8", "ff02::1:ff00:0/104")
_HOLD_V4: Final = tuple(int(ipaddress.IPv6Address(prefix)) for prefix in ("::ffff:0:0", "64:ff9b::"))
"""IPv6 addresses with an IPv4 address in their last 32 bits: it is mapped as such (RFC 4291 section 2.5.5, 6052)."""
_KEPT_MAC: Final = (
    (0xFFFFFFFFFFFF, 48), (0, 48), (0xEEEEEEEEEEEE, 48),  # broadcast, none, and Calico's of every interface
    (0x01005E << 24, 24), (0x3333 << 32, 16), (0x0180C2 << 24, 24), (0x01000C << 24, 24),
)  # fmt: skip
_GROUP_AND_LOCAL: Final = (6, 7)
"""The bits of the first byte that say multicast and locally administered."""
_SOLICITED_MAC: Final = 0x3333FF
_SOLICITED: Final = int(ipaddress.IPv6Address("ff02::1:ff00:0"))
_REMEMBERED: Final = 1 << 18


class AddressMap:
    """The mapping that a secret key of an investigation makes."""

    def __init__(self, key: bytes) -> None:
        held = [Block(base, 96, keeps=False) for base in _HOLD_V4]
        v6 = [*_blocks(_KEPT_V6, keeps=True), *_blocks(_FENCED_V6, keeps=False), *held]
        macs = [Block(value, length) for value, length in _KEPT_MAC]
        macs.append(Block(_SOLICITED_MAC << 24, 24, keeps=False))
        v4 = [*_blocks(_KEPT_V4, keeps=True), *_blocks(_FENCED_V4, keeps=False)]
        self._v4 = PrefixTree(IPV4_BITS, derived(key, "ipv4"), v4)
        self._v6 = PrefixTree(IPV6_BITS, derived(key, "ipv6"), v6)
        self._mac = PrefixTree(MAC_BITS, derived(key, "mac"), macs, _GROUP_AND_LOCAL)
        self.ipv4 = lru_cache(_REMEMBERED)(self._v4.map)
        """The IPv4 address, as a number, that stands for one."""
        self.ipv6 = lru_cache(_REMEMBERED)(self._map_v6)
        self.mac = lru_cache(_REMEMBERED)(self._map_mac)

    def _map_v6(self, address: int) -> int:
        if address & ~0xFFFFFFFF in _HOLD_V4:
            return address & ~0xFFFFFFFF | self.ipv4(address & 0xFFFFFFFF)
        return self._v6.map(address)

    def _map_mac(self, address: int) -> int:
        if address >> 24 == _SOLICITED_MAC:  # its end is that of the multicast address (RFC 2464 section 7)
            return _SOLICITED_MAC << 24 | self.ipv6(_SOLICITED | address & 0xFFFFFF) & 0xFFFFFF
        return self._mac.map(address)

    def packed(self, address: bytes) -> bytes:
        """The same for 4 bytes of IPv4, 16 of IPv6, 6 of a MAC address."""
        by_length = {4: self.ipv4, 16: self.ipv6, 6: self.mac}
        return by_length[len(address)](int.from_bytes(address, "big")).to_bytes(len(address), "big")


def _blocks(listed: tuple[str, ...], *, keeps: bool) -> Iterator[Block]:
    for text in listed:
        network = ipaddress.ip_network(text)
        yield Block(int(network.network_address), network.prefixlen, keeps)


def derived(key: bytes, purpose: str) -> bytes:
    """A key of its own for one purpose, KEY_BYTES long."""
    secret = hashlib.blake2b(key, digest_size=KEY_BYTES).digest()  # a key of any length
    return hashlib.blake2b(purpose.encode(), key=secret, digest_size=KEY_BYTES).digest()
