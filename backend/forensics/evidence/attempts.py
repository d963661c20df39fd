"""Connection attempts: one ISN of one client, its transmissions, what became of it.

Everything that grows with the capture is done on arrays; only attempts whose SYN was sent again become
objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from backend.forensics.addresses import endpoint_text
from backend.forensics.captures import Capture
from backend.forensics.connections import CONNECTION_DTYPE, NEVER
from backend.forensics.evidence.clocks import Clocks
from backend.forensics.evidence.path_order import PathOrder, order_places
from backend.forensics.evidence.sightings import Ints, Place, Sightings, join_rows, join_sightings
from backend.forensics.packets import ACK, ICMP, ICMPV6, RST, SYN

Outcome = str
"""``established``, ``refused`` (RST), ``unreachable`` (ICMP) or ``unanswered``."""


@dataclass(frozen=True)
class Endpoint:
    """An address and a port, as the packet table holds them."""

    high: int
    low: int
    port: int

    def __str__(self) -> str:
        return endpoint_text(self.high, self.low, self.port)


@dataclass(frozen=True)
class Sighting:
    """One packet at one vantage point. `time_ns` is on the reference clock."""

    place: Place
    time_ns: int
    frame: int
    source: Endpoint
    destination: Endpoint
    ip_id: int
    timestamp_value: int
    network: int = 0
    """`Tunnel.network` of the packet there."""


@dataclass(frozen=True)
class Transmission:
    """One SYN put on the wire, at every vantage point that saw it, in path order."""

    sightings: tuple[Sighting, ...]

    @property
    def time_ns(self) -> int:
        return min(s.time_ns for s in self.sightings)

    @property
    def first(self) -> Sighting:
        return self.sightings[0]

    @property
    def last(self) -> Sighting:
        return self.sightings[-1]


@dataclass(frozen=True)
class RetriedAttempt:
    """An attempt whose SYN was sent more than once."""

    link: int
    transmissions: tuple[Transmission, ...]
    answers: tuple[Sighting, ...]
    """SYN-ACKs at every vantage point, by time."""
    replies: tuple[Sighting, ...]
    """Bare ACKs and RSTs from the server before the connection opened, by time."""
    outcome: Outcome
    connect_delay_s: float | None
    """Time of the SYN-ACK that was accepted minus the first SYN, None without one."""

    @property
    def client(self) -> Endpoint:
        return self.transmissions[0].first.source

    @property
    def server(self) -> Endpoint:
        return self.transmissions[0].first.destination

    @property
    def route(self) -> tuple[int, int, int, int, int]:
        """(client address, server address, server port): SYNs with one route pass the same vantage points."""
        return self.client.high, self.client.low, self.server.high, self.server.low, self.server.port

    @property
    def start_ns(self) -> int:
        return self.transmissions[0].time_ns


ATTEMPT_DTYPE = np.dtype(
    [
        ("link", "<i8"),
        ("client_high", "<u8"),
        ("client_low", "<u8"),
        ("client_port", "<u2"),
        ("server_high", "<u8"),
        ("server_low", "<u8"),
        ("server_port", "<u2"),
        ("place", "<i8"),
        ("start_ns", "<i8"),
        ("frame", "<i8"),
        ("transmissions", "<i8"),
        ("connect_delay_ns", "<i8"),
        ("established", "?"),
        ("rewritten_source_port", "?"),
        ("rewritten_source", "?"),
        ("rewritten_destination", "?"),
    ]
)
"""One row per attempt, as its innermost vantage point saw it; `connect_delay_ns` is NEVER without a
SYN-ACK."""


@dataclass(frozen=True)
class Attempts:
    """All attempts (`table`, ATTEMPT_DTYPE, by start), and those sent again as objects."""

    table: NDArray[np.void]
    retried: tuple[RetriedAttempt, ...]
    sightings: Sightings
    order: PathOrder
    expected: dict[tuple[int, int, int, int, int], frozenset[int]]
    """Places that see SYNs of (client address, server address, server port)."""
    translated: frozenset[tuple[int, int, int, int, int]]
    """Those of the same keys for which some SYN changed its address or port on the way."""

    @property
    def clocks(self) -> Clocks:
        """How the captures' clocks compare, and times on their common clock."""
        return self.sightings.clocks

    @property
    def places(self) -> tuple[Place, ...]:
        return self.sightings.places

    def expected_places(self, attempt: RetriedAttempt) -> list[Place]:
        """Vantage points that this client's SYNs to this server pass, in path order: those whose clock can be compared
        with that of the attempt."""
        numbers = sorted(self.expected.get(attempt.route, frozenset()), key=lambda n: (self.order.rank[n], n))
        group = self.clocks.group
        own = group[attempt.transmissions[0].first.place.capture]
        return [self.places[n] for n in numbers if group[self.places[n].capture] == own]


