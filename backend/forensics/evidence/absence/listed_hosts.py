"""Which host's listings answer a question: counters, tables and rules belong to hosts.

With listings of one host there is nothing to choose, unless they say themselves that they are of another. With several
the host is known by its addresses, its sockets, its hardware address in neighbor tables, its NAT rules and entries.
What decides nothing is not used, and the reason is kept."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from backend.forensics.addresses import address_halves, address_text
from backend.forensics.captures import Capture
from backend.forensics.connections import NEVER
from backend.forensics.evidence.attempts.attempts import Attempts
from backend.forensics.evidence.attempts.retried import Endpoint
from backend.forensics.evidence.clocks.sorted_rows import distinct
from backend.forensics.evidence.kernel.counters import KernelFacts
from backend.forensics.evidence.kernel.host_signs import HostSigns
from backend.forensics.evidence.kernel.kernel_signs import counter_rise

SURE = 8
"""The host's own address, or its hardware address in a neighbor's table."""
LIKELY = 4
"""A rule, an entry or a label that fits these connections."""
HINT = 2
LEAST_OF_SEVERAL = 3
OTHER_TIME = -6
NEAR_NS = 60_000_000_000
"""Listings that were all taken further from the capture than a minute are of another occasion."""
MARGIN_NS = 2_000_000_000
ENDPOINTS_MOST = 100
"""Servers for which the host is looked up; a scan asks a million, and few of them are listed."""
COUNTED_FROM = 4
"""So many opened connections must show in the counter of a server that took them."""
_NETWORK = re.compile(
    r"\b\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?\b|\b[0-9a-fA-F:]{4,39}::?[0-9a-fA-F:]*(?:/\d{1,3})?"
)

Score = int | None
"""None: these listings cannot be of that host."""


@dataclass(frozen=True)
class Answering:
    """The listings of the host that a question is about. `host` is None where none is known to be it; `unused`
    are (host, reason) of all others."""

    kernel: KernelFacts
    host: str | None
    unused: tuple[tuple[str, str], ...] = ()
    sure: bool = False
    """The host is recognized by an address, and not only left over."""
    like: tuple[KernelFacts, ...] = ()
    """Of all hosts that it can be: one where it is known."""

    @property
    def known(self) -> bool:
        return self.host is not None


@dataclass(frozen=True)
class ListedHosts:
    """All hosts that were listed."""

    hosts: tuple[HostSigns, ...]
    attempts: Attempts
    captures: tuple[Capture, ...]
    _servers: dict[str, Answering] = field(default_factory=dict)

    @cached_property
    def forwarding(self) -> Answering:
        """The node that translates addresses and passes packets on."""
        return self._choose(self._forwards, "nothing in them shows that this host passed these packets on")

    def at(self, endpoint: Endpoint) -> Answering:
        """The host that has this address."""
        known = self._servers.get(str(endpoint))
        if known is None:
            known = self._choose(
                lambda host: self._has(host, endpoint), f"nothing in them shows that this host is {endpoint}"
            )
            self._servers[str(endpoint)] = known
        return known

    @cached_property
    def asked(self) -> tuple[Answering, ...]:
        """The hosts that SYNs went to, as each vantage point saw them."""
        seen = self.attempts.sightings
        rows = seen.rows[seen.transmission >= 0]
        ends = np.stack([rows[f"destination_{p}"].astype(np.uint64) for p in ("high", "low", "port")], axis=1)
        each = np.unique(ends, axis=0)[:ENDPOINTS_MOST].tolist() if len(ends) else []
        return tuple(self.at(Endpoint(high, low, port)) for high, low, port in each)

    @cached_property
    def concerned(self) -> frozenset[str]:
        """Names of the hosts that passed these packets on, or can have been asked."""
        known = {answer.host for answer in (self.forwarding, *self.asked) if answer.host is not None}
        fitting = {id(kernel) for answer in self.asked for kernel in answer.like}
        return frozenset(known | {host.name for host in self.hosts if id(host.kernel) in fitting})

    def like(self, endpoint: Endpoint) -> tuple[KernelFacts, ...]:
        """Listings of every host that can have this address: several where they fit equally well."""
        return self.at(endpoint).like

    def _choose(self, judge: Callable[[HostSigns], Score], otherwise: str) -> Answering:
        scores = [(score, host) for host in self.hosts if (score := judge(host)) is not None]
        scores.sort(key=lambda s: (-s[0], s[1].name))
        several = len(self.hosts) > 1
        best = scores[0] if scores else None
        tied = len(scores) > 1 and scores[0][0] == scores[1][0]
        if best is None or (several and (tied or (best[0] < LEAST_OF_SEVERAL and len(scores) > 1))):
            reason = "the listings of several hosts fit equally well" if tied else otherwise
            nobody = KernelFacts((), None, reason)
            like = tuple(host.kernel for score, host in scores if best is not None and score == best[0])
            return Answering(nobody, None, tuple((h.name, reason) for h in self.hosts), like=like)
        unused = tuple((h.name, otherwise) for h in self.hosts if h is not best[1])
        kernel = best[1].kernel
        return Answering(kernel, best[1].name, unused, best[0] >= SURE, (kernel,))

    def _forwards(self, host: HostSigns) -> Score:
        if self._is_an_end_of_others(host):
            return None
        if len(self.hosts) == 1:
            return 0
        if host.forwards is False:
            return None
        score = HINT if host.forwards else 0
        score += SURE if host.addresses & self._translated else 0
        score += LIKELY if self._tracked(host) else 0
        score += LIKELY if self._named_in_rules(host) else 0
        score += HINT + 1 if host.neighbors.keys() & self._clients else 0
        score += 1 if host.kernel.has("conntrack-stats") else 0
        return score + self._at_its_time(host)

    def _is_an_end_of_others(self, host: HostSigns) -> bool:
        """It has one interface, whose addresses are in no packet: it passed none of them on."""
        own = np.array(
            [address_halves(address)[1] for address in sorted(host.interface_addresses)], np.uint64
        )
        seen = any(bool(np.isin(own, ends).any()) for ends in self._ends)
        known = any(len(ends) for ends in self._ends)
        return known and len(host.interfaces) == 1 and not host.forwards and not seen

    def _has(self, host: HostSigns, endpoint: Endpoint) -> Score:
        address = endpoint.address
        own = address in host.addresses
        by_link = any(h.neighbors.get(address, "-") in host.link_addresses for h in self.hosts)
        if not own and not by_link:
            if host.kernel.has("ip-addr") or self._known_elsewhere(host, address):
                return None
            if host.listeners_shown and not host.listens_at(address, endpoint.port):
                return None
        opened, rise = self._opened.get((address, endpoint.port), 0), self._passive_opens(host)
        if rise is not None and opened >= COUNTED_FROM and rise * 2 < opened:
            return None
        score = SURE if own or by_link else 0
        score += HINT + 1 if host.listens_at(address, endpoint.port) else 0
        score += HINT if rise is not None and opened and abs(rise - opened) <= max(2, opened // 10) else 0
        labels = {c.host for c in self.captures if c.host}
        score += LIKELY if host.name and host.name in labels and not host.forwards else 0
        return score + self._at_its_time(host)

    def _known_elsewhere(self, host: HostSigns, address: str) -> bool:
        """Another host says that the address is its own."""
        return any(address in other.addresses for other in self.hosts if other is not host)

    def _passive_opens(self, host: HostSigns) -> int | None:
        """Connections that it took while the captures ran; None where its listings do not enclose them."""
        rise = counter_rise(host.kernel, "nstat", "TcpPassiveOpens")
        span, times = self._span_ns, host.times_ns
        if rise is None or span is None or times is None:
            return None
        return rise.by if times[0] <= span[0] + MARGIN_NS and span[1] <= times[1] + MARGIN_NS else None

    def _at_its_time(self, host: HostSigns) -> int:
        span, times = self._span_ns, host.times_ns
        if span is None or times is None:
            return 0
        if times[1] < span[0] - NEAR_NS or times[0] > span[1] + NEAR_NS:
            return OTHER_TIME
        return HINT if times[0] <= span[0] + MARGIN_NS and span[1] <= times[1] + MARGIN_NS else 0

    @cached_property
    def _span_ns(self) -> tuple[int, int] | None:
        ran = [(c.first_ns, c.last_ns) for c in self.captures if c.packets]
        return (min(a for a, _ in ran), max(b for _, b in ran)) if ran else None

    @cached_property
    def _clients(self) -> frozenset[str]:
        return _addresses(self.attempts.table, "client")

    @cached_property
    def _translated(self) -> frozenset[str]:
        """Source addresses of SYNs whose source was rewritten on the way, the first ones left out."""
        seen, table = self.attempts.sightings, self.attempts.table
        moved = table["link"][table["rewritten_source"]]
        rows = seen.rows[(seen.transmission >= 0) & np.isin(seen.link, moved)]
        return _addresses(rows, "source") - self._clients

    @cached_property
    def _servers_seen(self) -> frozenset[str]:
        seen = self.attempts.sightings
        return _addresses(seen.rows[seen.transmission >= 0], "destination")

    @cached_property
    def _opened(self) -> dict[tuple[str, int], int]:
        """Answered attempts by the endpoint that was asked in the end."""
        seen, table = self.attempts.sightings, self.attempts.table
        done = table["link"][(table["connect_delay_ns"] != NEVER) | table["established"]]
        chosen = (seen.transmission >= 0) & np.isin(seen.link, done)
        rows, link = seen.rows[chosen], seen.link[chosen]
        ends = np.stack(
            [
                rows["destination_high"],
                rows["destination_low"],
                rows["destination_port"].astype(np.uint64),
                link.astype(np.uint64),
            ],
            axis=1,
        )
        each = np.unique(ends, axis=0) if len(ends) else np.zeros((0, 4), np.uint64)
        keys, counts = np.unique(each[:, :3], axis=0, return_counts=True)
        return {
            (address_text(high, low), port): count
            for (high, low, port), count in zip(keys.tolist(), counts.tolist(), strict=True)
        }

    @cached_property
    def _ends(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Lower address halves of both ends of all connections and flows, UDP as well."""
        clients, servers = (
            [distinct(capture.connections[f"{end}_low"]) for capture in self.captures]
            for end in ("client", "server")
        )
        nobody = [np.zeros(0, np.uint64)]
        return distinct(np.concatenate(clients or nobody)), distinct(np.concatenate(servers or nobody))

    def _tracked(self, host: HostSigns) -> bool:
        """An entry or event of conntrack, or a service of IPVS, is about an address pair of the captures."""
        clients, servers = self._ends
        for each in host.dumps:
            rows = each.dump.entries.rows
            if len(rows) and bool(
                np.any(
                    np.isin(rows["original_source_low"], clients)
                    & np.isin(rows["original_destination_low"], servers)
                )
            ):
                return True
            if any(s.address in self._servers_seen for s in each.dump.services):
                return True
        return False

    def _named_in_rules(self, host: HostSigns) -> bool:
        """A NAT rule of it names an address or a network of these connections."""
        known = [ipaddress.ip_address(text) for text in sorted(self._clients | self._servers_seen)[:1000]]
        texts = {rule.text for each in host.dumps for rule in each.dump.nat_rules}
        return any(_about(text, known) for text in sorted(texts)[:1000])


def _about(text: str, known: Sequence[ipaddress.IPv4Address | ipaddress.IPv6Address]) -> bool:
    for found in _NETWORK.findall(text):
        try:
            network = ipaddress.ip_network(found, strict=False)
        except ValueError:
            continue
        if network.prefixlen and any(a.version == network.version and a in network for a in known):
            return True
    return False


def _addresses(rows: NDArray[np.void], end: str) -> frozenset[str]:
    pairs = np.stack([rows[f"{end}_high"], rows[f"{end}_low"]], axis=1)
    unique = np.unique(pairs, axis=0) if len(pairs) else pairs
    return frozenset(address_text(high, low) for high, low in unique.tolist())
