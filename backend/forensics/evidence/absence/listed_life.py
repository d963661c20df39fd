"""Whether a host lived, as listings show: its neighbors' tables, its own listings, its own counters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from backend.forensics.evidence.absence.listed_hosts import ListedHosts
from backend.forensics.evidence.attempts.retried import Endpoint
from backend.forensics.evidence.kernel.counters import DumpInput, KernelFacts
from backend.forensics.evidence.kernel.drop_rules import DropRule, list_syn_rules
from backend.forensics.evidence.kernel.kernel_signs import Line, counter_rise
from backend.forensics.evidence.kernel.rule_matches import Hop
from backend.forensics.private_words import PrivateWord
from backend.forensics.wording import series_text

NEAR_NS: Final = 60_000_000_000
"""A table that was printed longer before or after says little of that time."""
FAILED: Final = frozenset(("FAILED", "INCOMPLETE"))
REACHABLE: Final = "REACHABLE"
# What the kernel counts of packets that arrived and went no further than IP or TCP.
DROP_COUNTERS: Final = {
    "TcpInCsumErrors": "their checksum was wrong",
    "TcpExtIPReversePathFilter": "its reverse-path filter refused their source",
}


@dataclass(frozen=True)
class ListedSign:
    """A sentence and the lines that it rests on."""

    text: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class ListedLife:
    """`alive` and `dead` are sentences for and against; `dropped`: its kernel counted these packets, and why;
    `filtered`: rules of the host, or of the node before it, counted them."""

    alive: tuple[ListedSign, ...] = ()
    dead: tuple[ListedSign, ...] = ()
    dropped: tuple[ListedSign, ...] = ()
    filtered: tuple[DropRule, ...] = ()


def listed_life(
    hosts: ListedHosts, endpoint: Endpoint, times_ns: tuple[int, int], syns: int, hops: Sequence[Hop]
) -> ListedLife:
    """Of the host with this address, while `syns` SYNs to it stayed unanswered from the first of these times to the
    last; `hops`: how vantage points saw some of them."""
    first_ns, last_ns = times_ns
    address = endpoint.address
    states = list(_states(hosts, address, first_ns - NEAR_NS, last_ns + NEAR_NS))
    alive, dead = [], []
    for state, line in states[-1:]:
        text = f"ip neigh lists {address} as {state}"
        if state == REACHABLE:
            alive.append(ListedSign(f"{text}: it answered ARP or neighbor discovery.", (line,)))
        elif state in FAILED:
            dead.append(ListedSign(f"{text}: nobody answered for this address on its segment.", (line,)))
    own = hosts.at(endpoint)
    if own.sure:
        alive += _own(own.kernel.dumps, own.host or "", first_ns - NEAR_NS, last_ns + NEAR_NS)
    like = hosts.like(endpoint)
    filtered = _filtered((*like, *hosts.forwarding.like), hops, syns)
    return ListedLife(tuple(alive), tuple(dead), tuple(_dropped(like, syns)), filtered)


def _states(hosts: ListedHosts, address: str, first_ns: int, last_ns: int) -> Iterator[tuple[str, Line]]:
    """(state, line) of the address in tables of that time, the latest last."""
    found = []
    for host in hosts.hosts:
        for each in host.dumps:
            at_ns = each.dump.captured_at_ns
            if at_ns is not None and first_ns <= at_ns <= last_ns:
                found += [
                    (at_ns, n.state, (each.input, n.line))
                    for n in each.dump.neighbors
                    if n.address == address
                ]
    return ((state, line) for _, state, line in sorted(found))


def _own(dumps: tuple[DumpInput, ...], name: str, first_ns: int, last_ns: int) -> list[ListedSign]:
    """Something that was printed on the host itself at that time."""
    for each in dumps:
        at_ns = each.dump.captured_at_ns
        if at_ns is not None and first_ns <= at_ns <= last_ns:
            lines = [row.line for row in each.dump.counters] or [1]
            host = PrivateWord(name, "host")
            return [
                ListedSign(
                    f"commands ran on {host} itself at that time.",
                    ((each.input, lines[0]),),
                )
            ]
    return []


def _filtered(candidates: tuple[KernelFacts, ...], hops: Sequence[Hop], syns: int) -> tuple[DropRule, ...]:
    """Rules that match these SYNs and counted as many packets as half of these SYNs at least."""
    kernels = {id(kernel): kernel for kernel in candidates}.values()
    rules = [rule for kernel in kernels for rule in list_syn_rules(kernel.dumps, hops)]
    return tuple(rule for rule in rules if rule.packets and rule.packets * 2 >= syns)


def _dropped(candidates: tuple[KernelFacts, ...], syns: int) -> Iterator[ListedSign]:
    """Every host that it can be counts drops for one reason, as many as half of these SYNs at least."""
    for name, reason in DROP_COUNTERS.items():
        rises = [counter_rise(kernel, "nstat", name) for kernel in candidates]
        known = [rise for rise in rises if rise is not None and rise.by * 2 >= syns]
        if known and len(known) == len(rises):
            shown = series_text([f"{name} +{rise.by:,} {rise.between_dumps}" for rise in known])
            host = "the host" if len(known) == 1 else "whichever of them is this host"
            text = f"{shown}: {host} got packets and dropped them, {reason}."
            yield ListedSign(text, tuple(line for rise in known for line in rise.lines))
