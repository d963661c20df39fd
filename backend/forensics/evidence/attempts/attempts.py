"""Connection attempts: one ISN of one client, its transmissions, what became of it.

Everything that grows with the capture is done on arrays; `retried.py` makes objects of what somebody looks at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from backend.forensics.addresses import address_text
from backend.forensics.captures import Capture
from backend.forensics.connections import CONNECTION_DTYPE, NEVER
from backend.forensics.evidence.attempts.one_way import opened_unseen, to_itself, unheard_hosts
from backend.forensics.evidence.attempts.retried import (
    Endpoint,
    Outcome,
    Retried,
    RetriedAttempt,
    Sighting,
    Transmission,
)
from backend.forensics.evidence.attempts.retry_join import find_retried
from backend.forensics.evidence.attempts.routes import Routes, list_routes
from backend.forensics.evidence.attempts.sent_syns import Bools
from backend.forensics.evidence.clocks.clocks import Clocks
from backend.forensics.evidence.clocks.grouped_rows import GroupedRows
from backend.forensics.evidence.clocks.matched_packets import mix
from backend.forensics.evidence.clocks.path_order import PathOrder, order_places
from backend.forensics.evidence.clocks.sightings import Ints, Place, Sightings, join_rows, join_sightings
from backend.forensics.evidence.clocks.sorted_rows import (
    ascends,
    first_rows,
    stable_argsort,
    stable_order,
    taken,
    taken_records,
)

__all__ = [
    "ATTEMPT_DTYPE",
    "Attempts",
    "Endpoint",
    "Outcome",
    "RetriedAttempt",
    "Sighting",
    "Transmission",
    "collect_attempts",
]

_PARTS = ("high", "low", "port")
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
        ("acknowledged_delay_ns", "<i8"),
        ("established", "?"),
        ("rewritten_source_port", "?"),
        ("rewritten_source", "?"),
        ("rewritten_destination", "?"),
    ]
)
"""One row per attempt, as its innermost vantage point saw it: ns from its first SYN to the first SYN-ACK
(`connect_delay_ns`) and to the client's first ACK behind one (`acknowledged_delay_ns`), NEVER without."""


