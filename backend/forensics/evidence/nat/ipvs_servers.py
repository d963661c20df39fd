"""Real servers that IPVS is to send nothing new to, and the connections that it sends them all the same.

A service's scheduler never chooses a real server of weight 0 (net/netfilter/ipvs/ip_vs_rr.c and its siblings) nor one
that was removed; what still arrives there was carried over from an old entry of the connection table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from backend.forensics.addresses import address_halves
from backend.forensics.connections import NEVER
from backend.forensics.dumps import RealServer, VirtualService
from backend.forensics.evidence.attempts.attempts import Attempts, Endpoint
from backend.forensics.evidence.clocks.grouped_rows import GroupedRows, is_among
from backend.forensics.evidence.clocks.sightings import Ints, Place
from backend.forensics.evidence.clocks.sorted_rows import lexsort, stable_argsort
from backend.forensics.evidence.kernel.counters import DumpInput, KernelFacts
from backend.forensics.packets import ACK, SYN

Line = tuple[str, int]
"""(input, 1-based line)."""


@dataclass(frozen=True)
class Listed:
    """The server's line in one listing: `held` is ActiveConn + InActConn, None where the listing has no such column."""

    time_ns: int
    line: Line
    held: int | None


@dataclass(frozen=True)
class DrainedServer:
    """A real server of a service between the first listing that shows it drained and the one that shows it back."""

    service: Endpoint
    server: Endpoint
    since_ns: int
    since: Line
    weight: int | None
    """0, or None when it was gone at once."""
    removed_ns: int | None
    removed: Line | None
    """The service's line in the first listing that no longer holds the server."""
    until_ns: int | None
    listings: tuple[Listed, ...]
    persistent: bool


@dataclass(frozen=True)
class SentConnection:
    """A connection whose SYN was seen on its way to a drained server, at the vantage point that saw it there first."""

    link: int
    row: int
    """In `Attempts.table`."""
    client: Endpoint
    place: Place
    syn_ns: int
    frame: int
    through_service: bool
    """Another vantage point saw the same SYN on its way to the service: IPVS sent it here."""


@dataclass(frozen=True)
class Drain:
    """A drained server and what it still received, by time."""

    drained: DrainedServer
    sent: tuple[SentConnection, ...]
    last_answer_ns: int
    """Latest SYN-ACK of this server in any capture, NEVER without one."""
    served: frozenset[int]
    """Links of all connections whose SYN was ever seen on its way to it."""

    @property
    def through_service(self) -> tuple[SentConnection, ...]:
        return tuple(s for s in self.sent if s.through_service)


@dataclass(frozen=True)
class _Snapshot:
    time_ns: int
    input: str
    service: VirtualService

    @cached_property
    def servers(self) -> dict[tuple[str, int], RealServer]:
        """By address and port; of one that is listed twice the first line."""
        return {(r.address, r.port): r for r in reversed(self.service.real_servers)}


def list_drained(kernel: KernelFacts) -> tuple[DrainedServer, ...]:
    """Of listings with a known time; in order of service, server and time."""
    groups: dict[tuple[str, str, str, int], list[_Snapshot]] = {}
    for each in kernel.dumps:
        if each.dump.captured_at_ns is None:
            continue
        for service in each.dump.services:
            if service.protocol == "TCP" and service.address:
                key = (_host(each), service.protocol, service.address, service.port)
                groups.setdefault(key, []).append(_Snapshot(each.dump.captured_at_ns, each.input, service))
    drained: list[DrainedServer] = []
    for key in sorted(groups):
        snapshots = sorted(groups[key], key=lambda s: (s.time_ns, s.input, s.service.line))
        servers = sorted({server for s in snapshots for server in s.servers})
        for server in servers:
            drained.extend(_follow(snapshots, server))
    return tuple(drained)


def list_untimed(kernel: KernelFacts) -> tuple[Line, ...]:
    """Lines of real servers with weight 0 in listings whose time is not known."""
    return tuple(
        (each.input, server.line)
        for each in kernel.dumps
        if each.dump.captured_at_ns is None
        for service in each.dump.services
        for server in service.real_servers
        if server.weight == 0
    )


def _host(each: DumpInput) -> str:
    return each.host or each.dump.host


def _endpoint(address: str, port: int) -> Endpoint:
    return Endpoint(*address_halves(address), port)


class _Interval:
    """What is known of a drained server while the listings go on."""

    def __init__(self, at: _Snapshot, line: int, weight: int | None) -> None:
        self.since, self.line, self.weight = at, line, weight
        self.removed: _Snapshot | None = None
        self.listings: list[Listed] = []

    def close(self, server: tuple[str, int], until_ns: int | None) -> DrainedServer:
        """The interval as it stands."""
        service, gone = self.since.service, self.removed
        return DrainedServer(
            service=_endpoint(service.address, service.port),
            server=_endpoint(*server),
            since_ns=self.since.time_ns,
            since=(self.since.input, self.line),
            weight=self.weight,
            removed_ns=gone.time_ns if gone else None,
            removed=(gone.input, gone.service.line) if gone else None,
            until_ns=until_ns,
            listings=tuple(self.listings),
            persistent=service.persistent_s is not None,
        )