def collect_attempts(captures: Sequence[Capture]) -> Attempts:
    """Join the captures and list their connection attempts."""
    sightings = join_sightings(captures)
    order = order_places(sightings)
    time = sightings.time_ns
    table = _attempt_table(captures, sightings, order, time)
    retried = _retried(table, sightings, order, time)
    return Attempts(
        table, retried, sightings, order, _expected(table, sightings, retried), _translated(table)
    )


def _attempt_table(
    captures: Sequence[Capture], sightings: Sightings, order: PathOrder, time: Ints
) -> NDArray[np.void]:
    is_syn = sightings.transmission >= 0
    rows, place, link = sightings.rows[is_syn], sightings.place[is_syn], sightings.link[is_syn]
    if not len(rows):
        return np.zeros(0, ATTEMPT_DTYPE)
    rank = np.array(order.rank, np.int64)[place]
    index = np.lexsort((rank, time[is_syn], link))
    starts = np.flatnonzero(np.diff(link[index], prepend=-1))
    first = index[starts]
    table = np.zeros(len(first), ATTEMPT_DTYPE)
    table["link"], table["place"], table["start_ns"] = link[first], place[first], time[is_syn][first]
    table["frame"] = rows["frame"][first]
    for end, column in (("client", "source"), ("server", "destination")):
        for part in ("high", "low", "port"):
            table[f"{end}_{part}"] = rows[f"{column}_{part}"][first]
    # Every transmission belongs to one link: one row of each is enough to count them.
    one_each = np.unique(sightings.transmission[is_syn], return_index=True)[1]
    table["transmissions"] = np.bincount(link[one_each])[table["link"]]
    if len(starts) < len(rows):
        _mark_rewrites(table, rows[index], starts)
    _fill_outcome(table, captures, sightings)
    return table[np.argsort(table["start_ns"], kind="stable")]


def _mark_rewrites(table: NDArray[np.void], rows: NDArray[np.void], starts: Ints) -> None:
    """Compare each row with the first of its link: another source port or destination means NAT."""
    of_link = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(rows))))
    port = rows["source_port"] != rows["source_port"][starts][of_link]
    target = (rows["destination_low"] != rows["destination_low"][starts][of_link]) | (
        rows["destination_port"] != rows["destination_port"][starts][of_link]
    )
    source = port | (rows["source_low"] != rows["source_low"][starts][of_link])
    table["rewritten_source_port"] = np.maximum.reduceat(port, starts)
    table["rewritten_source"] = np.maximum.reduceat(source, starts)
    table["rewritten_destination"] = np.maximum.reduceat(target, starts)


