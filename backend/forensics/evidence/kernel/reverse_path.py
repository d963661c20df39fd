"""What the listings of one host say of its reverse-path filter: counter, log, settings, rules.

net/ipv4/fib_frontend.c, fib_validate_source(): a packet whose source would be answered by another interface is
dropped in strict mode (1), one whose source no route covers in loose mode (2); the larger of conf.all and the
interface's value counts (Documentation/networking/ip-sysctl.rst). ip_rcv_finish_core() counts it in
IPReversePathFilter; with log_martians route.c logs "martian source DESTINATION from SOURCE, on dev INTERFACE"."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from backend.forensics.evidence.kernel.counters import DumpInput, KernelFacts
from backend.forensics.evidence.kernel.drop_rules import DropRule, list_rules
from backend.forensics.evidence.kernel.kernel_signs import Line, Rise, counter_rise, messages_with

COUNTER: Final = "TcpExtIPReversePathFilter"
STRICT, LOOSE = 1, 2
_MARTIAN = re.compile(
    r"martian source (?P<destination>[0-9.]{7,15}) from (?P<source>[0-9.]{7,15}),? on dev (?P<device>\S{1,15})"
)
_LINK_HEADER = re.compile(r"ll header: (?:[0-9a-f]{8}: )?(?:[0-9a-f]{2}[: ]){12}08[: ]06\b")
"""Ethernet with the type of ARP, which the kernel logs behind a martian source."""
_SETTING = re.compile(r"net\.ipv4\.conf\.([^\s.]{1,15}(?:[./]\d{1,4})?)\.rp_filter")
_RULE = re.compile(
    r"-m rpfilter\b|\bfib saddr (?:\. mark )?(?:\. iif )?oif\b|/\* .{0,100}rpfilter|\brpfilter (?:invert|loose)"
)


@dataclass(frozen=True)
class Martian:
    """A logged packet: source and destination, the interface that it came in by."""

    source: str
    destination: str
    device: str
    line: Line


@dataclass(frozen=True)
class ReversePath:
    """`modes`: by interface the value that counts, with its lines; `all` where no interface is listed, or where it
    makes every interface strict that is not loose."""

    rise: Rise | None
    martians: tuple[Martian, ...]
    modes: dict[str, tuple[int, tuple[Line, ...]]]
    rules: tuple[DropRule, ...]
    """Of netfilter (the matches rpfilter and fib), that counted packets."""

    @property
    def counted(self) -> int:
        """Packets that the filter dropped between the dumps."""
        return self.rise.by if self.rise else 0

    def strict_device(self, arrived_on: Collection[str]) -> str:
        """The strict interface that the packets came in by; without a capture the only strict one there is. "" where
        neither is known, as where conf.all makes interfaces strict that no listing names."""
        general = self.modes.get("all", (0, ()))
        strict = [name for name in arrived_on if self.modes.get(name, general)[0] == STRICT]
        if not arrived_on and general[0] != STRICT:
            strict = [name for name, (mode, _) in self.modes.items() if mode == STRICT]
        return strict[0] if len(strict) == 1 else ""


def find_reverse_path(kernel: KernelFacts) -> ReversePath:
    """Of one host."""
    rules = [
        r for r in list_rules(kernel.dumps, lambda rule: _RULE.search(rule.text) is not None) if r.packets
    ]
    return ReversePath(
        counter_rise(kernel, "nstat", COUNTER), _martians(kernel), _modes(kernel), tuple(rules)
    )


def _martians(kernel: KernelFacts) -> tuple[Martian, ...]:
    """Packets between hosts: broadcasts and sources that are never valid are logged for other reasons."""
    found = []
    arp = arp_martians(kernel.dumps)
    for text, line in messages_with(kernel, "martian source"):
        match = _MARTIAN.search(text)
        if (
            line not in arp
            and match is not None
            and _is_host(match["source"])
            and _is_host(match["destination"])
        ):
            found.append(Martian(match["source"], match["destination"], match["device"], line))
    return tuple(found)


def arp_martians(dumps: Sequence[DumpInput]) -> set[Line]:
    """Logged martian sources that were ARP requests (net/ipv4/arp.c asks for the route of the sender, too): no packet
    of a connection was dropped."""
    found: set[Line] = set()
    for each in dumps:
        before = None
        for message in each.dump.messages:
            if before is not None and _LINK_HEADER.match(message.text):
                found.add((each.input, before))
            before = message.line if "martian source" in message.text else None
    return found


def _is_host(text: str) -> bool:
    try:
        address = ipaddress.IPv4Address(text)
    except ValueError:
        return False
    invalid = address.is_loopback or address.is_multicast or address.is_unspecified or address.is_reserved
    return not invalid and not address.is_link_local


def _modes(kernel: KernelFacts) -> dict[str, tuple[int, tuple[Line, ...]]]:
    """The larger of both counts; without the value of `all` none is known, since that may be the larger one."""
    listed: dict[str, tuple[int, Line]] = {}
    for each in kernel.dumps:
        for setting in each.dump.settings:
            match = _SETTING.fullmatch(setting.key)
            if match is not None and setting.value in ("0", "1", "2"):
                listed[match[1]] = int(setting.value), (each.input, setting.line)
    general = listed.pop("all", None)
    listed.pop("default", None)
    modes: dict[str, tuple[int, tuple[Line, ...]]] = {}
    for name, (value, line) in listed.items():
        if general is not None:
            modes[name] = max(value, general[0]), (line, general[1])
        elif value == LOOSE:
            modes[name] = value, (line,)
    if general is not None and (not modes or general[0] == STRICT):
        modes["all"] = general[0], (general[1],)
    return modes
