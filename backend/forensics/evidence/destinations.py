"""Who else was answered: attempts sent again, by destination, beside everything that tells a dead host from a silent
port from a full queue.

A destination is an address and a port *as the vantage point furthest out saw it*: behind a virtual service that is the
real server, which may be the only one that is dead. A SYN that was lost before its translation has the address that the
client asked for, and is compared with all that the client's address stands for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.connections import NEVER
from backend.forensics.evidence.attempts import Attempts, Endpoint, RetriedAttempt
from backend.forensics.evidence.delays import Frame
from backend.forensics.evidence.losses import Loss
from backend.forensics.evidence.sightings import Ints, Place
from backend.forensics.packets import ACK, ICMP, ICMPV6, RST

Words = NDArray[np.uint64]

FRAMES_KEPT = 20
"""Frames that prove a sign of life: a few are enough."""


@dataclass(frozen=True)
class Destination:
    """Attempts sent again towards one endpoint, from sources that were all alike: never answered there (`silent`), or
    answered at other times. Counts are attempts (ISNs), whatever number of vantage points saw them."""

    endpoint: Endpoint
    silent: bool
    attempts: tuple[RetriedAttempt, ...]
    losses: tuple[Loss, ...]
    tried: int
    """All attempts to the endpoint, from every source."""
    opened: int
    """Of these, answered by a SYN-ACK."""
    refused: int
    """Of these, answered by a RST."""
    neighbours_answered: int
    """Attempts to *other* ports of the same host that got a SYN-ACK or a RST."""
    neighbours_delayed: int
    """Of these, sent again."""
    life: tuple[Frame, ...]
    """Frames in which the host itself was heard (other ports, other sources, other protocols)."""
    heard_after: bool
    """The host was heard at or after the first of the lost SYNs."""
    heard_others: int
    """Attempts to other hosts, answered, that the furthest vantage point saw: it does see answers."""

    @property
    def links(self) -> tuple[int, ...]:
        return tuple(sorted(a.link for a in self.attempts))

    @property
    def kinds(self) -> dict[str, int]:
        """Number of losses by kind."""
        counts: dict[str, int] = {}
        for loss in self.losses:
            counts[loss.kind] = counts.get(loss.kind, 0) + 1
        return counts

    @property
    def syns(self) -> int:
        return sum(len(a.transmissions) for a in self.attempts)

    @property
    def outermost(self) -> Place:
        return (
            self.losses[0].transmission.last.place
            if self.losses
            else self.attempts[0].transmissions[0].last.place
        )

    @property
    def one_sided(self) -> bool:
        """No loss could be placed: one vantage point saw everything."""
        return all(loss.kind == "one-sided" for loss in self.losses)

    def frames(self, losses: Iterable[Loss] | None = None) -> list[Frame]:
        """(input, frame) of the lost SYNs, at every vantage point."""
        chosen = self.losses if losses is None else losses
        return [(s.place.input, s.frame) for loss in chosen for s in loss.transmission.sightings]


@dataclass(frozen=True)
class _Rows:
    """Beside the table of attempts: the endpoint as seen furthest out, and what came back."""

    high: Words
    low: Words
    port: Ints
    opened: NDArray[np.bool_]
    refused: NDArray[np.bool_]
    row_of_link: Ints


def list_destinations(
    captures: Iterable[Capture], attempts: Attempts, losses: Iterable[Loss]
) -> tuple[Destination, ...]:
    """All destinations with attempts that were sent again, by address, port and silence."""
    if not attempts.retried:
        return ()
    rows = _outer_rows(attempts)
    by_link: dict[int, list[Loss]] = {}
    for loss in losses:
        by_link.setdefault(loss.attempt.link, []).append(loss)
    asked = _asked(attempts.table, rows)
    answered = _answered_pairs(attempts, (rows, asked))
    groups: dict[tuple[int, int, int, bool], list[RetriedAttempt]] = {}
    for attempt in attempts.retried:
        row = int(rows.row_of_link[attempt.link])
        endpoint = (int(rows.high[row]), int(rows.low[row]), int(rows.port[row]))
        silent = (attempt.client.high, attempt.client.low, *endpoint) not in answered
        groups.setdefault((*endpoint, silent), []).append(attempt)
    life = _life(tuple(captures), attempts, {(high, low) for high, low, _, _ in groups})
    outer, inner = (_Describer(attempts, view, by_link, life) for view in (rows, asked))
    return tuple(
        (inner if _is_untranslated(key, groups[key]) else outer).describe(key, groups[key])
        for key in sorted(groups)
    )


def _is_untranslated(key: tuple[int, int, int, bool], attempts: list[RetriedAttempt]) -> bool:
    return all((a.server.high, a.server.low, a.server.port) == key[:3] for a in attempts)


def _outer_rows(attempts: Attempts) -> _Rows:
    """The last place of each link's path tells the address that was really asked."""
    sightings, table = attempts.sightings, attempts.table
    is_syn = sightings.transmission >= 0
    syns, link = sightings.rows[is_syn], sightings.link[is_syn]
    rank = np.array(attempts.order.rank, np.int64)[sightings.place[is_syn]]
    order = np.lexsort((rank, link))
    last = order[np.flatnonzero(np.append(np.diff(link[order]) != 0, True))]
    row_of_link = np.full(int(sightings.link_of_node.max()) + 1, -1, np.int64)
    row_of_link[table["link"]] = np.arange(len(table))
    place = row_of_link[link[last]]
    high, low = np.zeros(len(table), np.uint64), np.zeros(len(table), np.uint64)
    port = np.zeros(len(table), np.int64)
    high[place], low[place] = syns["destination_high"][last], syns["destination_low"][last]
    port[place] = syns["destination_port"][last]
    opened = table["connect_delay_ns"] != NEVER
    return _Rows(
        high, low, port, opened | table["established"], _refused(attempts, row_of_link) & ~opened, row_of_link
    )


