"""What came for a question without a decoded answer: an answer that cannot be decoded, or an ICMP error.

An answer that the snap length cut, that is not well-formed, or whose pieces over TCP nobody could join is an answer all
the same; an ICMP error says who turned the query away. Neither query was lost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.connections import NEVER
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.clocks.sorted_rows import following
from backend.forensics.evidence.dns.exchanges import Exchanges
from backend.forensics.evidence.dns.messages import DnsMessages
from backend.forensics.packets import NO_CONNECTION, TCP, UDP

NOTHING, UNDECODED, PORT_UNREACHABLE, UNREACHABLE = range(4)
OtherReplies = NDArray[np.int8]

_ERROR_WITHIN_NS: Final = 10_000_000_000
"""A router that waits for a neighbor's answer says so after its probes (3 s on Linux, RFC 1122 section 2.3.2.1)."""
_PORT_CODES: Final = {4: (3, 3), 6: (1, 4)}
"""(type, code) of "port unreachable" by IP version (RFC 792, RFC 4443 section 3.1)."""
_UNREACHABLE_TYPES: Final = {4: (3, 11), 6: (1, 3)}
_FRAGMENTATION_NEEDED: Final = 4
_READ = (
    "time_ns", "connection", "vantage", "ip_version", "type", "code", "quoted_protocol", "quoted_source_port",
    "quoted_destination_port",
)  # fmt: skip


def find_other_replies(
    captures: Sequence[Capture], messages: DnsMessages, exchanges: Exchanges
) -> OtherReplies:
    """Beside `exchanges.rows`."""
    rows = exchanges.rows
    found = np.zeros(len(rows), np.int8)
    silent = np.flatnonzero(rows["answer_ns"] == NEVER)
    if not len(silent):
        return found
    found[silent[_undecoded(captures, messages)[rows["node"][silent]]]] = UNDECODED
    node, time_ns, kind = _errors(captures, messages, exchanges)
    asked = rows[silent]
    at = following((asked["node"].astype(np.int64), asked["start_ns"].astype(np.int64)), (node, time_ns))
    reported = np.flatnonzero(at >= 0)
    reported = reported[time_ns[at[reported]] - asked["last_sent_ns"][reported] <= _ERROR_WITHIN_NS]
    found[silent[reported]] = kind[at[reported]]
    return found


def _undecoded(captures: Sequence[Capture], messages: DnsMessages) -> NDArray[np.bool_]:
    """By row of all connection tables: the side that is asked sent more than the answers that were decoded."""
    parts = [capture.connections for capture in captures]
    if not parts:
        return np.zeros(0, np.bool_)

    def column(name: str) -> NDArray[np.int64]:
        return np.concatenate([part[name] for part in parts]).astype(np.int64)

    protocol, sockets = column("protocol"), messages.sockets
    asks = sockets.client_port == column("client_port")
    replies = np.where(asks, column("server_packets"), column("client_packets"))
    both = (column("client_bytes") > 0) & (column("server_bytes") > 0)
    more = replies > messages.decoded_answers
    found: NDArray[np.bool_] = ((protocol == TCP) & both) | ((protocol == UDP) & more)
    return found


def _errors(
    captures: Sequence[Capture], messages: DnsMessages, exchanges: Exchanges
) -> tuple[Ints, Ints, Ints]:
    """(node, time on the clock of the questions, kind) of the errors that quote a query."""
    nodes, times, kinds = [], [], []
    place = node = 0
    for capture in captures:
        if capture.messages.icmp_errors.rows:
            table = capture.messages.icmp_errors.read(_READ)
            row = {name: table.column(name).to_numpy() for name in _READ}
            kind = _kinds(row["ip_version"], row["type"], row["code"])
            known = np.flatnonzero(
                (row["connection"] != NO_CONNECTION) & (row["quoted_protocol"] == UDP) & (kind != NOTHING)
            )
            own = node + row["connection"][known].astype(np.int64)
            sockets = messages.sockets
            queries = (sockets.client_port[own] == row["quoted_source_port"][known]) & (
                sockets.server_port[own] == row["quoted_destination_port"][known]
            )
            known, own = known[queries], own[queries]
            moved = exchanges.offsets.of_place[place + row["vantage"][known].astype(np.int64)]
            nodes.append(own)
            times.append(row["time_ns"][known].astype(np.int64) - moved)
            kinds.append(kind[known])
        place += len(capture.vantage_points)
        node += len(capture.connections)
    empty = [np.zeros(0, np.int64)]
    return (np.concatenate(nodes or empty), np.concatenate(times or empty), np.concatenate(kinds or empty))


def _kinds(version: NDArray[np.uint8], kind: NDArray[np.uint8], code: NDArray[np.uint8]) -> Ints:
    found = np.zeros(len(kind), np.int64)
    for family, kinds in _UNREACHABLE_TYPES.items():
        found[(version == family) & np.isin(kind, kinds)] = UNREACHABLE
    found[(version == 4) & (kind == 3) & (code == _FRAGMENTATION_NEEDED)] = NOTHING
    for family, (port_type, port_code) in _PORT_CODES.items():
        found[(version == family) & (kind == port_type) & (code == port_code)] = PORT_UNREACHABLE
    return found