def _fill_outcome(table: NDArray[np.void], captures: Sequence[Capture], sightings: Sightings) -> None:
    """Connect delay of the innermost node; established when any vantage point saw the handshake end."""
    connections = join_rows([c.connections for c in captures], CONNECTION_DTYPE)
    opened = np.zeros(int(sightings.link_of_node.max()) + 1, np.bool_)
    is_open = (connections["established_ns"] != NEVER) | (
        (connections["syn_ack_ns"] != NEVER) & (connections["client_bytes"] > 0)
    )
    opened[sightings.link_of_node[is_open]] = True
    table["established"] = opened[table["link"]]
    answered = connections["syn_ack_ns"] != NEVER
    delay = np.full(len(opened), NEVER, np.int64)
    # Of several vantage points the innermost saw the SYN first: its own clock times both ends.
    started = _syn_times(captures, sightings.clocks)
    candidates = np.flatnonzero(answered & (connections["syn_ns"] != NEVER))
    candidates = candidates[np.argsort(-started[candidates], kind="stable")]
    delay[sightings.link_of_node[candidates]] = (
        connections["syn_ack_ns"][candidates] - connections["syn_ns"][candidates]
    )
    table["connect_delay_ns"] = delay[table["link"]]


def _syn_times(captures: Sequence[Capture], clocks: Clocks) -> Ints:
    """`syn_ns` of all connection tables on the common clock; senseless where it is NEVER."""
    own = [c.connections["syn_ns"].astype(np.int64) for c in captures]
    parts = [clocks.on_reference(number, times) for number, times in enumerate(own)]
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def _expected(
    table: NDArray[np.void], sightings: Sightings, retried: tuple[RetriedAttempt, ...]
) -> dict[tuple[int, int, int, int, int], frozenset[int]]:
    """Only for the servers of retried attempts: nobody asks for others, and captures hold many."""
    if not retried:
        return {}
    is_syn = sightings.transmission >= 0
    row_of_link = np.full(int(sightings.link_of_node.max()) + 1, -1, np.int64)
    row_of_link[table["link"]] = np.arange(len(table))
    of, place = row_of_link[sightings.link[is_syn]], sightings.place[is_syn]
    servers = np.array(sorted({a.server.low for a in retried}), np.uint64)
    wanted = np.isin(table["server_low"][of], servers)
    of, place = of[wanted], place[wanted]
    names = ("client_high", "client_low", "server_high", "server_low", "server_port")
    key = np.stack([*(table[n][of].astype(np.uint64) for n in names), place.astype(np.uint64)], axis=1)
    expected: dict[tuple[int, int, int, int, int], set[int]] = {}
    for *pair, number in np.unique(key, axis=0).tolist():
        expected.setdefault((pair[0], pair[1], pair[2], pair[3], pair[4]), set()).add(number)
    return {pair: frozenset(places) for pair, places in expected.items()}


def _translated(table: NDArray[np.void]) -> frozenset[tuple[int, int, int, int, int]]:
    chosen = table[table["rewritten_source"] | table["rewritten_destination"]]
    names = ("client_high", "client_low", "server_high", "server_low", "server_port")
    return frozenset(tuple(row) for row in np.unique(chosen[list(names)]).tolist())


def _retried(
    table: NDArray[np.void], sightings: Sightings, order: PathOrder, time: Ints
) -> tuple[RetriedAttempt, ...]:
    again = table[table["transmissions"] > 1]
    if not len(again):
        return ()
    unreachable = _quoted_by_icmp(sightings.rows)
    wanted = np.isin(sightings.link, again["link"])
    by_link: dict[int, list[int]] = {}
    for row, link in zip(np.flatnonzero(wanted).tolist(), sightings.link[wanted].tolist(), strict=True):
        by_link.setdefault(link, []).append(row)
    built = (_build_attempt(entry, by_link[int(entry["link"])], sightings, order, time) for entry in again)
    isns = [int(sightings.rows["sequence"][_first_syn(by_link[int(e["link"])], sightings)]) for e in again]
    return tuple(_with_icmp(attempt, isn, unreachable) for attempt, isn in zip(built, isns, strict=True))


def _first_syn(rows: list[int], sightings: Sightings) -> int:
    return next(row for row in rows if sightings.transmission[row] >= 0)


