"""Connections: finds or opens the one a packet belongs to and keeps its record."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import numpy as np

from backend.forensics.connections import NEVER
from backend.forensics.packets import (
    ACK,
    FIN,
    MARK_COPY,
    MARK_PORT_REUSE,
    MARK_RETRANSMISSION,
    RST,
    SYN,
    TCP,
    UNKNOWN_WINDOW_SCALE,
)
from workers.decode.loop.compiler import compiled, together
from workers.decode.loop.copies import forget, is_copy
from workers.decode.loop.counts import count_marks
from workers.decode.loop.limited_by import account_interval, note_window
from workers.decode.loop.octets import after
from workers.decode.loop.records import ANNOUNCED_ACK, ANNOUNCED_WINDOW, Record
from workers.decode.loop.segments import judge_segment
from workers.decode.loop.tracks import set_shifts, track_of
from workers.decode.loop.tuples import find_slot, tuple_hash

_UDP_IDLE_NS = 120_000_000_000
_WINDOW = 1 << 20


@compiled
def _sender_is_client(row: Record) -> bool:
    """Who opened a connection whose first packet is this one."""
    if row.protocol != TCP:
        return True
    if row.tcp_flags & SYN:
        return not row.tcp_flags & ACK
    return row.source_port >= row.destination_port


@compiled
def _set_endpoints(connection: Record, row: Record, from_client: bool) -> None:
    if from_client:
        connection.client_high, connection.client_low = row.source_high, row.source_low
        connection.server_high, connection.server_low = row.destination_high, row.destination_low
        connection.client_port, connection.server_port = row.source_port, row.destination_port
    else:
        connection.server_high, connection.server_low = row.source_high, row.source_low
        connection.client_high, connection.client_low = row.destination_high, row.destination_low
        connection.server_port, connection.client_port = row.source_port, row.destination_port


@compiled
def _open(state: Record, connections: Record, row: Record, from_client: bool) -> int:
    """A new connection record; the table comes zeroed."""
    number = state.connections
    state.connections += 1
    connection = connections[number]
    connection.vantage, connection.vlan = row.vantage, row.vlan
    connection.tunnel, connection.network = row.tunnel, state.network
    connection.protocol, connection.ip_version = row.protocol, row.ip_version
    _set_endpoints(connection, row, from_client)
    connection.first_ns = connection.last_ns = row.time_ns
    connection.first_frame = np.int64(row.frame)
    connection.syn_ns = connection.syn_frame = NEVER
    connection.syn_ack_ns = connection.syn_ack_frame = NEVER
    connection.established_ns = connection.closed_ns = connection.reset_frame = NEVER
    connection.client_window_scale = connection.server_window_scale = UNKNOWN_WINDOW_SCALE
    return np.int64(number)


@compiled
def _is_late_first_syn(connection: Record, sides: Record, row: Record) -> bool:
    """A file whose packets are not in order of time shows a connection's SYN after its other packets."""
    if connection.syns != 0 or row.time_ns > connection.first_ns:
        return False
    if connection.track == 0:
        return True
    client = sides[2 * (np.int64(connection.track) - 1)]
    return not client.known or 0 <= after(client.first, row.sequence) < _WINDOW


@compiled
def _begins_anew(connection: Record, sides: Record, side: int, row: Record) -> bool:
    """Whether this packet of a known tuple opens a new incarnation."""
    together()
    if row.protocol != TCP:
        return row.time_ns - connection.last_ns > _UDP_IDLE_NS
    if (row.tcp_flags & (SYN | ACK | RST)) != SYN:
        return False
    if side == 1:  # the roles change, unless both ends open at once
        return not (connection.syns > 0 and connection.syn_ack_ns == NEVER and connection.closed_ns == NEVER)
    if connection.syns > 0:
        return connection.isn != row.sequence
    return not _is_late_first_syn(connection, sides, row)


@compiled
def _place(state: Record, slots: Record, connections: Record, sides: Record, row: Record) -> tuple[int, int]:
    """(connection, 0 when its client sent the packet, 1 for its server)."""
    together()
    key = state.known_hash if state.known_hash >= 0 else tuple_hash(row, state.network)
    slot, side = find_slot(slots, connections, row, state.network, key)
    if side >= 0:
        number = np.int64(slots[slot].connection) - 1
        if not _begins_anew(connections[number], sides, side, row):
            return number, np.int64(side)
        if row.protocol == TCP:
            row.marks |= MARK_PORT_REUSE
    from_client = _sender_is_client(row)
    number = _open(state, connections, row, from_client)
    slots[slot].hash = key
    slots[slot].connection = number + 1
    return number, np.int64(0 if from_client else 1)


@compiled
def _begin(mine: Record, row: Record) -> None:
    """The side's first sequence number, from its SYN."""
    mine.known = 1
    mine.first = row.sequence
    mine.highest = (np.int64(row.sequence) + 1 + np.int64(row.payload_bytes)) & 0xFFFFFFFF
    mine.mss = row.mss


@compiled
def _syn(connection: Record, mine: Record, other: Record, row: Record) -> int:
    if connection.syns == 0:
        if mine.known and after(row.sequence, mine.first) < 0:
            # A file that is not in order of time: what comes next is older than what came before.
            mine.known = other.known = mine.announced = other.announced = 0
        connection.isn = row.sequence
        connection.syn_ns = row.time_ns
        connection.syn_frame = np.int64(row.frame)
        connection.client_mss = mine.mss = row.mss
        connection.client_window_scale = row.window_scale
    marks = MARK_RETRANSMISSION if connection.syns > 0 else 0
    connection.syns += 1
    if not mine.known:
        _begin(mine, row)
    return marks


