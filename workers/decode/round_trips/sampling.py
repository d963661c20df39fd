"""Pairs questions with answers: the packet loop shows each packet once, as soon as its connection is known."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

from typing import Final

import numpy as np

from backend.forensics.packets import (
    ACK,
    DECODED_TRANSPORT,
    FIN,
    ICMP,
    ICMPV6,
    MARK_COPY,
    MARK_KEEP_ALIVE,
    MARK_OUT_OF_ORDER,
    MARK_PREVIOUS_MISSING,
    MARK_RETRANSMISSION,
    MARK_ZERO_WINDOW_PROBE,
    RST,
    SYN,
    TCP,
)
from backend.forensics.round_trips import DATA, ECHO, REQUEST, SYN_ANSWERED
from workers.decode.loop.compiler import compiled, inlined, together
from workers.decode.loop.octets import after
from workers.decode.loop.records import Record
from workers.decode.loop.tuples import mix
from workers.decode.round_trips.packing import PACKING_FIELDS, add_sample

PLACES: Final = 1 << 16
"""Connections whose segments are timed at once; a power of two. A later connection takes over the place of an earlier
one, which loses what it has under way."""
UNDER_WAY: Final = 8
"""Segments of a side timed at once."""
SPACING_NS: Final = 1_000_000
"""Between the segments of a side that are timed: bulk transfers give a thousand samples a second, not one a packet."""
ECHOES: Final = 1 << 15
"""Echo requests under way at once, at places by their hash."""
PAIRS: Final = 1 << 13
"""Pairs of hosts whose recent bytes are counted, at places by their hash."""
_WINDOW_SHIFT: Final = 25
"""Recent bytes are counted in windows of 2^25 ns (34 ms): the one before and the current one."""
COPY_NS: Final = 50_000_000
"""An echo request seen again sooner, with the same IP ID, is a copy of it, as for TCP."""

SEGMENT_DTYPE: Final = np.dtype(
    [
        ("sent_ns", "<i8"),
        ("frame", "<u8"),
        ("begin", "<u4"),  # sequence number
        ("end", "<u4"),  # sequence number after it
        ("recent_bytes", "<u4"),
        ("is_syn", "<u4"),
    ]
)
FLIGHT_DTYPE: Final = np.dtype(
    [
        ("owner", "<u4"),  # connection + 1, 0 for none
        ("count", "<u4"),
        ("last_ns", "<i8"),  # when the latest of them was sent
        ("segments", SEGMENT_DTYPE, (UNDER_WAY,)),
    ]
)
ECHO_DTYPE: Final = np.dtype(
    [
        ("key", "<u8"),  # 0 for none
        ("sent_ns", "<i8"),
        ("frame", "<u8"),
        ("ip_id", "<u4"),
        ("recent_bytes", "<u4"),
        ("ambiguous", "<u4"),  # another with the same number was sent before this one was answered
        ("padding", "<u4"),
    ]
)
PAIR_DTYPE: Final = np.dtype([("key", "<u8"), ("window", "<i8"), ("bytes", "<u8"), ("bytes_before", "<u8")])
SAMPLER_DTYPE: Final = np.dtype(
    [
        *PACKING_FIELDS,
        ("flights", FLIGHT_DTYPE, (2 * PLACES,)),  # two a connection, the client's first
        ("echoes", ECHO_DTYPE, (ECHOES,)),
        ("pairs", PAIR_DTYPE, (PAIRS,)),
    ]
)
"""Everything that sampling remembers: 53 MB of addresses, of which only pages in use become memory."""

Sampler = Record
_PROBES = MARK_KEEP_ALIVE | MARK_ZERO_WINDOW_PROBE
_AGAIN = MARK_RETRANSMISSION | MARK_OUT_OF_ORDER
_PRIME = np.uint64(0x9E3779B97F4A7C15)
_PRIME_2 = np.uint64(0xD6E8FEB86659FD93)


@compiled
def pair_key(
    source_high: int, source_low: int, target_high: int, target_low: int, vantage: int, tunnel: int, vlan: int
) -> int:
    """64 bits, not 0, of who sends to whom and where that is seen."""
    together()
    source = mix(np.uint64(source_high) * _PRIME + np.uint64(source_low))
    target = mix(np.uint64(target_high) * _PRIME_2 + np.uint64(target_low))
    place = (np.uint64(vantage) << np.uint64(32)) | (np.uint64(tunnel) << np.uint64(12)) | np.uint64(vlan)
    return (source * _PRIME + target * _PRIME_2 + place) | np.uint64(1)


@compiled
def pair_place(key: int) -> int:
    """Where a pair is counted."""
    together()
    return np.int64(mix(key) >> np.uint64(32)) & (PAIRS - 1)


@compiled
def _key_of(row: Record) -> int:
    return pair_key(
        row.source_high, row.source_low, row.destination_high, row.destination_low, row.vantage, row.tunnel,
        row.vlan,
    )  # fmt: skip


@inlined
def _recent_bytes(s: Sampler, row: Record, known_pair: int) -> int:
    """Counts the packet and returns the bytes of its pair in this direction in the last windows."""
    key = known_pair if known_pair != np.uint64(0) else _key_of(row)
    pair = s.pairs[pair_place(key)]
    window = np.int64(row.time_ns) >> _WINDOW_SHIFT
    if pair.key != key or window > pair.window + 1 or window < pair.window:
        pair.key, pair.bytes_before, pair.bytes = key, 0, 0
    elif window == pair.window + 1:
        pair.bytes_before, pair.bytes = pair.bytes, 0
    pair.window = window
    pair.bytes += np.uint64(row.original_bytes)
    return min(np.int64(pair.bytes) + np.int64(pair.bytes_before), 0xFFFFFFFF)


@compiled
def _kind_of_answer(row: Record, segment: Record) -> int:
    """What the row's acknowledgement makes of the segment, 0 for no sample."""
    if segment.is_syn:
        flags = row.tcp_flags & (SYN | RST | ACK)
        return SYN_ANSWERED if flags in (SYN | ACK, RST | ACK) else 0
    if row.tcp_flags & RST:
        return 0
    return REQUEST if row.payload_bytes > 0 or row.tcp_flags & FIN else DATA