def _refused(attempts: Attempts, row_of_link: Ints) -> NDArray[np.bool_]:
    """RST with ACK answers a SYN (RFC 9293 section 3.10.7.1)."""
    rows, link = attempts.sightings.rows, attempts.sightings.link
    is_reset = ((rows["tcp_flags"] & (RST | ACK)) == RST | ACK) & (link >= 0)
    refused = np.zeros(len(attempts.table), np.bool_)
    found = row_of_link[link[is_reset]]
    refused[found[found >= 0]] = True
    return refused


def _asked(table: NDArray[np.void], rows: _Rows) -> _Rows:
    """The same rows, by the address that the client asked for."""
    return replace(
        rows,
        high=table["server_high"].astype(np.uint64),
        low=table["server_low"].astype(np.uint64),
        port=table["server_port"].astype(np.int64),
    )


def _answered_pairs(attempts: Attempts, views: Iterable[_Rows]) -> set[tuple[int, int, int, int, int]]:
    """(client, endpoint) of which some attempt was answered, in either view; only clients of attempts sent again."""
    table = attempts.table
    clients = np.array(sorted({a.client.low for a in attempts.retried}), np.uint64)
    found: set[tuple[int, int, int, int, int]] = set()
    for rows in views:
        chosen = np.flatnonzero((rows.opened | rows.refused) & np.isin(table["client_low"], clients))
        columns = [
            table["client_high"],
            table["client_low"],
            rows.high,
            rows.low,
            rows.port.astype(np.uint64),
        ]
        pairs = np.unique(np.stack([c[chosen] for c in columns], axis=1), axis=0)
        found.update((p[0], p[1], p[2], p[3], p[4]) for p in pairs.tolist())
    return found


Life = dict[tuple[int, int], list[tuple[int, Frame]]]
"""By host: (last time heard, a frame of it), the latest first."""


