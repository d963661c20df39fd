"""Texts of tools and kernels with other addresses and names: numbers and known words stay, everything else changes.

What is not known is somebody's own, so new formats cost findings, not secrets."""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache
from typing import Final

from workers.decode.anonymise.pseudonyms import Pseudonyms
from workers.decode.anonymise.words import is_kept

_NUMBER: Final = re.compile(
    r"\d+(?:[.,:x/T-]\d+)*(?:[kKMGT]i?(?:B|b|bit|bps|Bps)?|[mun]?s|us|Hz|h|d|x|m|min|Z|st|nd|rd|th)?|0x[0-9a-fA-F]+"
    r"|[0-9a-fA-F]{8}|\d+e[+-]?\d+|(?=[A-F]*\d)[0-9A-F]{1,16}|[A-F]{2,5}"
)
"""Kernels print hexadecimal numbers in capitals, or in eight digits."""
_DASHED_ADDRESS: Final = re.compile(r"\d{1,3}(?:-\d{1,3}){3}")
_RELEASE: Final = re.compile(r"\d+(?:-(?:\d+|[a-z_0-9]+))+")
_COUNTER: Final = re.compile(r"(?:Tcp|Ip|Udp|Icmp|UdpLite|MPTcp|TcpExt|IpExt|Icmp6|Ip6|Udp6)[A-Z]\w*")
_INTERFACE: Final = re.compile(
    r"any|lo|docker0|cni0|flannel[\d.]*|tunl0|ipip0|kube-ipvs0|nodelocaldns|kube-bridge|cilium_(?:host|net|vxlan)|vxlan|"
    r"genev_sys_\d+|ovs-system|(?:eth|ens|enp|eno|enx|em|wlan|wlp|bond|team|tun|tap|wg|ifb|dummy|gre|gretap|erspan|sit|"
    r"ip6tnl|vlan|br|virbr|lxcbr|veth|nic|if|ppp|usb|ib)\d\w*|(?:cali|lxc|veth|br-|vxlan-|enp|ens|tap|nic|eni|azv|gke)[0-9a-f]{2,}"
)
"""Names that kernels and network plugins give: none of them has a word in it."""
_CHAIN: Final = re.compile(r"((?:KUBE|CNI|cali|OVN|CILIUM|DOCKER|AWS)-(?:[A-Za-z]{2,4}-)?)(.*)")
_SYSCTL_ROOTS: Final = (
    r"net[./](?:ipv[46]|core|netfilter|unix|bridge|mptcp|sctp|nf_conntrack_max)|kernel|vm|fs"
)
_SYSCTL: Final = rf"(?:{_SYSCTL_ROOTS})(?:[./][\w-]+)*"
_PER_INTERFACE: Final = ("conf", "neigh")
_HEX_PORT: Final = r"[0-9A-F]{8}(?=:[0-9A-F]{4}\b)|(?<=\b(?:TCP|UDP) )[0-9A-F]{8}(?= [0-9A-F]{4}\b)"
_HEX_AFTER: Final = r"(?<=(?<= )[0-9A-F]{4} )[0-9A-F]{8}(?= [0-9A-F]{4}\b)"
_TOKEN: Final = re.compile(
    rf"(?P<mac>(?<![\w:])(?:[0-9a-fA-F]{{2}}:){{5,}}[0-9a-fA-F]{{2}}(?![\w:]))"
    rf"|(?P<six>(?<![\w:.])[0-9a-fA-F:]{{0,39}}:[0-9a-fA-F:]*:[0-9a-fA-F:.]*(?![\w:]))(?P<six_bits>/\d{{1,3}})?"
    rf"|(?P<four>(?<![\d.])\d{{1,3}}(?:\.\d{{1,3}}){{3}}(?!\d))(?P<four_bits>/\d{{1,2}}(?!\d))?"
    rf"|(?P<torn>(?<=src=|dst=)\d[\d.]*|^\d[\d.]*(?= (?:dst|sport)=))"  # two writers of one file
    rf"|(?P<hex>{_HEX_PORT}|{_HEX_AFTER})"
    rf"|(?P<sysctl>(?<![\w.]){_SYSCTL})"
    rf"|(?P<glued>[A-Za-z0-9_]+(?=conntrack v\d))"
    rf"|(?P<run>[A-Za-z0-9_]+(?:-+[A-Za-z0-9_]+)*)"
    rf"|(?P<strange>[^\x00-\x7f]+)"
)
_STRANGE_KEPT: Final = frozenset("µ→…–—•±")
_CALL: Final = re.compile(r"\w+\(.*\) += ")
_QUOTED: Final = re.compile(r'"(?:[^"\\]|\\.)*"')
_DIGITS: Final = re.compile(r"\d+")
_MANY_NUMBERS: Final = 4
_EXPLODED: Final = 39


def line_text(line: str, pseudonyms: Pseudonyms) -> str:
    """What stands for a line."""
    if '"' in line and _CALL.search(line):  # a system call: what it read and wrote is nobody's business
        line = _QUOTED.sub(lambda found: _DIGITS.sub(lambda number: "9" * len(number[0]), found[0]), line)
    broadcasts = _broadcasts(line) if "/" in line else {}
    return _TOKEN.sub(lambda found: _token(found, pseudonyms, broadcasts), line)