@compiled
def _forget_first(flight: Record, count: int) -> None:
    for i in range(count, np.int64(flight.count)):
        flight.segments[i - count] = flight.segments[i]
    flight.count -= count


@inlined
def _acknowledged(s: Sampler, row: Record, flight: Record, from_client: int) -> None:
    """Ends the timing of what the row acknowledges. The newest of it is what provoked the ACK: the others may have
    waited for a delayed ACK (RFC 1122 section 4.2.3.2) and are no samples."""
    covered = 0
    while covered < flight.count and after(row.acknowledgement, flight.segments[covered].end) >= 0:
        covered += 1
    if covered == 0:
        return
    newest = flight.segments[covered - 1]
    kind = _kind_of_answer(row, newest)
    if kind:
        add_sample(s, row, newest.sent_ns, newest.frame, newest.recent_bytes, kind, newest.begin, from_client)
    _forget_first(flight, covered)


@inlined
def _begin_timing(flight: Record, row: Record, recent: int) -> None:
    is_syn = row.tcp_flags & SYN
    if flight.count == UNDER_WAY or (flight.count and row.time_ns - flight.last_ns < SPACING_NS):
        return
    segment = flight.segments[flight.count]
    flight.count += 1
    flight.last_ns = segment.sent_ns = row.time_ns
    segment.frame, segment.recent_bytes = row.frame, recent
    segment.begin = row.sequence
    length = 1 if is_syn else np.int64(row.payload_bytes)
    segment.end = (np.int64(row.sequence) + length) & 0xFFFFFFFF
    segment.is_syn = 1 if is_syn else 0


