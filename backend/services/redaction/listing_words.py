"""Lines of kernel listings with only those words left that every kernel prints."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backend.services.redaction.open_words import HIDDEN, INTERFACE
from backend.services.redaction.own_words import is_number, is_own

if TYPE_CHECKING:
    from backend.services.redaction.names import Names

_LISTED = (
    "tcp udp icmp icmpv6 sctp dccp gre unknown ipv4 ipv6 ip ip6 src dst sport dport type code id packets bytes mark "
    "use timeout zone secctx delta-time mode rr wrr lc wlc sh dh mh sed nq masq route tunnel local remote virtual "
    "server size expires state flags port addr destination cpu found invalid insert error search drop early total "
    "conns in out pkts usage entries seq ack win mss cwnd rtt rto ms us s ns min max avg mdev of on to from and the "
    "not synack syn rst fin established connections connection packet ttl len time loss transmitted received"
)
_WORDS = frozenset(_LISTED.split())
_KERNEL_WORD = re.compile(
    r"net\.(?:ipv[46]|mpls)\.(?:conf|neigh)\.(?P<interface>[^\s=]+)\.[a-z0-9_]+"
    r"|net\.(?:core|ipv[46]|netfilter|bridge|unix|mptcp|sctp|vsock|mpls)(?:\.[a-z0-9_]+){1,2}|net\.nf_conntrack_max"
    r"|(?:kernel|vm|fs)\.(?P<setting>[a-z0-9_]+)"
    r"|(?:Tcp|Ip|Udp|Icmp|MPTcp)[0-9A-Z][A-Za-z0-9]+|[-=+*|>:•→.]+"
)
"""Settings, counters and signs. An interface is in some settings, and its name may be anything; a machine may be called
``fs.example``, too."""
_CAPITALS = re.compile(r"[A-Z][A-Z0-9_]*")
"""States, flags and targets; a machine may be called so, too."""
_OPTION = re.compile(r"!|-[A-Za-z]|--[a-z][a-z-]*")
_KEY = re.compile(r"[A-Za-z_]{1,24}")
_PARTS = re.compile(r"([\s=,()\[\]<>{}\"']+)")


def bare_listing(text: str, names: Names) -> str:
    """The line with other names, and every word hidden that may be somebody's own."""
    parts = _PARTS.split(names.of_people(text))
    shown = []
    for at, part in enumerate(parts):
        follows_equals = at + 1 < len(parts) and "=" in parts[at + 1]
        shown.append(part if at % 2 or is_harmless(part, names, is_key=follows_equals) else HIDDEN)
    return "".join(shown)


def is_harmless(word: str, names: Names, *, is_key: bool = False) -> bool:
    """Whether it is nobody's own word: one that every kernel prints, a number, or a name as it is shown."""
    if names.is_hex_address(word):
        return False
    if not word or word.lower() in _WORDS or is_number(word) or _is_of_kernel(word):
        return True
    if (_CAPITALS.fullmatch(word) or _OPTION.fullmatch(word)) and is_own(word.lstrip("-!")):
        return True
    if INTERFACE.fullmatch(word) or (is_key and _KEY.fullmatch(word) and is_own(word)):
        return True
    name, _, number = re.fullmatch(r"(.*?)([:/]?)(\d*)", word, re.DOTALL).groups()  # type: ignore[union-attr]
    return any(names.is_shown(each) or _is_computed(each) for each in (word, name if number else word))


def _is_of_kernel(word: str) -> bool:
    found = _KERNEL_WORD.fullmatch(word)
    if found is None:
        return False
    interface, setting = found["interface"], found["setting"]
    if interface:
        return interface in ("all", "default") or INTERFACE.fullmatch(interface) is not None
    return not setting or "_" in setting or is_own(setting)


def _is_computed(word: str) -> bool:
    return re.fullmatch(r"(?:host|mac)-[0-9a-f]{8}", word) is not None