def _token(found: re.Match[str], pseudonyms: Pseudonyms, broadcasts: dict[str, int]) -> str:
    kind = found.lastgroup
    text = found[0]
    if found["four"]:
        return _ipv4(found["four"], found["four_bits"] or "", pseudonyms, broadcasts)
    if found["six"]:
        return _ipv6(found["six"], found["six_bits"] or "", pseudonyms)
    if kind == "mac":
        return _mac(text, pseudonyms)
    if kind == "hex":
        return f"{pseudonyms.addresses.ipv4(int(text, 16)):08X}"
    if kind == "sysctl":
        return _sysctl(text, pseudonyms)
    if kind == "torn":
        return ".".join(pseudonyms.label(part).lstrip("0") or "0" for part in text.split("."))
    if kind == "strange":
        return "".join(each if each in _STRANGE_KEPT else "?" for each in text)
    return run_text(text, pseudonyms)


@lru_cache(1 << 16)
def run_text(run: str, pseudonyms: Pseudonyms) -> str:
    """What stands for a run of letters, digits, dashes and underscores."""
    if is_kept(run) or _COUNTER.fullmatch(run) or _INTERFACE.fullmatch(run):
        return run
    if _DASHED_ADDRESS.fullmatch(run):
        return pseudonyms.label(run)
    if _NUMBER.fullmatch(run) or _is_release(run):
        return run
    chain = _CHAIN.fullmatch(run)
    if chain is not None:
        return chain[1] + pseudonyms.label(chain[2])
    return pseudonyms.label(run)


def _is_release(run: str) -> bool:
    """``0-1051-aws`` of a kernel's version."""
    parts = run.split("-")
    numbers = sum(part.isdecimal() for part in parts)
    known = all(part.isdecimal() or is_kept(part) for part in parts)
    return _RELEASE.fullmatch(run) is not None and known and numbers < _MANY_NUMBERS


def interface_name(name: str, pseudonyms: Pseudonyms) -> str:
    """A kernel's or plugin's name stays."""
    return line_text(name, pseudonyms)


def _sysctl(name: str, pseudonyms: Pseudonyms) -> str:
    """Every name of the kernel's, but an interface may be in it."""
    parts = re.split(r"([./])", name)
    for at in range(2, len(parts), 2):
        if parts[at - 2] in _PER_INTERFACE and parts[at] not in ("all", "default"):
            parts[at] = run_text(parts[at], pseudonyms)
    return "".join(parts)


def _ipv4(text: str, bits: str, pseudonyms: Pseudonyms, broadcasts: dict[str, int]) -> str:
    try:
        address = int(ipaddress.IPv4Address(text))
    except ValueError:
        return text if text.startswith("0") else pseudonyms.label(text)
    if address >> 24 == 255:  # a network mask
        return text + bits
    length = int(bits[1:]) if bits else broadcasts.get(text, 32)
    mapped = pseudonyms.addresses.ipv4(address)
    low = (1 << (32 - min(length, 32))) - 1
    if bits and address & low == 0:
        mapped &= ~low
    elif not bits and text in broadcasts:
        mapped |= low
    return str(ipaddress.IPv4Address(mapped)) + bits


def _broadcasts(line: str) -> dict[str, int]:
    """Broadcast addresses of the networks that a line names, and the length of these."""
    found = {}
    for match in _TOKEN.finditer(line):
        if match["four"] and match["four_bits"]:
            try:
                network = ipaddress.IPv4Network(match[0], strict=False)
            except ValueError:
                continue
            if network.prefixlen < 31:
                found[str(network.broadcast_address)] = network.prefixlen
    return found


def _ipv6(text: str, bits: str, pseudonyms: Pseudonyms) -> str:
    try:
        address = int(ipaddress.IPv6Address(text.rstrip(".")))
    except ValueError:
        return text + bits  # a time, or another list of short numbers
    mapped = pseudonyms.addresses.ipv6(address)
    low = (1 << (128 - min(int(bits[1:]), 128))) - 1 if bits else 0
    if low and address & low == 0:
        mapped &= ~low
    shown = ipaddress.IPv6Address(mapped)
    written = shown.exploded if len(text) == _EXPLODED else str(shown)  # as /proc writes it
    return written + bits + text[len(text.rstrip(".")) :]


def _mac(text: str, pseudonyms: Pseudonyms) -> str:
    """One, or as netfilter logs it, two and an EtherType."""
    packed = bytes.fromhex(text.replace(":", ""))
    if len(packed) == 6:
        shown = pseudonyms.addresses.packed(packed)
    elif len(packed) == 14:
        shown = (
            pseudonyms.addresses.packed(packed[:6]) + pseudonyms.addresses.packed(packed[6:12]) + packed[12:]
        )
    else:
        return pseudonyms.label(text)
    return shown.hex(":")
