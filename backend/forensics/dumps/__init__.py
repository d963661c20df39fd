"""What a parsed kernel dump is: typed records, each with the 1-based line it came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

CapturedAtBasis = Literal["text", "given", "counters", "unknown"]


@dataclass(frozen=True)
class ConntrackTuple:
    """One direction of a conntrack entry; ICMP has no ports (0)."""

    source: str
    destination: str
    source_port: int
    destination_port: int


@dataclass(frozen=True)
class ConntrackEntry:
    """A line of ``conntrack -L``, ``conntrack -E`` or ``/proc/net/nf_conntrack``."""

    line: int
    protocol: str
    state: str
    """TCP state, or "" for protocols without one."""
    timeout_s: int | None
    original: ConntrackTuple
    reply: ConntrackTuple
    flags: tuple[str, ...]
    """``ASSURED``, ``UNREPLIED``, …"""
    event: str = ""
    """``NEW``, ``UPDATE`` or ``DESTROY`` in an event listing, else ""."""
    time_ns: int | None = None
    """When the event happened (``-o timestamp``), UTC."""


@dataclass(frozen=True)
class CounterRow:
    """One CPU of ``conntrack -S`` or ``/proc/net/stat/nf_conntrack``."""

    line: int
    cpu: int
    counters: dict[str, int]


@dataclass(frozen=True)
class NatRule:
    """A rule of a nat table that rewrites addresses."""

    line: int
    text: str
    """The rule as dumped, without packet counters."""
    chain: str
    target: str
    """``MASQUERADE``, ``SNAT``, ``DNAT``, ``REDIRECT``, …"""
    fully_random: bool
    random: bool
    port_range: tuple[int, int] | None
    """``--to-ports`` or the ports of ``--to-source``."""
    syntax: Literal["iptables", "nft"] = "iptables"


@dataclass(frozen=True)
class Interface:
    """A network interface of ``ip link``."""

    line: int
    index: int
    name: str
    master: str
    """The bridge that it belongs to, or ""."""
    kind: str
    """``veth`` when it has a peer in another namespace, ``loopback``, or ""."""


@dataclass(frozen=True)
class InterfaceAddress:
    """An address of ``ip addr``."""

    line: int
    interface: str
    address: str
    prefix_bits: int


@dataclass(frozen=True)
class KernelVersion:
    """From ``uname -a`` or ``uname -r``."""

    line: int
    release: str


@dataclass(frozen=True)
class Dump:
    """One dump text, parsed. A pasted text with several dumps gives several of these."""

    kind: str
    """``conntrack-list``, ``conntrack-events``, ``conntrack-stats``, ``iptables-save``, ``nft-ruleset``,
    ``ip-link``, ``ip-addr``, ``uname``."""
    lines: int
    lines_not_understood: tuple[int, ...]
    """1-based numbers of the lines nobody understood: counted and shown, never dropped in silence."""
    captured_at_ns: int | None = None
    captured_at_basis: CapturedAtBasis = "unknown"
    host: str = ""
    """The machine that a shell prompt or ``uname -a`` in the text names, else ""."""
    entries: tuple[ConntrackEntry, ...] = ()
    counters: tuple[CounterRow, ...] = ()
    nat_rules: tuple[NatRule, ...] = ()
    interfaces: tuple[Interface, ...] = ()
    addresses: tuple[InterfaceAddress, ...] = ()
    kernel: KernelVersion | None = None
    warnings: tuple[str, ...] = field(default=())
