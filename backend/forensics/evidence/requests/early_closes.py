"""Requests that crossed the FIN of their server, and were reset.

The RST that answers a segment with ACK has the segment's acknowledgement as its sequence number (RFC 9293 section
3.10.7.1). Where that is the first number after all data of the server, which sent a FIN behind them, its sender had not
got the FIN when it sent: the two crossed. A client that had got it acknowledges one more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from backend.forensics.captures import Capture
from backend.forensics.connections import CONNECTION_DTYPE, NEVER
from backend.forensics.evidence.attempts.attempts import Attempts, Endpoint
from backend.forensics.evidence.attempts.delays import Frame
from backend.forensics.evidence.clocks.matched_packets import mix
from backend.forensics.evidence.clocks.sightings import Ints, join_rows
from backend.forensics.evidence.clocks.sorted_rows import lexsort
from backend.forensics.evidence.requests.exchanges import Exchanges
from backend.forensics.packets import ACK, RST, SYN, TCP

SERVER_BIT = 2


@dataclass(frozen=True)
class EarlyCloses:
    """Of one server (address and port as the client named it). `quiet_s`: from the last answer of each connection to
    the RST, where answers could be read; `late`: resets of clients that had got the FIN before they sent."""

    server: Endpoint
    crossed: int
    late: int
    quiet_s: tuple[float, ...]
    frames: tuple[Frame, ...]
    """The RSTs of those that crossed."""


def find_early_closes(
    captures: Sequence[Capture], attempts: Attempts, exchanges: Exchanges
) -> list[EarlyCloses]:
    """By server, the most first; each logical connection once."""
    table = join_rows([c.connections for c in captures], CONNECTION_DTYPE)
    if not len(table):
        return []
    closed = (table["protocol"] == TCP) & ((table["fins"] & SERVER_BIT) != 0) & (table["syn_ack_ns"] != NEVER)
    closed &= (
        ((table["resets"] & SERVER_BIT) != 0) & (table["server_bytes"] > 0) & (table["client_bytes"] > 0)
    )
    if not closed.any():
        return []
    node, row = _first_resets(attempts, closed)
    seen = attempts.sightings
    fin = (_isn_of_server(attempts, node) + 1 + table["server_bytes"][node].astype(np.int64)) % 2**32
    number = seen.rows["sequence"][row].astype(np.int64)
    crossed, late = number == fin, number == (fin + 1) % 2**32
    known = np.flatnonzero(crossed | late)
    link = seen.link_of_node[node[known]]
    # Of several vantage points the first: translation changes addresses, the numbers stay.
    known = known[np.unique(link, return_index=True)[1]]
    last_ns = _last_answers(seen.link_of_node, exchanges)
    key = mix(*(table[f"server_{part}"][node[known]] for part in ("high", "low", "port")))
    found = []
    for value in np.unique(key[crossed[known]]).tolist():
        mine = known[key == value]
        own = mine[crossed[mine]]
        first = table[node[own[0]]]
        server = Endpoint(*(int(first[f"server_{part}"]) for part in ("high", "low", "port")))
        ended = last_ns[seen.link_of_node[node[own]]]
        quiet = (seen.time_ns[row[own]] - ended)[ended != NEVER]
        frames = tuple(
            (seen.places[int(seen.place[n])].input, int(seen.rows["frame"][n])) for n in row[own].tolist()
        )
        found.append(
            EarlyCloses(server, len(own), int(late[mine].sum()), tuple((quiet / 1e9).tolist()), frames)
        )
    return sorted(found, key=lambda each: (-each.crossed, str(each.server)))


def _first_resets(attempts: Attempts, closed: np.ndarray) -> tuple[Ints, Ints]:
    """(node, row of sightings) of the first RST of these connections' servers, by node."""
    seen = attempts.sightings
    reset = np.flatnonzero(((seen.rows["tcp_flags"] & (SYN | RST)) == RST) & (seen.node >= 0))
    reset = reset[closed[seen.node[reset]]]
    table_of = seen.node[reset]
    order = lexsort((seen.time_ns[reset], table_of))
    reset, table_of = reset[order], table_of[order]
    first = np.unique(table_of, return_index=True)[1]
    return table_of[first], reset[first]


def _isn_of_server(attempts: Attempts, node: Ints) -> Ints:
    """The sequence number of each connection's SYN-ACK."""
    seen = attempts.sightings
    rows = np.flatnonzero(((seen.rows["tcp_flags"] & (SYN | ACK)) == (SYN | ACK)) & (seen.node >= 0))
    isn = np.zeros(int(seen.node.max(initial=0)) + 1, np.int64)
    isn[seen.node[rows]] = seen.rows["sequence"][rows]
    of: Ints = isn[node]
    return of


def _last_answers(link_of_node: Ints, exchanges: Exchanges) -> Ints:
    """By logical connection: the end of its last answer, NEVER without one."""
    last_ns = np.full(int(link_of_node.max(initial=-1)) + 1, NEVER, np.int64)
    answered = (exchanges.end_ns != NEVER) & (exchanges.connection >= 0)
    answered &= exchanges.connection < len(last_ns)
    np.maximum.at(last_ns, exchanges.connection[answered], exchanges.end_ns[answered])
    return last_ns