@dataclass(frozen=True)
class Attempts:
    """All attempts (`table`, ATTEMPT_DTYPE, by start), and those with SYN retransmissions."""

    table: NDArray[np.void]
    retried: Retried
    sightings: Sightings
    order: PathOrder
    routes: Routes
    """Of the attempts with SYN retransmissions."""

    @property
    def clocks(self) -> Clocks:
        """How the captures' clocks compare, and times on their common clock."""
        return self.sightings.clocks

    @property
    def places(self) -> tuple[Place, ...]:
        return self.sightings.places

    @property
    def translated(self) -> bool:
        """Some SYN changed its address or port in transit."""
        return bool(np.any(self.table["rewritten_source"] | self.table["rewritten_destination"]))

    def rows_to(self, server: Endpoint) -> Ints:
        """Rows of `table` towards that server, as the client named it, in order."""
        return self._by_server.of(*server.words)

    def retried_to(self, server: Endpoint) -> Ints:
        """Positions in `retried` of those that were sent again, in order."""
        return self._retried_by_server.of(*server.words)

    def syns_at(self, place: Place, destination: Endpoint) -> Ints:
        """Rows of `sightings` that are SYNs to that address and port as this vantage point saw it, in order."""
        rows, by_destination = self._syns_by_destination
        return rows[by_destination.of(place.number, *destination.words)]

    @cached_property
    def _by_server(self) -> GroupedRows:
        return GroupedRows(*(np.ascontiguousarray(self.table[f"server_{part}"]) for part in _PARTS))

    @cached_property
    def _retried_by_server(self) -> GroupedRows:
        return GroupedRows(*(taken(self.table[f"server_{part}"], self.retried.row) for part in _PARTS))

    @cached_property
    def _syns_by_destination(self) -> tuple[Ints, GroupedRows]:
        seen = self.sightings
        rows = np.flatnonzero(seen.transmission >= 0)
        to = (seen.rows[f"destination_{part}"][rows] for part in _PARTS)
        return rows, GroupedRows(seen.place[rows], *to)

    def retried_links_to(self, target: str) -> Ints:
        """Links of those that were sent again to this address and port; none where the text is something else."""
        try:
            server = Endpoint.of(target)
        except ValueError:
            return np.zeros(0, np.int64)
        named = server if str(server) == target else None  # the end of a bare IPv6 address is no port
        return self.retried.link[self.retried_to(named)] if named else np.zeros(0, np.int64)

    def was_retried(self, links: Ints) -> Bools:
        """Which of these connections began with a SYN that was sent again."""
        again: Bools = self.retried.position_of_link[links] >= 0
        return again

    def most_asked(self, links: Ints) -> str:
        """The address that most of these named, of those that were sent again; "" for none."""
        positions = self.retried.position_of_link[links]
        named = self.table[self.retried.row[positions[positions >= 0]]]
        if not len(named):
            return ""
        high, low = named["server_high"], named["server_low"]
        _, first, count = np.unique(mix(high, low), return_index=True, return_counts=True)
        most = first[count == count.max()]
        return min(map(address_text, high[most].tolist(), low[most].tolist()))

    def expected_places(self, attempt: RetriedAttempt) -> list[Place]:
        """Vantage points that this client's SYNs to this server pass, in path order: those whose clock can be compared
        with that of the attempt."""
        seen = np.flatnonzero(self.routes.seen[self.routes.of_attempt[attempt.position]]).tolist()
        numbers = sorted(seen, key=lambda n: (self.order.rank[n], n))
        group = self.clocks.group
        first = int(self.sightings.place[self.retried.first_row[attempt.position]])
        own = group[self.places[first].capture]
        return [self.places[n] for n in numbers if group[self.places[n].capture] == own]


def collect_attempts(captures: Sequence[Capture]) -> Attempts:
    """Join the captures and list their connection attempts."""
    sightings = join_sightings(captures)
    order = order_places(sightings)
    table = _attempt_table(captures, sightings, order, sightings.time_ns)
    # Whether these waited cannot be seen, so their repeats count as none.
    table["transmissions"][_answered_elsewhere(captures, table)] = 1
    retried = find_retried(table, sightings, order)
    return Attempts(table, retried, sightings, order, list_routes(table, sightings, retried))


def _answered_elsewhere(captures: Sequence[Capture], table: NDArray[np.void]) -> NDArray[np.bool_]:
    """Attempts of a host to reach itself where none of its answers was seen: they are not absent, but elsewhere."""
    own = to_itself(table, "client", "server")
    if not own.any():
        return own
    server = mix(table["server_high"], table["server_low"])
    return own & np.isin(server, unheard_hosts(captures))


def _attempt_table(
    captures: Sequence[Capture], sightings: Sightings, order: PathOrder, time: Ints
) -> NDArray[np.void]:
    syn = np.flatnonzero(sightings.transmission >= 0)
    if not len(syn):
        return np.zeros(0, ATTEMPT_DTYPE)
    rows, place, link = sightings.rows, sightings.place[syn], sightings.link[syn]
    rank = np.array(order.rank, np.int64)[place]
    index = stable_order(link, (time[syn], rank))
    starts = np.flatnonzero(np.diff(link[index], prepend=-1))
    first = index[starts]
    table = np.zeros(len(first), ATTEMPT_DTYPE)
    table["link"], table["place"], table["start_ns"] = link[first], place[first], time[syn[first]]
    table["frame"] = taken(rows["frame"], syn[first])
    for end, column in (("client", "source"), ("server", "destination")):
        for part in _PARTS:
            table[f"{end}_{part}"] = taken(rows[f"{column}_{part}"], syn[first])
    # Every transmission belongs to one link: one row of each is enough to count them.
    one_each = first_rows(sightings.transmission[syn])
    table["transmissions"] = np.bincount(link[one_each])[table["link"]]
    if len(starts) < len(syn):
        _mark_rewrites(table, rows, syn[index], starts)
    _fill_outcome(table, captures, sightings)
    start_ns = np.ascontiguousarray(table["start_ns"])
    return table if ascends(start_ns) else taken_records(table, stable_argsort(start_ns))


