"""Outgoing ports of source NAT: how many there are, and how many were in use at which time.

A pool is what one outer address can use towards one destination address, port and protocol: only there must the
translated tuple be unique (net/netfilter/nf_nat_core.c, get_unique_tuple).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from backend.forensics.addresses import address_text
from backend.forensics.captures import Capture
from backend.forensics.connections import NEVER
from backend.forensics.evidence.absence.losses import Losses
from backend.forensics.evidence.attempts.attempts import Attempts, Endpoint
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.clocks.sorted_rows import distinct, lexsort, stable_argsort
from backend.forensics.evidence.kernel.counters import KernelFacts
from backend.forensics.evidence.kernel.port_ranges import PortRange, default_range, range_of_pool, rule_ranges
from backend.forensics.evidence.nat.port_leases import LEASE_DTYPE, leases_of_dump, translated_nodes
from backend.forensics.evidence.nat.port_reuse import tuple_key

FULL_RATIO = 0.95
"""A range counts as used up from here: entries come and go between the event and its time stamp."""
FULL_RATIO_PACKETS = 0.8
"""The same where only packets show: they show a port until the close, conntrack holds it for seconds to minutes
more."""
WORTH_FOLLOWING = 0.25
"""Pools whose connections, all added up, stay below this share of their range are not followed over time, unless
SYNs towards their destination were lost."""
POOLS_FOLLOWED = 1_000
"""The largest ones; so many outer addresses and destinations at their limit at once are nobody's network."""

LINES_SHOWN = 100
_POOL = (
    "outer_high",
    "outer_low",
    "destination_high",
    "destination_low",
    "destination_port",
    "protocol",
)

Source = Literal["packets", "dump"]


@dataclass(frozen=True)
class Usage:
    """Ports in use over time, as one source shows it: `ports[i]` from `times_ns[i]` on."""

    source: Source
    input: str
    times_ns: Ints
    ports: Ints

    @property
    def most(self) -> int:
        return int(self.ports.max()) if len(self.ports) else 0

    @property
    def most_at_ns(self) -> int:
        return int(self.times_ns[int(self.ports.argmax())]) if len(self.ports) else NEVER

    def at(self, time_ns: int) -> int:
        """Ports in use at that time, 0 before the first change."""
        index = int(np.searchsorted(self.times_ns, time_ns, side="right")) - 1
        return int(self.ports[index]) if index >= 0 else 0


@dataclass(frozen=True)
class PortPool:
    """One outer address towards one destination."""

    outer_high: int
    outer_low: int
    destination: Endpoint
    protocol: int
    range: PortRange
    connections: int
    usages: tuple[Usage, ...]
    lines: tuple[tuple[str, int], ...]
    """(input, line) of some of the dump entries."""
    frames: tuple[tuple[str, int], ...]
    """(input, frame) of the first packets of some of the connections."""

    @property
    def outer(self) -> str:
        return address_text(self.outer_high, self.outer_low)

    @property
    def in_use_max(self) -> int:
        """Packets and dumps each show a part: the larger count is the truer one."""
        return min(max((u.most for u in self.usages), default=0), self.range.ports)

    def full_at(self, time_ns: int) -> bool:
        """Whether the range was used up at that time."""
        return any(
            u.at(time_ns) >= self.range.ports * (FULL_RATIO_PACKETS if u.source == "packets" else FULL_RATIO)
            for u in self.usages
        )

    def in_use_at(self, time_ns: int) -> int:
        """Ports in use at that time on the reference clock."""
        return min(max((u.at(time_ns) for u in self.usages), default=0), self.range.ports)


def find_pools(captures: Sequence[Capture], attempts: Attempts, kernel: KernelFacts) -> tuple[PortPool, ...]:
    """The pools that packets or dumps show near their limit, and those of retried attempts."""
    parts: list[tuple[Source, str, NDArray[np.void]]] = [
        ("packets", "", translated_nodes(captures, attempts))
    ]
    for each in kernel.dumps:
        if len(each.dump.entries):
            parts.append(("dump", each.input, leases_of_dump(each.dump)))
    leases = np.concatenate([np.zeros(0, LEASE_DTYPE), *(rows for _, _, rows in parts)])
    if not len(leases):
        return ()
    part = np.repeat(np.arange(len(parts)), [len(rows) for _, _, rows in parts])
    key = tuple_key(leases, _POOL)
    order = stable_argsort(key)
    leases, part, key = leases[order], part[order], key[order]
    starts = np.flatnonzero(np.append(True, key[1:] != key[:-1]))
    ends = np.append(starts[1:], len(leases))
    chosen = _worth_following(leases, starts, ends, attempts, kernel)
    names = [c.name for c in captures]
    return tuple(_pool(leases[a:b], part[a:b], parts, kernel, names) for a, b in chosen)


