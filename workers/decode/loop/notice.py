"""Where messages may be: the loop's one look at each packet. They are read elsewhere, after the batch."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

from typing import Final

import numpy as np

from backend.forensics.packets import FIN, MARK_COPY, MARK_RETRANSMISSION, RST, TCP, UDP
from workers.decode.loop.compiler import apart, compiled, inlined
from workers.decode.loop.credential_signs import SEGMENTS, carries_tcp, text_holds_credential_word
from workers.decode.loop.icmp_errors import join_quoted, quotes_packet, read_icmp_error
from workers.decode.loop.message_records import TALKS, Memory
from workers.decode.loop.neighbors import read_neighbor_advertisement
from workers.decode.loop.octets import Buffer, after, big16, big32
from workers.decode.loop.records import Record

DNS_PORT: Final = 53
_OTHER_USES: Final = (5353, 5355, 137)
"""mDNS, LLMNR, NetBIOS names: the same format, but sent to many, where silence is an answer."""
_DNS_HEADER_BYTES: Final = 12
_DNS_RESERVED, _DNS_OPCODE = 0x0040, 0x7800
_STARTS: Final = tuple(
    int.from_bytes(word, "big")
    for word in (
        b"GET ", b"HTTP", b"POST", b"PUT ", b"HEAD", b"DELE", b"PATC", b"OPTI", b"CONN", b"TRAC", b"PROP",
        b"REPO", b"MKCO", b"SEAR",
    )
)  # fmt: skip
REORDERED_BYTES: Final = 1 << 16
"""How far ahead of a stream's beginning a segment may come."""
_FIRST_SEGMENTS, _SHORTEST_REQUEST, _SPACE, _SLASH = 2, 18, 32, 47
_HTTP_2: Final = int.from_bytes(b"PRI ", "big")
_ALERT, _HANDSHAKE, _FIRST_LETTER, _LAST_LETTER = 0x15, 0x16, 67, 84


@compiled
def _may_begin(buffer: Buffer, at: int, count: int) -> bool:
    """One look at the first bytes of a segment."""
    first = buffer[at]
    if first < _FIRST_LETTER:
        return first in (_HANDSHAKE, _ALERT) and (count < 2 or buffer[at + 1] == 3)
    if first > _LAST_LETTER:
        return False
    return count < 4 or big32(buffer, at) in _STARTS


@compiled
def _overtook_beginning(row: Record, connection: Record) -> bool:
    """Whether a client's first data comes out of order, so that nothing shows yet what it is."""
    if connection.data_segments != 1 or connection.syns == 0 or row.source_port != connection.client_port:
        return False
    return 1 < after(row.sequence, connection.isn) < REORDERED_BYTES


@compiled
def concerns_talk(m: Memory, buffer: Buffer, at: int, count: int, row: Record, connections: Record) -> bool:
    """Whether a TCP packet with payload, FIN or RST may belong to a message; marks its connection when it may
    begin one."""
    place = np.int64(row.connection) & (TALKS - 1)
    if m.talking[place] == np.int64(row.connection) + 1:
        return True
    if count <= 0 or row.marks & MARK_RETRANSMISSION:  # what was seen before is not taken for another message
        return False
    begins = _may_begin(buffer, at, count) or row.source_port == DNS_PORT or row.destination_port == DNS_PORT
    if begins or _overtook_beginning(row, connections[row.connection]):
        m.talking[place] = np.int64(row.connection) + 1
        return True
    return False


@compiled
def may_be_dns(buffer: Buffer, at: int, end: int, source_port: int, destination_port: int) -> bool:
    """One look at a UDP payload: on port 53, or one question and a sensible header on any other."""
    if end - at < _DNS_HEADER_BYTES:
        return False
    if source_port == DNS_PORT or destination_port == DNS_PORT:
        return True
    if source_port in _OTHER_USES or destination_port in _OTHER_USES:
        return False
    return big16(buffer, at + 4) == 1 and big16(buffer, at + 2) & (_DNS_OPCODE | _DNS_RESERVED) == 0