def _follow(snapshots: Sequence[_Snapshot], server: tuple[str, int]) -> list[DrainedServer]:
    found: list[DrainedServer] = []
    current: _Interval | None = None
    known = False
    for at in snapshots:
        listed = at.servers.get(server)
        if listed is None:
            if known and current is None:
                current = _Interval(at, at.service.line, None)
            if current is not None and current.removed is None:
                current.removed = at
            continue
        known = True
        if listed.weight is not None and listed.weight > 0 and current is not None:
            found.append(current.close(server, at.time_ns))
            current = None
        elif listed.weight == 0 and current is None:
            current = _Interval(at, listed.line, 0)
        if current is not None:
            current.listings.append(Listed(at.time_ns, (at.input, listed.line), _held(listed)))
    return [*found, current.close(server, None)] if current is not None else found


def _held(listed: RealServer) -> int | None:
    return (
        listed.active + listed.inactive if listed.active is not None and listed.inactive is not None else None
    )


def find_drains(attempts: Attempts, kernel: KernelFacts) -> tuple[Drain, ...]:
    """Each drained server with the connections that began towards it while it was. Handshake rows are sorted once,
    however many servers there are."""
    drained = list_drained(kernel)
    if not drained or not len(attempts.sightings.rows):
        return tuple(Drain(each, (), NEVER, frozenset()) for each in drained)
    handshakes = _Handshakes(attempts)
    return tuple(_drain(attempts, each, handshakes) for each in drained)


class _Handshakes:
    """SYNs by where they went, SYN-ACKs by whom they came from: rows of `Attempts.sightings`."""

    def __init__(self, attempts: Attempts) -> None:
        rows = attempts.sightings.rows
        self._link = attempts.sightings.link
        self._syns: Ints = np.flatnonzero(attempts.sightings.transmission >= 0)
        self._answers: Ints = np.flatnonzero((rows["tcp_flags"] & (SYN | ACK)) == SYN | ACK)
        self._syns_to = _by_end(rows[self._syns], "destination")
        self._answers_of = _by_end(rows[self._answers], "source")
        self._links: dict[Endpoint, Ints] = {}
        self.row_of_link = {link: row for row, link in enumerate(attempts.table["link"].tolist())}

    def syns_to(self, end: Endpoint) -> Ints:
        return self._syns[self._syns_to.of(end.high, end.low, end.port)]

    def answers_of(self, end: Endpoint) -> Ints:
        return self._answers[self._answers_of.of(end.high, end.low, end.port)]

    def links_to(self, end: Endpoint) -> Ints:
        """Links of the SYNs to it, ascending. Kept: all servers of a service ask for the same."""
        if end not in self._links:
            self._links[end] = np.unique(self._link[self.syns_to(end)])
        return self._links[end]


def _by_end(rows: NDArray[np.void], end: str) -> GroupedRows:
    return GroupedRows(rows[f"{end}_high"], rows[f"{end}_low"], rows[f"{end}_port"])


def _drain(attempts: Attempts, drained: DrainedServer, handshakes: _Handshakes) -> Drain:
    time, link = attempts.sightings.time_ns, attempts.sightings.link
    to_server = handshakes.syns_to(drained.server)
    served = frozenset(link[to_server].tolist())
    # A connection began when its first SYN went to this server: a retry of an older one is none.
    order = to_server[lexsort((time[to_server], link[to_server]))]
    first = order[np.flatnonzero(np.diff(link[order], prepend=-1))]
    until = drained.until_ns if drained.until_ns is not None else np.iinfo(np.int64).max
    first = first[(time[first] > drained.since_ns) & (time[first] < until)]
    first = first[stable_argsort(time[first])]
    came = is_among(link[first], handshakes.links_to(drained.service))
    sent = [
        _sent(attempts, row, int(time[row]), handshakes.row_of_link, bool(by))
        for row, by in zip(first.tolist(), came, strict=True)
    ]
    answers = handshakes.answers_of(drained.server)
    last_answer_ns = int(time[answers].max()) if len(answers) else NEVER
    return Drain(drained, tuple(sent), last_answer_ns, served)


def _sent(
    attempts: Attempts, row: int, time_ns: int, row_of_link: dict[int, int], through: bool
) -> SentConnection:
    packet = attempts.sightings.rows[row]
    link = int(attempts.sightings.link[row])
    return SentConnection(
        link=link,
        row=row_of_link[link],
        client=Endpoint(int(packet["source_high"]), int(packet["source_low"]), int(packet["source_port"])),
        place=attempts.places[int(attempts.sightings.place[row])],
        syn_ns=time_ns,
        frame=int(packet["frame"]),
        through_service=through,
    )
