"""Reads the messages out of the packets that the loop has noticed. The functions here are what Python calls."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import numpy as np

from backend.forensics.messages import FORGOTTEN
from backend.forensics.packets import FIN, RST, UDP
from workers.decode import messages_cache
from workers.decode.loop.compiler import apart, compiled, entry_kept_in, inlined
from workers.decode.loop.message_records import IDLE, OPAQUE, TALKS, Memory
from workers.decode.loop.notice import DNS_PORT, REORDERED_BYTES, concerns_talk, look_for_credentials
from workers.decode.loop.octets import Buffer, after, big16
from workers.decode.loop.records import Record
from workers.decode.messages.dns import read_dns
from workers.decode.messages.exchanges import end_talk
from workers.decode.messages.rows import out_of_room
from workers.decode.messages.streams import drop_message, end_stream, give_up_gap, take_segment

_entry = entry_kept_in(messages_cache)


@inlined
def _talk_of(m: Memory, row: Record) -> int:
    """The place of the packet's connection; another one that was there gives way."""
    owner = np.int64(row.connection) + 1
    place = np.int64(row.connection) & (TALKS - 1)
    talk = m.talks[place]
    if talk.connection != owner:
        if talk.connection != 0:
            m.states[0].forgotten += talk.waiting
            end_talk(m, place, FORGOTTEN)
        talk.connection, talk.vantage = owner, row.vantage
        m.states[0].talks = max(m.states[0].talks, place + 1)
        talk.is_dns = 1 if row.source_port == DNS_PORT or row.destination_port == DNS_PORT else 0
    return place


@inlined
def _sender(row: Record, connections: Record) -> int:
    """0 when the connection's client sent the packet, 1 for its server."""
    connection = connections[row.connection]
    from_client = (
        row.source_port == connection.client_port
        and row.source_low == connection.client_low
        and row.source_high == connection.client_high
        and row.destination_port == connection.server_port
    )
    return 0 if from_client else 1


@inlined
def _beginning(m: Memory, row: Record, stream: int, connections: Record) -> int:
    """The sequence number of the stream's first byte, where packets before this one show it, else -1."""
    connection, other = connections[row.connection], m.streams[stream ^ 1]
    if stream & 1 == 0 and connection.syns > 0:
        first = (np.int64(connection.isn) + 1) & 0xFFFFFFFF
    elif other.known and other.begin_acknowledgement > 0:
        first = np.int64(other.begin_acknowledgement)
    else:
        return -1
    return first if 0 < after(row.sequence, first) < REORDERED_BYTES else -1


@inlined
def _is_over(m: Memory, talk: int) -> bool:
    """Whether nothing more can come of a talk as it is: its packets need no look until one begins a message."""
    client, server = m.streams[2 * talk], m.streams[2 * talk + 1]
    if m.talks[talk].first > 0 or client.stashed or server.stashed:
        return False
    return client.mode in (IDLE, OPAQUE) and server.mode in (IDLE, OPAQUE)


@inlined
def _read_tcp(m: Memory, row: Record, connections: Record, buffer: Buffer, at: int, count: int) -> bool:
    if not concerns_talk(m, buffer, at, count, row, connections):
        return True  # its talk has ended since the packet was noticed
    talk = _talk_of(m, row)
    sender = _sender(row, connections)
    stream = 2 * talk + sender
    if row.payload_bytes > 0:
        if count > 0 and m.streams[stream].mode == IDLE:
            look_for_credentials(buffer, at, count, connections[row.connection])
        expected = _beginning(m, row, stream, connections)
        if not take_segment(m, row, stream, expected, buffer, at, count):
            return False
    if row.tcp_flags & FIN:
        end_stream(m, row, stream)
        m.talks[talk].fins |= 1 << sender
    if row.tcp_flags & RST or m.talks[talk].fins == 3 or _is_over(m, talk):
        give_up_gap(m, stream)
        give_up_gap(m, stream ^ 1)
        drop_message(m, stream)
        drop_message(m, stream ^ 1)
        end_talk(m, talk, 0)
    return True


@compiled
def _read_udp(m: Memory, row: Record, buffer: Buffer, at: int, count: int) -> None:
    apart()
    on_port = row.source_port == DNS_PORT or row.destination_port == DNS_PORT
    read = read_dns(
        m, row.connection, row.vantage, buffer, at, at + count,
        max(big16(buffer, at - 4) - 8, count), False, on_port,
    )  # fmt: skip
    if on_port and not read:
        m.states[0].malformed_dns += 1


@compiled
def _read_pieces(m: Memory, buffer: Buffer, packets: Record, connections: Record) -> None:
    state = m.states[0]
    while state.piece < state.pieces:
        piece = m.pieces[state.piece]
        row = packets[piece.row]
        if out_of_room(state.http) or out_of_room(state.dns) or out_of_room(state.tls):
            state.full = 1
            return
        state.time_ns, state.frame = row.time_ns, row.frame
        state.acknowledgement = row.acknowledgement
        if row.protocol == UDP:
            _read_udp(m, row, buffer, np.int64(piece.at), np.int64(piece.bytes))
        elif not _read_tcp(m, row, connections, buffer, np.int64(piece.at), np.int64(piece.bytes)):
            return
        state.piece += 1
    state.piece = state.pieces = 0


@compiled
def _end_talks(m: Memory) -> None:
    state = m.states[0]
    while state.ended < state.talks:
        if out_of_room(state.http):
            state.full = 1
            return
        give_up_gap(m, 2 * np.int64(state.ended))
        give_up_gap(m, 2 * np.int64(state.ended) + 1)
        end_talk(m, np.int64(state.ended), 0)
        state.ended += 1


@_entry
def read_messages(memory: Record, buffer: Buffer, packets: Record, connections: Record, is_end: bool) -> None:
    """Reads what was noticed in the buffer, and, at the end of the capture, writes what is open.

    Stops early, with `full` set, when the filled rows need room; then it is to be called again."""
    m = memory[0]
    state = m.states[0]
    state.full = 0
    _read_pieces(m, buffer, packets, connections)
    if is_end and not state.full:
        _end_talks(m)