@compiled
def _server_syn(connection: Record, mine: Record, row: Record) -> int:
    """A SYN without ACK of the side that was called: both ends open at once (RFC 9293 section 3.5)."""
    if mine.known and connection.server_window_scale != UNKNOWN_WINDOW_SCALE:
        return MARK_RETRANSMISSION
    connection.server_mss, connection.server_window_scale = row.mss, row.window_scale
    _begin(mine, row)
    return 0


@compiled
def _syn_ack(connection: Record, mine: Record, other: Record, row: Record) -> int:
    """Of the server."""
    marks = MARK_RETRANSMISSION if connection.syn_acks > 0 else 0
    if connection.syn_acks == 0:
        connection.syn_ack_ns = row.time_ns
        connection.syn_ack_frame = np.int64(row.frame)
        connection.server_mss, connection.server_window_scale = row.mss, row.window_scale
        _begin(mine, row)
        mine.acked = row.acknowledgement
        mine.window = row.window  # never scaled (RFC 7323 section 2.2)
        mine.announced = ANNOUNCED_ACK | ANNOUNCED_WINDOW
        set_shifts(connection, other, mine)
    connection.syn_acks += 1
    return marks


@compiled
def _with_syn(connection: Record, mine: Record, other: Record, side: int, row: Record) -> int:
    """Marks of a packet with SYN and without RST."""
    if not row.tcp_flags & ACK:
        return _syn(connection, mine, other, row) if side == 0 else _server_syn(connection, mine, row)
    if side == 1:
        return _syn_ack(connection, mine, other, row)
    _established(connection, side, row)  # both ends opened at once, and this one agrees
    return 0


@compiled
def _reset(connection: Record, side: int, row: Record) -> None:
    connection.resets |= 1 << side
    if connection.reset_frame == NEVER:
        connection.reset_frame = np.int64(row.frame)
    if connection.closed_ns == NEVER:
        connection.closed_ns = row.time_ns


@compiled
def _established(connection: Record, side: int, row: Record) -> bool:
    """The client's first ACK after the SYN-ACK."""
    together()
    if side == 1 or connection.syn_ack_ns == NEVER or connection.established_ns != NEVER:
        return False
    if not row.tcp_flags & ACK:
        return False
    connection.established_ns = row.time_ns
    return True


@compiled
def _segment(connection: Record, mine: Record, other: Record, side: int, row: Record) -> bool:
    """A segment with neither SYN nor RST; returns whether it belongs to the opening of the connection."""
    together()
    if side == 1 and connection.syns > 0 and connection.syn_ack_ns == NEVER:
        # The answer of a server that still holds the tuple: its numbers belong to the earlier connection.
        first = mine.answered == 0
        mine.answered = 1
        return first
    row.marks |= judge_segment(connection, mine, other, row)
    if row.tcp_flags & FIN:
        connection.fins |= 1 << side
        if connection.fins == 3 and connection.closed_ns == NEVER:
            connection.closed_ns = row.time_ns
    return _established(connection, side, row)


@compiled
def _follow_tcp(connection: Record, mine: Record, other: Record, side: int, row: Record) -> bool:
    """Updates the connection; returns whether the packet is one of the handshake rows."""
    together()
    if row.tcp_flags & (RST | SYN) == 0:
        return _segment(connection, mine, other, side, row)
    if row.tcp_flags & RST:
        _reset(connection, side, row)
    else:
        row.marks |= _with_syn(connection, mine, other, side, row)
    return True


@compiled
def _count(connection: Record, side: int, row: Record, is_new: bool) -> None:
    """Packets of either side, copies included; bytes without them."""
    together()
    payload = np.uint64(row.payload_bytes) if is_new else np.uint64(0)
    connection.first_ns = min(connection.first_ns, row.time_ns)
    connection.last_ns = max(connection.last_ns, row.time_ns)
    if side == 0:
        connection.client_packets += 1
        connection.client_bytes += payload
    else:
        connection.server_packets += 1
        connection.server_bytes += payload


@compiled
def _track_tcp(connection: Record, sides: Record, prints: Record, track: int, side: int, row: Record) -> bool:
    together()
    mine, other = sides[2 * track + side], sides[2 * track + 1 - side]
    if is_copy(prints, 2 * track + side, mine, row):
        row.marks |= MARK_COPY
        _count(connection, side, row, False)
        return (row.tcp_flags & (SYN | RST)) != 0
    _count(connection, side, row, True)
    # Linux repeats a SYN-ACK with IP ID 0 and, within 1 ms, the same TSval: to each SYN its own answer.
    if side == 0 and (row.tcp_flags & (SYN | ACK | RST)) == SYN:
        forget(prints, 2 * track + 1)
    account_interval(connection, mine, other, side, row)
    is_handshake = _follow_tcp(connection, mine, other, side, row)
    note_window(connection, mine, other, side, row)
    if row.marks != 0:
        count_marks(connection, row.marks)
    return is_handshake


@compiled
def track(
    state: Record, slots: Record, connections: Record, sides: Record, prints: Record, row: Record
) -> bool:
    """Puts a TCP or UDP packet into its connection; returns whether it is one of the handshake rows."""
    together()
    number, side = _place(state, slots, connections, sides, row)
    row.connection = number
    state.side = side
    connection = connections[number]
    if row.protocol == TCP:
        track_number = track_of(state, connections, number, sides)
        return _track_tcp(connection, sides, prints, track_number, side, row)
    _count(connection, side, row, True)
    connection.data_segments += 1
    return False