def _worth_following(
    leases: NDArray[np.void], starts: Ints, ends: Ints, attempts: Attempts, kernel: KernelFacts
) -> list[tuple[int, int]]:
    """(start, end) of the pools that can be near a limit, or that lost SYNs."""
    count = ends - starts
    span = np.maximum.reduceat(leases["port"], starts).astype(np.int64)
    span -= np.minimum.reduceat(leases["port"], starts)
    ports = min((r.ports for r in rule_ranges(kernel)), default=default_range(1024).ports)
    sent = attempts.retried.sent
    lost = distinct(attempts.sightings.rows["destination_low"][sent.last_row[sent.start[1:] - 1]])
    chosen = (count >= WORTH_FOLLOWING * ports) | (count > span + 1)
    chosen |= np.isin(leases["destination_low"][starts], lost)
    found = np.flatnonzero(chosen)
    found = np.sort(found[stable_argsort(-count[found])][:POOLS_FOLLOWED])
    return list(zip(starts[found].tolist(), ends[found].tolist(), strict=True))


def _pool(
    leases: NDArray[np.void],
    part: Ints,
    parts: Sequence[tuple[Source, str, NDArray[np.void]]],
    kernel: KernelFacts,
    captures: Sequence[str],
) -> PortPool:
    usages, lines, key = [], [], leases[0]
    for number in np.unique(part).tolist():
        mine = leases[part == number]
        source, name, _ = parts[number]
        usages.append(count_over_time(mine, source, name))
        if source == "dump":
            lines += [(name, int(line)) for line in mine["line"][:LINES_SHOWN].tolist()]
    shown = leases[leases["frame"] != NEVER][:LINES_SHOWN]
    return PortPool(
        int(key["outer_high"]),
        int(key["outer_low"]),
        Endpoint(int(key["destination_high"]), int(key["destination_low"]), int(key["destination_port"])),
        int(key["protocol"]),
        range_of_pool(leases, kernel),
        int(np.bincount(part).max()),
        tuple(usages),
        tuple(lines),
        tuple((captures[int(p["capture"])], int(p["frame"])) for p in shown),
    )


def count_over_time(leases: NDArray[np.void], source: Source, name: str) -> Usage:
    """Distinct ports in use, from leases [from, until): a lease ends where the next one of its port begins."""
    order = lexsort((leases["from_ns"], leases["port"]))
    port, begin, end = leases["port"][order], leases["from_ns"][order], leases["until_ns"][order].copy()
    same = port[1:] == port[:-1]
    end[:-1] = np.where(same, np.minimum(end[:-1], begin[1:]), end[:-1])
    times = np.concatenate([begin, np.maximum(end, begin)])
    change = np.concatenate([np.ones(len(begin), np.int64), -np.ones(len(end), np.int64)])
    # At one moment ports are freed before others are taken.
    order = lexsort((change, times))
    ports = np.cumsum(change[order])
    last = np.append(times[order][1:] != times[order][:-1], True)
    return Usage(source, name, times[order][last], ports[last])


def find_exhausted(pools: Sequence[PortPool], losses: Losses) -> dict[int, PortPool]:
    """By index of the loss: the pool that was used up when a SYN was lost at the NAT."""
    if not pools:
        return {}
    found: dict[int, PortPool] = {}
    by_destination: dict[Endpoint, list[PortPool]] = {}
    for pool in pools:
        by_destination.setdefault(pool.destination, []).append(pool)
    at_nat = losses.is_kind("one-sided") | (losses.is_kind("inside") & losses.rewritten)
    sent, rows = losses.attempts.retried.sent, losses.attempts.sightings.rows
    asked = rows["destination_low"][sent.last_row[losses.sent + losses.again]]
    at_nat &= np.isin(asked, np.array(sorted({end.low for end in by_destination}), np.uint64))
    for number in np.flatnonzero(at_nat).tolist():
        loss = losses[number]
        outermost = (loss.retry or loss.transmission).last
        candidates = by_destination.get(outermost.destination, [])
        own = [p for p in candidates if (p.outer_high, p.outer_low) == _address(outermost.source)]
        full = [p for p in own or candidates if p.full_at(loss.transmission.time_ns)]
        if full:
            found[number] = max(full, key=lambda p: (p.connections, p.outer_high, p.outer_low))
    return found


def _address(end: Endpoint) -> tuple[int, int]:
    return end.high, end.low