def _mark_rewrites(table: NDArray[np.void], rows: NDArray[np.void], syn: Ints, starts: Ints) -> None:
    """Compare each of these rows with the first of its link: another source port or destination means NAT."""
    first = np.repeat(starts, np.diff(np.append(starts, len(syn))))

    def differs(name: str) -> Bools:
        column = taken(rows[name], syn)
        other: Bools = column != column[first]
        return other

    port = differs("source_port")
    target = differs("destination_low") | differs("destination_port")
    source = port | differs("source_low")
    table["rewritten_source_port"] = np.maximum.reduceat(port, starts)
    table["rewritten_source"] = np.maximum.reduceat(source, starts)
    table["rewritten_destination"] = np.maximum.reduceat(target, starts)


def _fill_outcome(table: NDArray[np.void], captures: Sequence[Capture], sightings: Sightings) -> None:
    """Connect delay of the innermost node; established when any vantage point saw the handshake end."""
    connections = join_rows([c.connections for c in captures], CONNECTION_DTYPE)
    opened = np.zeros(int(sightings.link_of_node.max()) + 1, np.bool_)
    answered, link_of_node = connections["syn_ack_ns"] != NEVER, sightings.link_of_node
    # With two uplinks the SYN-ACK may come in by one and the client's data leave by the other.
    has_answer = np.zeros(len(opened), np.bool_)
    has_answer[link_of_node[answered]] = True
    is_open = (connections["established_ns"] != NEVER) | (
        has_answer[link_of_node] & (connections["client_bytes"] > 0)
    )
    called_ns = _called_back_ns(sightings, len(connections))
    # Its client's packet after the other end's SYN: both ends have opened.
    is_open |= (connections["syn_ack_ns"] == NEVER) & (called_ns != NEVER) & (connections["client_bytes"] > 0)
    is_open |= opened_unseen(connections)
    opened[link_of_node[is_open]] = True
    table["established"] = opened[table["link"]]
    answered_ns = np.where(answered, connections["syn_ack_ns"], called_ns)
    # Of several vantage points the innermost saw the SYN first: its own clock times both ends.
    innermost_last = stable_argsort(-_syn_times(captures, sightings.clocks))
    ends = {"connect_delay_ns": answered_ns, "acknowledged_delay_ns": connections["established_ns"]}
    for column, until_ns in ends.items():
        delay = np.full(len(opened), NEVER, np.int64)
        known = (until_ns != NEVER) & (connections["syn_ns"] != NEVER)
        chosen = innermost_last[known[innermost_last]]
        delay[link_of_node[chosen]] = until_ns[chosen] - connections["syn_ns"][chosen]
        table[column] = delay[table["link"]]


def _called_back_ns(sightings: Sightings, nodes_total: int) -> Ints:
    """By node: when the end that was called sent a SYN of its own, on the clock of the capture; NEVER without."""
    first_ns = np.full(nodes_total, np.iinfo(np.int64).max)
    peer = np.flatnonzero(sightings.peer)
    np.minimum.at(first_ns, sightings.node[peer], sightings.rows["time_ns"][peer].astype(np.int64))
    return np.where(first_ns == np.iinfo(np.int64).max, NEVER, first_ns)


def _syn_times(captures: Sequence[Capture], clocks: Clocks) -> Ints:
    """`syn_ns` of all connection tables on the common clock; senseless where it is NEVER."""
    own = [c.connections["syn_ns"].astype(np.int64) for c in captures]
    parts = [clocks.on_reference(number, times) for number, times in enumerate(own)]
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)
