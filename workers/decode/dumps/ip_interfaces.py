"""The lines that `ip link` and `ip addr` share: an interface's header and its hardware address."""

from __future__ import annotations

import re
from dataclasses import replace

from backend.forensics.dumps import Interface
from workers.decode.dumps.fields import whole_number

# Kinds of `ip -d link` (iproute2, ip/iplink.c).
_KINDS = (
    "bridge|bond|dummy|ifb|ipvlan|macvlan|macvtap|ipip|sit|gre|gretap|ip6gre|ip6gretap|ip6tnl|veth|vlan|vxlan|geneve|"
    "vrf|wireguard|tun|team|nlmon|vcan|vti|xfrm|netkit|erspan|openvswitch"
)
_HEADER = re.compile(
    r"(?P<index>\d{1,9}): (?P<name>[^\s:@<>]{1,15})(?:@(?P<peer>[^\s:<>]{1,24}))?: "
    r"<(?P<flags>[A-Z0-9_,-]{0,200})> "
)
_ONE_LINE_ADDRESS = re.compile(r"(?P<index>\d{1,9}): (?P<name>[^\s:@<>]{1,15})\s{1,24}inet6? ")
_DETAIL = re.compile(
    r"\s{1,16}(?:link/|inet6? |valid_lft |altname |alias |[RT]X: |[RT]X errors|\d|vf \d|(?:"
    rf"{_KINDS})(?:_slave)?\b|promiscuity |prog/xdp )"
)
_KIND_LINE = re.compile(rf"\s{{1,16}}(?P<kind>{_KINDS}) ?(?P<rest>.*)$")
_KIND_IN_LINE = re.compile(rf"\\\s{{1,16}}(?P<kind>{_KINDS}) (?P<rest>.*)$")
_LINK_ADDRESS = re.compile(r"\slink/ether (?P<link>[0-9a-f:]{17})\b")
_PEER_ELSEWHERE = re.compile(r"if\d{1,9}")


def is_interface_line(line: str) -> bool:
    """A line that names its interface: a header, or an address as `ip -o addr` prints it."""
    return bool(_HEADER.match(line) or _ONE_LINE_ADDRESS.match(line))


def is_detail_line(line: str) -> bool:
    """A further line of the interface whose header came before."""
    return bool(_DETAIL.match(line))


def begins_again(previous: str, line: str) -> bool:
    """Whether this is the first line of another listing: interface 1 comes first in each."""
    if not previous or not line.startswith("1: "):
        return False
    return bool(_HEADER.match(line)) or not previous.startswith("1: ")


def read_interface(line: str, number: int) -> Interface | None:
    """The interface of a header line, or None when it is none."""
    match = _HEADER.match(line)
    if match is None:
        return None
    index = whole_number(match["index"])
    words = line[match.end() : match.end() + 4096].split()
    master = words[words.index("master") + 1] if "master" in words[:-1] else ""
    if index is None:
        return None
    mtu_bytes = _number_behind("mtu", words)
    interface = Interface(number, index, match["name"], master, _kind_of(match), mtu_bytes)
    return with_detail(interface, line, number)


def with_detail(interface: Interface, line: str, number: int) -> Interface:
    """The interface with what a line shows of its hardware address, or one of `ip -d` of its kind; unchanged when it
    shows nothing."""
    link = _LINK_ADDRESS.search(line[:8192])
    if link is not None:
        interface = replace(interface, link_address=link["link"])
    match = _KIND_LINE.match(line) if number != interface.line else _KIND_IN_LINE.search(line[:8192])
    if match is None:
        return interface
    kind = match["kind"]
    if kind != "vxlan":
        # The header already said veth, or loopback, where it matters.
        return replace(interface, kind=interface.kind or kind)
    words = match["rest"].split()
    checksum = True if "udpcsum" in words else False if "noudpcsum" in words else None
    vxlan_id = _number_behind("id", words)
    return replace(
        interface,
        kind=kind,
        vxlan_id=vxlan_id,
        vxlan_port=_number_behind("dstport", words),
        vxlan_udp_checksum=checksum,
        detail_line=number,
    )


def _number_behind(word: str, words: list[str]) -> int | None:
    return whole_number(words[words.index(word) + 1]) if word in words[:-1] else None


def _kind_of(match: re.Match[str]) -> str:
    if "LOOPBACK" in match["flags"].split(","):
        return "loopback"
    # `@if2` is an index in another namespace; a VLAN's parent is in this one and has a name.
    return "veth" if match["peer"] and _PEER_ELSEWHERE.fullmatch(match["peer"]) else ""
