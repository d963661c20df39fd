"""Small writes that waited for the acknowledgement of the write before them (Nagle meets delayed ACK).

RFC 896 (Nagle) holds a small segment back while another is unacknowledged; RFC 1122 section 4.2.3.2 lets the receiver
hold an ACK back in the hope of data to send with it. Who writes twice and then waits for an answer waits for both: the
second write leaves when the receiver's timer runs out, on Linux after 40 ms (TCP_DELACK_MIN, include/net/tcp.h)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.connections import CONNECTION_DTYPE, NEVER
from backend.forensics.evidence.clocks.sightings import Ints, Sightings, join_rows
from backend.forensics.evidence.clocks.sorted_rows import lexsort
from backend.forensics.round_trips import DATA, REQUEST

TIMERS_MS: Final = ((38.0, 52.0), (95.0, 110.0), (190.0, 215.0))
"""Delayed ACKs: Linux 40 ms and up to two ticks of 4 ms, macOS and BSD 100 ms, Windows and Linux at most 200 ms."""
AT_ONCE_NS: Final = 500_000
"""What waited for an acknowledgement leaves sooner after it, at the sender; elsewhere a round trip later."""
NEAR_RATIO: Final = 0.25
"""A round trip is no longer than this share of the wait: else a long path looks the same."""
REPEATED: Final = 3
"""Waits of one connection and side: fewer are an accident."""
MSS_USUAL: Final = 1_460
SMALL_RATIO: Final = 0.5
"""Of a full segment. Who sends full ones and waits after each may be held by his congestion window instead."""
_COLUMNS: Final = (
    "connection", "from_client", "sequence", "sent_ns", "rtt_ns", "kind", "sent_frame", "answer_frame"
)  # fmt: skip


@dataclass(frozen=True)
class HeldWrites:
    """One row a wait, by connection and time; each logical connection at one vantage point."""

    node: Ints
    """Row of all captures' connection tables, one after the other."""
    capture: Ints
    from_client: Ints
    """1 where the client wrote."""
    start_ns: Ints
    """When the first write was seen, on the reference clock."""
    waited_ns: Ints
    """From it to its acknowledgement."""
    follows_ns: Ints
    """From that to the second write."""
    round_trip_ns: Ints
    """Of the connection, without a held ACK."""
    bytes: Ints
    """Of the first write."""
    frames: NDArray[np.int64]
    """[wait, 3]: of the first write, its acknowledgement, the second write."""
    nodes: NDArray[np.void]

    def __len__(self) -> int:
        return len(self.node)


def find_held_writes(captures: Sequence[Capture], sightings: Sightings) -> HeldWrites:
    """All of them. One pass over the round trips, a second one where a connection had several slow bare ACKs."""
    nodes = join_rows([c.connections for c in captures], CONNECTION_DTYPE)
    parts = [np.zeros((0, 9), np.int64)]
    for number, capture in enumerate(captures):
        rows = _suspects(capture)
        if len(rows):
            offset = np.int64(sightings.node_offset[number])
            found = _in_one(rows, capture.connections)
            parts.append(np.column_stack([np.full(len(found), number), found[:, :1] + offset, found[:, 1:]]))
    rows = np.concatenate(parts)
    rows = rows[_one_place(rows[:, 1], sightings.link_of_node)]
    rows = rows[lexsort((rows[:, 3], rows[:, 2], rows[:, 1]))]
    return HeldWrites(
        node=rows[:, 1],
        capture=rows[:, 0],
        from_client=rows[:, 2],
        start_ns=sightings.clocks.of_captures(rows[:, 0], rows[:, 3]),
        waited_ns=rows[:, 4],
        follows_ns=rows[:, 5],
        round_trip_ns=_round_trips(nodes[rows[:, 1]]),
        bytes=rows[:, 8],
        frames=np.column_stack([rows[:, 6] >> 32, rows[:, 6] & 0xFFFFFFFF, rows[:, 7]]),
        nodes=nodes,
    )


def _by_timer(rtt_ns: Ints) -> NDArray[np.bool_]:
    found = np.zeros(len(rtt_ns), np.bool_)
    for low, high in TIMERS_MS:
        found |= (rtt_ns >= low * 1e6) & (rtt_ns <= high * 1e6)
    return found