def _life(captures: tuple[Capture, ...], attempts: Attempts, hosts: set[tuple[int, int]]) -> Life:
    lows = np.array(sorted({low for _, low in hosts}), np.uint64)
    life: Life = {host: [] for host in hosts}
    for capture in captures:
        table = capture.connections
        for end, count in (("server", "server_packets"), ("client", "client_packets")):
            heard = np.flatnonzero(np.isin(table[f"{end}_low"], lows) & (table[count] > 0))
            _add_latest(life, table[heard], end, capture.name)
    errors = attempts.sightings.rows["protocol"]
    found = np.flatnonzero(
        ((errors == ICMP) | (errors == ICMPV6)) & np.isin(_column(attempts, "source_low"), lows)
    )
    for row in found[:: max(1, len(found) // 1_000)].tolist():
        packet, place = attempts.sightings.rows[row], attempts.places[int(attempts.sightings.place[row])]
        host = (int(packet["source_high"]), int(packet["source_low"]))
        if host in life:
            life[host].append((int(packet["time_ns"]), (place.input, int(packet["frame"]))))
    return {host: sorted(seen, reverse=True)[:FRAMES_KEPT] for host, seen in life.items()}


def _column(attempts: Attempts, name: str) -> NDArray[np.generic]:
    return attempts.sightings.rows[name]


def _add_latest(life: Life, rows: NDArray[np.void], end: str, name: str) -> None:
    """The latest few of each host are enough to prove life, whatever number of connections it has."""
    rows = rows[np.argsort(-rows["last_ns"], kind="stable")]
    keys = [rows[f"{end}_high"], rows[f"{end}_low"]]
    order = np.lexsort((np.arange(len(rows)), *keys))
    new = np.ones(len(rows), np.bool_)
    if len(rows) > 1:
        new[1:] = (keys[0][order][1:] != keys[0][order][:-1]) | (keys[1][order][1:] != keys[1][order][:-1])
    start = np.flatnonzero(new)
    position = np.arange(len(rows)) - np.repeat(start, np.diff(np.append(start, len(rows))))
    for row in rows[order[position < FRAMES_KEPT]]:
        host = (int(row[f"{end}_high"]), int(row[f"{end}_low"]))
        if host in life:
            life[host].append((int(row["last_ns"]), (name, int(row["first_frame"]))))


class _Describer:
    """Counts what surrounds a group. Attempts are sorted by host and port once, so that every count is a difference
    of two sums."""

    def __init__(self, attempts: Attempts, rows: _Rows, losses: dict[int, list[Loss]], life: Life) -> None:
        self._losses, self._life = losses, life
        lows = np.array(sorted({low for _, low in life}), np.uint64)
        near = np.flatnonzero(np.isin(rows.low, lows))
        order = near[np.lexsort((rows.port[near], rows.low[near], rows.high[near]))]
        answered = rows.opened | rows.refused
        again = attempts.table["transmissions"] > 1
        columns = (rows.opened, rows.refused, answered, answered & again)
        self._sums = [np.concatenate([[0], np.cumsum(column[order])]) for column in columns]
        self._ports: dict[tuple[int, int, int], tuple[int, int]] = {}
        self._hosts: dict[tuple[int, int], tuple[int, int]] = {}
        keys = np.stack([rows.high[order], rows.low[order], rows.port[order].astype(np.uint64)], axis=1)
        cuts = (
            np.flatnonzero(np.any(keys[1:] != keys[:-1], axis=1)) + 1 if len(keys) else np.zeros(0, np.int64)
        )
        starts, ends = [0, *cuts.tolist()], [*cuts.tolist(), len(keys)]
        for start, end in zip(starts, ends, strict=True) if len(keys) else ():
            high, low, port = (int(value) for value in keys[start])
            self._ports[high, low, port] = (start, end)
            self._hosts[high, low] = (self._hosts.get((high, low), (start, end))[0], end)
        self._answered_total = int(np.count_nonzero(answered))

    def _count(self, column: int, span: tuple[int, int]) -> int:
        return int(self._sums[column][span[1]] - self._sums[column][span[0]])

    def describe(self, key: tuple[int, int, int, bool], attempts: list[RetriedAttempt]) -> Destination:
        high, low, port, silent = key
        span, host = self._ports.get((high, low, port), (0, 0)), self._hosts.get((high, low), (0, 0))
        first_ns = min(a.start_ns for a in attempts)
        life = self._life.get((high, low), [])
        return Destination(
            endpoint=Endpoint(high, low, port),
            silent=silent,
            attempts=tuple(attempts),
            losses=tuple(loss for a in attempts for loss in self._losses.get(a.link, [])),
            tried=span[1] - span[0],
            opened=self._count(_OPENED, span),
            refused=self._count(_REFUSED, span),
            neighbours_answered=self._count(_ANSWERED, host) - self._count(_ANSWERED, span),
            neighbours_delayed=self._count(_DELAYED, host) - self._count(_DELAYED, span),
            life=tuple(frame for _, frame in life[:FRAMES_KEPT]),
            heard_after=any(time >= first_ns for time, _ in life),
            heard_others=self._answered_total - self._count(_ANSWERED, host),
        )


_OPENED, _REFUSED, _ANSWERED, _DELAYED = range(4)
