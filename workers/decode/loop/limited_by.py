"""What limits a TCP connection: each moment of it counts as the network's, the receiver window's or the application's.

Linux counts the same at the sender's socket (net/ipv4/tcp_output.c, `tcp_chrono_start`): busy while data is queued or
in flight, rwnd_limited while the receiver window stops the next segment. A capture sees it from elsewhere: what is
seen now was sent half a round trip to the sender ago, so that round trip, taken from the handshake, is allowed for.
The application's share is what is left of the connection's time (`backend.forensics.evidence.tcp.limited_by`)."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import numpy as np

from backend.forensics.connections import NEVER
from backend.forensics.packets import ACK, FIN, RST, SYN
from workers.decode.loop.compiler import apart, compiled, together
from workers.decode.loop.octets import after
from workers.decode.loop.records import ANNOUNCED_ACK, ANNOUNCED_WINDOW, EDGES, Record

_ANNOUNCED = ANNOUNCED_ACK | ANNOUNCED_WINDOW
_NEAR_NS = 200_000
"""To a sender that is nearer than this, the window as it is now is the one that the sender knew."""
_TICK_SHIFT = 10  # times of window edges are in units of 2^10 ns
_LEAST_MSS = 536  # RFC 9293 section 3.7.1


@compiled
def _in_flight(sender: Record, receiver: Record) -> bool:
    together()
    return (
        sender.known != 0 and receiver.announced & ANNOUNCED_ACK and after(sender.highest, receiver.acked) > 0
    )


@compiled
def _segment_bytes(receiver: Record) -> int:
    together()
    return np.int64(receiver.mss) if receiver.mss > 0 else np.int64(_LEAST_MSS)


@compiled
def _is_held(sender: Record, receiver: Record) -> bool:
    """Whether the receiver window has no room for another segment of a sender that had filled it."""
    together()
    if not sender.full or receiver.announced != _ANNOUNCED:
        return False
    return after(receiver.acked, sender.highest) + np.int64(receiver.window) < _segment_bytes(receiver)


@compiled
def _distance_ns(connection: Record, side: int) -> int:
    """Round trip between the vantage point and the client (0) or the server."""
    together()
    return connection.to_client_ns if side == 0 else connection.to_server_ns


@compiled
def _add(connection: Record, time_ns: int, by_window: bool) -> None:
    together()
    if by_window:
        connection.receiver_window_ns += time_ns
    else:
        connection.network_ns += time_ns


@compiled
def _end_idle(connection: Record, mine: Record, side: int, gap_ns: int) -> None:
    """Nothing was in flight; now `side` sends. Who is far away learned of the last ACK later than it was seen here."""
    part_ns = 0
    if connection.idle_by != side:
        part_ns = min(gap_ns, _distance_ns(connection, side)) + connection.late_ack_ns
    connection.late_ack_ns = 0
    _add(connection, part_ns, mine.full != 0)


@compiled
def _acknowledged_all(connection: Record, side: int, gap_ns: int, carries: bool) -> int:
    """The part of the interval before an ACK of everything in flight that is the network's.

    What a reply takes longer than a round trip, its application took. A bare ACK that comes later was delayed
    (RFC 9293 section 3.8.6.3): who sends next decides whether an application was at work meanwhile."""
    part_ns = min(gap_ns, _distance_ns(connection, side))
    connection.late_ack_ns = 0 if carries else gap_ns - part_ns
    connection.idle_by = side
    return part_ns


@compiled
def _handshake(connection: Record, side: int, row: Record) -> None:
    """SYN, then SYN-ACK: a repeated one counts from the last."""
    if connection.established_ns == NEVER:
        if row.tcp_flags & ACK and side == 1 and connection.syn_ack_ns == NEVER and connection.syns > 0:
            connection.to_server_ns = max(row.time_ns - connection.until_ns, 0)
        connection.until_ns = row.time_ns


@compiled
def _interval(connection: Record, mine: Record, other: Record, side: int, row: Record) -> None:
    """Of an established connection, between its packet before and this one; both sides are as they were then."""
    gap_ns = max(row.time_ns - connection.until_ns, 0)
    length = np.int64(row.payload_bytes) + (1 if row.tcp_flags & FIN else 0)
    carries = (row.tcp_flags & RST) != 0 or after(np.int64(row.sequence) + length, mine.highest) > 0
    mine_flies, other_flies = _in_flight(mine, other), _in_flight(other, mine)
    if not mine_flies and not other_flies:
        if _is_held(mine, other) or _is_held(other, mine):
            connection.receiver_window_ns += gap_ns
        elif carries:
            _end_idle(connection, mine, side, gap_ns)
        else:
            return  # idle goes on
        connection.until_ns += gap_ns
        return
    by_window = (mine_flies and mine.full != 0) or (other_flies and other.full != 0)
    part_ns = gap_ns
    if (
        not mine_flies
        and not by_window
        and row.tcp_flags & ACK
        and after(row.acknowledgement, other.highest) >= 0
    ):
        part_ns = _acknowledged_all(connection, side, gap_ns, carries)
    elif not carries:
        connection.late_ack_ns = 0
        connection.idle_by = side
    _add(connection, part_ns, by_window)
    connection.until_ns += gap_ns


@compiled
def account_interval(connection: Record, mine: Record, other: Record, side: int, row: Record) -> None:
    """Says whose the time before this packet was. Called before the packet changes its side; not for copies."""
    together()
    if row.tcp_flags & SYN:
        _handshake(connection, side, row)
    elif connection.established_ns != NEVER:
        _interval(connection, mine, other, side, row)
    elif side == 0 and connection.syn_ack_ns != NEVER and row.tcp_flags & ACK:
        connection.to_client_ns = max(row.time_ns - connection.until_ns, 0)
        connection.until_ns = row.time_ns


@compiled
def _known_edge(receiver: Record, now_ns: int, distance_ns: int) -> int:
    """The right edge of the receiver window that the sender knew when it sent what is seen now: the one announced a
    round trip to the sender ago, on the line between the two that are kept around that moment."""
    apart()
    then = ((now_ns - distance_ns) >> _TICK_SHIFT) & 0xFFFFFFFF
    later_tick = (now_ns >> _TICK_SHIFT) & 0xFFFFFFFF
    later = (np.int64(receiver.acked) + np.int64(receiver.window)) & 0xFFFFFFFF
    for step in range(np.int64(receiver.edges_kept)):
        at = (np.int64(receiver.newest_edge) - step + EDGES) % EDGES
        edge, tick = np.int64(receiver.edges[at]), np.int64(receiver.edge_ticks[at])
        if after(then, tick) >= 0:
            between = max(after(later_tick, tick), 1)
            return (edge + after(later, edge) * after(then, tick) // between) & 0xFFFFFFFF
        later, later_tick = edge, tick
    return later


@compiled
def _keep_edge(receiver: Record, now_ns: int, distance_ns: int) -> None:
    """Keeps the window edge that the receiver announced now, unless one as new is kept."""
    apart()
    tick = (now_ns >> _TICK_SHIFT) & 0xFFFFFFFF
    newest = np.int64(receiver.newest_edge)
    if receiver.edges_kept:
        if after(tick, receiver.edge_ticks[newest]) < (distance_ns >> _TICK_SHIFT) // (EDGES - 2):
            return
        newest = (newest + 1) % EDGES
    receiver.newest_edge = newest
    receiver.edge_ticks[newest] = tick
    receiver.edges[newest] = (np.int64(receiver.acked) + np.int64(receiver.window)) & 0xFFFFFFFF
    receiver.edges_kept = min(np.int64(receiver.edges_kept) + 1, EDGES)


@compiled
def note_window(connection: Record, mine: Record, other: Record, side: int, row: Record) -> None:
    """Whether new data of this side fills the window that the other had announced to it."""
    together()
    if connection.established_ns == NEVER:
        return
    to_other_ns = _distance_ns(connection, 1 - side)
    if to_other_ns > _NEAR_NS and mine.shift != 0:
        _keep_edge(mine, row.time_ns, to_other_ns)
    if row.payload_bytes == 0 or other.announced != _ANNOUNCED or other.shift == 0:
        return
    distance_ns = _distance_ns(connection, side)
    edge = (np.int64(other.acked) + np.int64(other.window)) & 0xFFFFFFFF
    if distance_ns > _NEAR_NS and other.edges_kept:
        edge = _known_edge(other, row.time_ns, distance_ns)
    mine.full = 1 if after(edge, mine.highest) < _segment_bytes(other) else 0