def _suspects(capture: Capture) -> Ints:
    """[sample, column] of all data samples of connections with `REPEATED` bare ACKs after a timer's time."""
    slow = [np.zeros(0, np.int64)]
    for batch in capture.round_trips.batches(("connection", "kind", "rtt_ns")):
        kind, rtt_ns = (batch.column(n).to_numpy().astype(np.int64) for n in ("kind", "rtt_ns"))
        slow.append(
            batch.column("connection").to_numpy()[(kind == DATA) & _by_timer(rtt_ns)].astype(np.int64)
        )
    connection, count = np.unique(np.concatenate(slow), return_counts=True)
    wanted = connection[count >= REPEATED]
    rows = [np.zeros((0, len(_COLUMNS)), np.int64)]
    for batch in capture.round_trips.batches(_COLUMNS) if len(wanted) else ():
        columns = np.column_stack([batch.column(n).to_numpy().astype(np.int64) for n in _COLUMNS])
        kept = np.isin(columns[:, 0], wanted) & np.isin(columns[:, 5], (DATA, REQUEST))
        rows.append(columns[kept])
    return np.concatenate(rows)


def _in_one(rows: Ints, connections: NDArray[np.void]) -> Ints:
    """[wait, (connection, side, start, waited, follows, frames, frame of the second, bytes)]."""
    rows = rows[lexsort((rows[:, 3], rows[:, 1], rows[:, 0]))]
    connection, side, sequence, sent, rtt, kind, frame, answer = rows.T
    at = np.flatnonzero((kind[:-1] == DATA) & _by_timer(rtt[:-1]))
    # The next that this side sent, after the acknowledgement: until then it was silent.
    at = at[(connection[at + 1] == connection[at]) & (side[at + 1] == side[at])]
    follows = sent[at + 1] - sent[at] - rtt[at]
    written = (sequence[at + 1] - sequence[at]) & 0xFFFFFFFF
    ends = connections[connection[at]]
    trip = _round_trips(ends)
    mss = np.minimum(_mss(ends["client_mss"]), _mss(ends["server_mss"]))
    kept = (follows >= 0) & (follows <= np.maximum(trip, 0) + AT_ONCE_NS)
    kept &= (trip != NEVER) & (trip <= NEAR_RATIO * rtt[at])
    kept &= (written > 0) & (written <= SMALL_RATIO * mss)
    kept &= ~_answered_between(rows, at)
    at, follows, written = at[kept], follows[kept], written[kept]
    found = np.column_stack(
        [
            connection[at],
            side[at],
            sent[at],
            rtt[at],
            follows,
            frame[at] << 32 | answer[at],
            frame[at + 1],
            written,
        ]
    )
    return found[_repeated(found)]


def _mss(announced: NDArray[np.generic]) -> Ints:
    number = announced.astype(np.int64)
    return np.where(number > 0, number, MSS_USUAL)


def _round_trips(ends: NDArray[np.void]) -> Ints:
    """SYN to the handshake's last ACK: the round trip of both sides of the vantage point; NEVER where not seen."""
    opened = (ends["syn_ns"] != NEVER) & (ends["established_ns"] > ends["syn_ns"]) & (ends["syns"] == 1)
    return np.where(opened, ends["established_ns"] - ends["syn_ns"], NEVER).astype(np.int64)


def _answered_between(rows: Ints, at: Ints) -> NDArray[np.bool_]:
    """Whether the other side sent data between the two writes: then the second may answer that."""
    key = rows[:, 0] << 1 | rows[:, 1]
    other = (key[at] ^ 1).astype(np.int64)
    found = np.zeros(len(at), np.bool_)
    first, last = np.searchsorted(key, other), np.searchsorted(key, other, side="right")
    for n, (a, b) in enumerate(zip(first.tolist(), last.tolist(), strict=True)):
        inside = np.searchsorted(rows[a:b, 3], (rows[at[n], 3], rows[at[n] + 1, 3]), side="right")
        found[n] = inside[0] != inside[1]
    return found


def _repeated(found: Ints) -> Ints:
    """Positions of waits whose connection and side has `REPEATED` of them."""
    if not len(found):
        return np.zeros(0, np.int64)
    _, number, count = np.unique(found[:, :2], axis=0, return_inverse=True, return_counts=True)
    return np.flatnonzero(count[number.reshape(-1)] >= REPEATED)


def _one_place(node: Ints, link_of_node: Ints) -> Ints:
    """Positions of the waits of one node of each link: that which saw most of them."""
    if not len(node):
        return node
    nodes, count = np.unique(node, return_counts=True)
    link = link_of_node[nodes] if len(link_of_node) else nodes
    order = lexsort((nodes, -count, link))
    chosen = nodes[order[np.unique(link[order], return_index=True)[1]]]
    return np.flatnonzero(np.isin(node, chosen))