@inlined
def _send(flight: Record, row: Record, recent: int) -> None:
    """What the row's sender has under way from now on."""
    flags = row.tcp_flags & (SYN | ACK | RST)
    if flags & RST or row.marks & _AGAIN:
        flight.count = 0
    elif flags == SYN:
        flight.count = 0
        _begin_timing(flight, row, recent)
    elif flags == ACK and row.payload_bytes > 0 and not row.marks & (_PROBES | MARK_PREVIOUS_MISSING):
        _begin_timing(flight, row, recent)


@inlined
def _take_tcp(s: Sampler, row: Record, side: int, recent: int) -> None:
    place = 2 * (np.int64(row.connection) & (PLACES - 1))
    mine, other = s.flights[place + side], s.flights[place + 1 - side]
    owner = np.int64(row.connection) + 1
    if row.tcp_flags & ACK and other.owner == owner and other.count:
        _acknowledged(s, row, other, side)
    if row.payload_bytes == 0 and not row.tcp_flags & (SYN | RST):
        return
    if mine.owner != owner:
        mine.owner, mine.count = owner, 0
    _send(mine, row, recent)


@inlined
def _echo_place(row: Record, pair: int) -> tuple[int, int]:
    """(key, place) of an echo between the hosts that `pair` shows."""
    key = mix(pair ^ (np.uint64(row.sequence) * _PRIME_2)) | np.uint64(1)
    return key, np.int64(key >> np.uint64(20)) & (ECHOES - 1)


@compiled
def _ask(s: Sampler, row: Record, recent: int) -> None:
    key, place = _echo_place(row, _key_of(row))
    echo = s.echoes[place]
    ambiguous = 0
    if echo.key == key:
        if echo.ip_id == row.ip_id and row.time_ns - echo.sent_ns < COPY_NS:
            return
        ambiguous = 1
    echo.key, echo.sent_ns, echo.frame, echo.ip_id = key, row.time_ns, row.frame, row.ip_id
    echo.recent_bytes, echo.ambiguous = recent, ambiguous


@compiled
def _reply_key(row: Record) -> int:
    """The pair key of the packet that this one answers."""
    return pair_key(
        row.destination_high, row.destination_low, row.source_high, row.source_low, row.vantage, row.tunnel,
        row.vlan,
    )  # fmt: skip


@compiled
def _reply(s: Sampler, row: Record) -> None:
    key, place = _echo_place(row, _reply_key(row))
    echo = s.echoes[place]
    if echo.key != key:
        return
    echo.key = 0
    if echo.ambiguous:
        return
    add_sample(s, row, echo.sent_ns, echo.frame, echo.recent_bytes, ECHO, row.sequence, 0)


@inlined
def _take_icmp(s: Sampler, row: Record, recent: int) -> None:
    """Echo and echo reply (RFC 792, RFC 4443 section 4)."""
    kind = np.int64(row.icmp_type)
    if row.protocol == ICMP:
        if kind == 8:
            _ask(s, row, recent)
        elif kind == 0:
            _reply(s, row)
    elif kind == 128:
        _ask(s, row, recent)
    elif kind == 129:
        _reply(s, row)


@compiled
def sample(s: Sampler, row: Record, side: int, known_pair: int) -> None:
    """Takes a packet (PACKET_DTYPE; they come in file order) that the client (`side` 0) or the server of its connection
    sent; `known_pair` is its pair's key, or 0. It completes one sample at most, and there is room for that."""
    together()
    if row.ip_version == 0 or row.marks & MARK_COPY:
        return
    recent = _recent_bytes(s, row, known_pair)
    if row.layers != DECODED_TRANSPORT:
        return
    if row.protocol == TCP:
        _take_tcp(s, row, side, recent)
    elif row.protocol in (ICMP, ICMPV6):
        _take_icmp(s, row, recent)