def _quoted_by_icmp(rows: NDArray[np.void]) -> frozenset[tuple[int, int, int]]:
    """(sequence, source port, destination port) of packets quoted by "unreachable" errors (RFC 792, RFC 4443)."""
    errors = ((rows["protocol"] == ICMP) & (rows["icmp_type"] == 3)) | (
        (rows["protocol"] == ICMPV6) & (rows["icmp_type"] == 1)
    )
    quoted = rows[errors]
    return frozenset((int(q["sequence"]), int(q["source_port"]), int(q["destination_port"])) for q in quoted)


def _with_icmp(
    attempt: RetriedAttempt, isn: int, unreachable: frozenset[tuple[int, int, int]]
) -> RetriedAttempt:
    """The attempt, `unreachable` when an ICMP error quotes one of its SYNs and nothing else answered."""
    sent = {(isn, s.source.port, s.destination.port) for t in attempt.transmissions for s in t.sightings}
    if attempt.outcome == "unanswered" and sent & unreachable:
        return replace(attempt, outcome="unreachable")
    return attempt


def _sighting(row: int, sightings: Sightings, time: Ints) -> Sighting:
    packet = sightings.rows[row]
    source = Endpoint(int(packet["source_high"]), int(packet["source_low"]), int(packet["source_port"]))
    destination = Endpoint(
        int(packet["destination_high"]), int(packet["destination_low"]), int(packet["destination_port"])
    )
    place = sightings.places[int(sightings.place[row])]
    return Sighting(
        place,
        int(time[row]),
        int(packet["frame"]),
        source,
        destination,
        int(packet["ip_id"]),
        int(packet["timestamp_value"]),
        int(sightings.network[row]),
    )


def _build_attempt(
    entry: np.void, rows: list[int], sightings: Sightings, order: PathOrder, time: Ints
) -> RetriedAttempt:
    transmissions: dict[int, list[int]] = {}
    answers, replies = [], []
    for row in sorted(rows, key=lambda r: (int(time[r]), order.rank[int(sightings.place[r])])):
        flags = int(sightings.rows["tcp_flags"][row])
        if sightings.transmission[row] >= 0:
            transmissions.setdefault(int(sightings.transmission[row]), []).append(row)
        elif flags & (SYN | ACK) == SYN | ACK:
            answers.append(_sighting(row, sightings, time))
        elif int(sightings.rows["protocol"][row]) not in (ICMP, ICMPV6):
            replies.append((row, flags))
    sent = [
        Transmission(tuple(_sighting(r, sightings, time) for r in group)) for group in transmissions.values()
    ]
    sent.sort(key=lambda t: t.time_ns)
    ports = {(s.source.port, s.destination.port) for t in sent for s in t.sightings}
    from_server = [
        (_sighting(row, sightings, time), flags)
        for row, flags in replies
        if (int(sightings.rows["destination_port"][row]), int(sightings.rows["source_port"][row])) in ports
    ]
    return RetriedAttempt(
        int(entry["link"]),
        tuple(sent),
        tuple(answers),
        tuple(s for s, _ in from_server),
        _outcome(bool(entry["established"]), answers, [flags for _, flags in from_server]),
        _connect_delay_s(sent, answers) if bool(entry["established"]) or answers else None,
    )


def _outcome(established: bool, answers: list[Sighting], flags: list[int]) -> Outcome:
    if established or answers:
        return "established" if established else "unanswered"
    return "refused" if any(f & RST for f in flags) else "unanswered"


def _connect_delay_s(sent: list[Transmission], answers: list[Sighting]) -> float | None:
    """From the first SYN to the SYN-ACK that was accepted, at the vantage point that saw the SYN first.

    A client that sends its SYN again has not received the answers before: the first one after its last SYN
    counts, or, where the retry only crossed a slow answer, the last before it."""
    at_same = [a for a in answers if a.place.number == sent[0].first.place.number] or answers
    if not at_same:
        return None
    accepted = next((a for a in at_same if a.time_ns > sent[-1].time_ns), at_same[-1])
    return (accepted.time_ns - sent[0].time_ns) / 1e9
