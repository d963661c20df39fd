"""`ip route`: the own address by which each network is reached.

default via 10.52.34.1 dev eth0
10.52.34.0/24 dev eth0 proto kernel scope link src 10.52.34.2
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import Dump, InterfaceAddress, Route
from workers.decode.dumps.fields import LONGEST_LINE, canonical_address, whole_number
from workers.decode.dumps.formats import share_owned

KIND = "ip-route"

_TARGET = re.compile(
    r"(?:(?:unicast |blackhole |unreachable |prohibit |local |broadcast |throw |multicast )?"
    r"(?:default|[0-9a-fA-F.:]{2,45}(?:/\d{1,3})?))"
    r" (?:from [0-9a-fA-F.:]{2,45} )?(?:via (?:inet6 )?[0-9a-fA-F.:]{2,45} )?"
    r"(?:dev|proto|metric|nhid|scope|src) ?\S{0,40}.{0,400}$"
)
_NEIGHBOR = re.compile(
    r"\bdev \S{1,15}\s{1,4}(?:router |proxy |extern_learn ){0,3}"
    r"(?:NONE|INCOMPLETE|STALE|DELAY|PROBE|FAILED|NOARP|PERMANENT)\s*$"
)
_OWN = re.compile(r"\bsrc (?P<address>[0-9a-fA-F.:]{2,45})(?:\s|$)")
_DEVICE = re.compile(r"\bdev (?P<name>[^\s/]{1,15})")
_BITS = re.compile(r"[0-9a-fA-F.:]{2,45}/(?P<bits>\d{1,3}) ")
_BARE = re.compile(
    r"(?:blackhole|unreachable|prohibit|throw) (?:default|[0-9a-fA-F.:]{2,45}(?:/\d{1,3})?)\s*$"
)
_CACHE = re.compile(r"\s{1,8}cache\b.{0,120}$")
_REFUSED = re.compile(
    r"(?:RTNETLINK answers|Error|ip): (?P<why>.{0,80}(?:unreachable|"
    r"No route to host|Permission denied|Invalid cross-device link).{0,80})$"
)
_KERNEL_TITLE = re.compile(r"Kernel IP(?:v6)? routing table|Destination\s+Gateway\s+Genmask\s+Flags")
_KERNEL = re.compile(
    r"(?P<target>(?:\d{1,3}\.){3}\d{1,3}|default)\s+(?P<via>(?:\d{1,3}\.){3}\d{1,3}|\*|_gateway|-)\s+(?P<mask>(?:\d{1,3}\.){3}\d{1,3})\s+"
    r"(?P<flags>[UHGRDMAC!]{1,8})\s+\d{1,9}\s+\d{1,9}\s+\d{1,9}\s+(?P<interface>[^\s/]{1,15})\s*$"
)
_PARTS = re.compile(
    r"(?:(?P<kind>unicast|blackhole|unreachable|prohibit|local|broadcast|throw|multicast) )?(?P<target>\S{1,50})"
)
_VIA = re.compile(r"\bvia (?:inet6 )?(?P<address>\S{2,45})")
_ASKED = re.compile(
    r"(?:\w{5,11} )?[0-9a-fA-F.:]{2,45} (?:from \S+ |via \S+ |dev \S+ ){1,3}.{0,200}\buid \d|\S+ from \S+ "
)
_SEVERAL_HOPS = re.compile(r"default\s*$")
"""Its next hops follow, each on a line of its own."""
_NEXT_HOP = re.compile(r"\s+nexthop via \S{2,45} .{0,200}$")


def owns_line(line: str) -> bool:
    """One route a line; further next hops are set in."""
    if "lladdr" in line or _NEIGHBOR.search(line):
        return False
    return any(
        form.match(line)
        for form in (_TARGET, _SEVERAL_HOPS, _NEXT_HOP, _BARE, _REFUSED, _KERNEL, _KERNEL_TITLE, _CACHE)
    )


def starts_anew(previous: str, line: str) -> bool:
    """Nothing in the text parts two listings but what stands between them."""
    return False


def recognise(head: Sequence[str]) -> float:
    """Sure only where a line could be nothing but a route: a neighbor entry has a device, too."""
    sure = any(
        line.startswith(("default ", "blackhole ", "unreachable ")) or " scope " in line or " proto " in line
        or " via " in line or " uid " in line or _KERNEL.match(line) or _REFUSED.match(line)
        for line in head
    )  # fmt: skip
    return share_owned(owns_line, head) if sure else 0.0


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The routes, and the own addresses that they name."""
    found: list[InterfaceAddress] = []
    routes: list[Route] = []
    not_understood: list[int] = []
    for number, line in enumerate(lines, first_line):
        text = line if len(line) <= LONGEST_LINE else ""
        own, device = _OWN.search(text), _DEVICE.search(text)
        if line.strip() and not owns_line(text):
            not_understood.append(number)
        routes += _route(text, number)
        address = canonical_address(own["address"]) if own is not None else None
        if address is not None and device is not None and not text.startswith(("blackhole", "unreachable")):
            bits = _BITS.match(text)
            width = whole_number(bits["bits"], largest=128) if bits else None
            whole = 128 if ":" in address else 32
            found.append(InterfaceAddress(number, device["name"], address, whole if width is None else width))
    return Dump(KIND, len(lines), tuple(not_understood), addresses=tuple(found), routes=tuple(routes))


def _route(text: str, number: int) -> list[Route]:
    """The route of a line; next hops, titles and the cache's flags are none of their own."""
    refused, kernel = _REFUSED.match(text), _KERNEL.match(text)
    if refused is not None:
        return [Route(number, "", "unreachable", asked=True, refused=refused["why"].strip())]
    if kernel is not None:
        return [_of_kernel(kernel, number)]
    if not (_TARGET.match(text) or _BARE.match(text)):
        return []
    parts, via = _PARTS.match(text), _VIA.search(text)
    device, own = _DEVICE.search(text), _OWN.search(text)
    assert parts is not None, "a target was matched"
    return [
        Route(
            number, parts["target"], parts["kind"] or "unicast", via["address"] if via else "",
            device["name"] if device else "", own["address"] if own else "", _ASKED.match(text) is not None,
        )
    ]  # fmt: skip


def _of_kernel(row: re.Match[str], number: int) -> Route:
    """A line of `route -n`."""
    bits = sum(bin(int(part) & 0xFF).count("1") for part in row["mask"].split("."))
    default = row["target"] in ("0.0.0.0", "default") and bits == 0
    via = "" if row["via"] in ("0.0.0.0", "*", "-") else row["via"]
    kind = "unreachable" if "!" in row["flags"] else "unicast"
    return Route(number, "default" if default else f"{row['target']}/{bits}", kind, via, row["interface"])