@compiled
def _note(m: Memory, number: int, at: int, count: int) -> None:
    state = m.states[0]
    piece = m.pieces[state.pieces]
    piece.row, piece.at, piece.bytes = number, at, max(0, count)
    state.pieces += 1


@compiled
def _is_unknown_request(buffer: Buffer, at: int, count: int) -> bool:
    """``LIST /v1/…``: a method that is not read."""
    if count < _SHORTEST_REQUEST or not 65 <= buffer[at] <= 90:
        return False
    for i in range(at + 1, at + _SHORTEST_REQUEST - 1):
        if buffer[i] == _SPACE:
            return buffer[i + 1] == _SLASH
    return False


@compiled
def look_for_credentials(buffer: Buffer, at: int, count: int, connection: Record) -> None:
    """In a segment that belongs to no message. The beginning of a connection shows what it is; where that was not
    seen, or bytes are missing, more segments are looked at."""
    apart()
    if connection.credentials or connection.data_segments > SEGMENTS:
        return
    is_first = connection.data_segments <= _FIRST_SEGMENTS
    if is_first and count >= 4 and big32(buffer, at) == _HTTP_2:
        connection.credentials = 1
        return
    is_incomplete = connection.syns == 0 or connection.previous_missing > 0 or connection.lost_segments > 0
    if not is_incomplete and not (is_first and _is_unknown_request(buffer, at, count)):
        return
    if not _may_begin(buffer, at, count) and text_holds_credential_word(buffer, at, at + count):
        connection.credentials = 1


@compiled
def _look_for_tunnel(buffer: Buffer, at: int, count: int, row: Record, connection: Record) -> None:
    """A tunnel that is not read may hold anything."""
    if connection.credentials or connection.data_segments > SEGMENTS:
        return
    if carries_tcp(buffer, at, at + count, np.int64(row.payload_bytes)):
        connection.credentials = 1


@inlined
def _notice_tcp(
    m: Memory, buffer: Buffer, at: int, end: int, number: int, row: Record, connections: Record
) -> None:
    if (row.payload_bytes == 0 and row.tcp_flags & (FIN | RST) == 0) or row.marks & MARK_COPY:
        return
    payload_at = at + (np.int64(buffer[at + 12]) >> 4) * 4
    count = min(end - payload_at, np.int64(row.payload_bytes))
    if concerns_talk(m, buffer, payload_at, count, row, connections):
        _note(m, number, payload_at, count)
    elif count > 0:
        look_for_credentials(buffer, payload_at, count, connections[row.connection])


@compiled
def _notice_icmp(
    m: Memory,
    buffer: Buffer,
    at: int,
    end: int,
    row: Record,
    slots: Record,
    network: int,
    connections: Record,
) -> None:
    """Adds the packet, whose ICMP header stands at `at`, to the ICMP errors or neighbor claims if it is one."""
    apart()
    if not quotes_packet(row):
        read_neighbor_advertisement(m, buffer, at, end, row)
        return
    state = m.states[0]
    error = m.icmp_errors[state.icmp_errors]
    state.icmp_errors += 1
    read_icmp_error(error, row, buffer, at, end)
    join_quoted(error, row, slots, network, connections)


@inlined
def notice(
    m: Memory, buffer: Buffer, end: int, state: Record, rows: Record, slots: Record, connections: Record
) -> None:
    """Notes the packet just read, which has a transport header, if a message may be in it; an ICMP error is
    read at once, as the connections are now."""
    row = rows[state.rows]
    at = state.transport
    if at < 0:
        return
    if row.protocol == TCP:
        _notice_tcp(m, buffer, at, end, state.rows, row, connections)
    elif row.protocol == UDP:
        count = min(end - at - 8, np.int64(row.payload_bytes))
        if may_be_dns(buffer, at + 8, at + 8 + count, row.source_port, row.destination_port):
            _note(m, state.rows, at + 8, count)
        else:
            _look_for_tunnel(buffer, at + 8, count, row, connections[row.connection])
    else:
        _notice_icmp(m, buffer, at, end, row, slots, state.network, connections)
