"""Interfaces of containers and tunnels that take longer packets than the interface of the default route sends."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from backend.forensics.dumps import Interface
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.evidence.kernel.kernel_signs import Line
from backend.forensics.evidence.kernel.listed_signs.sign import ListingSign, ReadSigns, shown
from backend.forensics.private_words import of_place

_HEADERS_BYTES: Final = (
    (re.compile(r"flannel\.\d|vxlan|cilium_vxlan|vxlan\.calico"), 50),
    (re.compile(r"geneve|genev_sys_\d|cilium_geneve"), 50),
    (re.compile(r"wireguard|wg\d|cilium_wg\d|flannel-wg|kilo\d"), 60),
    (re.compile(r"tunl\d|ipip"), 20),
)
"""What a tunnel puts around a packet over IPv4: RFC 7348 (with Ethernet), RFC 8926, WireGuard's data message, RFC
2003."""
_CONTAINERS: Final = re.compile(
    r"(?:docker\d|docker_gwbridge|br-[0-9a-f]{6,12}|cni\d|cbr\d|veth|cali[0-9a-f]|lxc[0-9a-f])"
)


def size_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """By listing, since each may be of another host."""
    for uplink, inner, lines in _pairs(dumps):
        names = shown([f"{of_place(each.name)} ({each.mtu_bytes:,} bytes)" for each in inner])
        yield ListingSign(
            "mtu-sizes", "info", "MTU larger than that of the uplink",
            f"{names}: more than fits through {of_place(uplink.name)} ({uplink.mtu_bytes:,} bytes, the default route, "
            "headers of tunnels subtracted). Longer packets are lost where the ICMP error does not reach their sender.",
            lines, len(inner), "whether packets of that length were lost",
            "ping -M do -s 1472 ADDRESS   # in a container; tcpdump -ni any 'icmp[0] == 3 and icmp[1] == 4'",
        )  # fmt: skip


def _pairs(dumps: Sequence[DumpInput]) -> Iterator[tuple[Interface, list[Interface], tuple[Line, ...]]]:
    """(interface of the default route, the larger ones, their lines) of each input."""
    for name in dict.fromkeys(each.input for each in dumps):
        own = [each.dump for each in dumps if each.input == name]
        routes = {r.interface for d in own for r in d.routes if r.target == "default" and not r.asked}
        listed = [i for d in own for i in d.interfaces if i.mtu_bytes]
        found = {i.name: i for i in listed}
        if len({(i.name, i.mtu_bytes) for i in listed}) > len(found):
            continue  # of several hosts, or of several moments
        uplinks = [found[route] for route in routes if route in found]
        if len(uplinks) != 1:
            continue
        fits = uplinks[0].mtu_bytes or 0
        inner = [i for i in found.values() if (i.mtu_bytes or 0) > fits - _headers(i) and _is_inner(i)]
        if inner:
            yield uplinks[0], inner, tuple((name, i.line) for i in (uplinks[0], *inner))


def _headers(interface: Interface) -> int:
    return next((size for words, size in _HEADERS_BYTES if _names(words, interface)), 0)


def _is_inner(interface: Interface) -> bool:
    return _CONTAINERS.match(interface.name) is not None or _headers(interface) > 0


def _names(words: re.Pattern[str], interface: Interface) -> bool:
    return words.match(interface.name) is not None or words.fullmatch(interface.kind) is not None


MTU_SIGNS: Final[tuple[ReadSigns, ...]] = (size_signs,)
