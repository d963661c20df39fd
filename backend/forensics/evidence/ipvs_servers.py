"""Real servers that IPVS is to send nothing new to, and the connections that it sends them all the same.

A service's scheduler never chooses a real server of weight 0 (net/netfilter/ipvs/ip_vs_rr.c and its siblings) nor one
that was removed; what still arrives there was carried over from an old entry of the connection table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.forensics.addresses import address_halves
from backend.forensics.connections import NEVER
from backend.forensics.dumps import RealServer, VirtualService
from backend.forensics.evidence.attempts import Attempts, Endpoint
from backend.forensics.evidence.counters import DumpInput, KernelFacts
from backend.forensics.evidence.sightings import Place
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
        servers = sorted({(r.address, r.port) for s in snapshots for r in s.service.real_servers})
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
        listed = next((r for r in at.service.real_servers if (r.address, r.port) == server), None)
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
    """Each drained server with the connections that began towards it while it was. Linear in the handshake rows."""
    drained = list_drained(kernel)
    return tuple(_drain(attempts, each) for each in drained)


def _drain(attempts: Attempts, drained: DrainedServer) -> Drain:
    rows = attempts.sightings.rows
    if not len(rows):
        return Drain(drained, (), NEVER, frozenset())
    is_syn = attempts.sightings.transmission >= 0
    time = attempts.sightings.time_ns
    to_server = np.flatnonzero(is_syn & _is(rows, "destination", drained.server))
    link = attempts.sightings.link
    served = frozenset(link[to_server].tolist())
    # A connection began when its first SYN went to this server: a retry of an older one is none.
    order = to_server[np.lexsort((time[to_server], link[to_server]))]
    first = order[np.flatnonzero(np.diff(link[order], prepend=-1))]
    until = drained.until_ns if drained.until_ns is not None else np.iinfo(np.int64).max
    first = first[(time[first] > drained.since_ns) & (time[first] < until)]
    through = np.unique(link[is_syn & _is(rows, "destination", drained.service)])
    answers = _is_answer(rows) & _is(rows, "source", drained.server)
    last_answer_ns = int(time[answers].max()) if answers.any() else NEVER
    if not len(first):
        return Drain(drained, (), last_answer_ns, served)
    first = first[np.argsort(time[first], kind="stable")]
    row_of_link = {link: row for row, link in enumerate(attempts.table["link"].tolist())}
    came = np.isin(link[first], through)
    sent = [
        _sent(attempts, row, int(time[row]), row_of_link, bool(by))
        for row, by in zip(first.tolist(), came, strict=True)
    ]
    return Drain(drained, tuple(sent), last_answer_ns, served)


def _is_answer(rows: NDArray[np.void]) -> NDArray[np.bool_]:
    """SYN-ACKs."""
    answer: NDArray[np.bool_] = (rows["tcp_flags"] & (SYN | ACK)) == SYN | ACK
    return answer


def _is(rows: NDArray[np.void], end: str, which: Endpoint) -> NDArray[np.bool_]:
    same: NDArray[np.bool_] = (rows[f"{end}_low"] == which.low) & (rows[f"{end}_port"] == which.port)
    same &= rows[f"{end}_high"] == which.high
    return same


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
