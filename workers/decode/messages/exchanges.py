"""Which response belongs to which request of a connection (RFC 9112 section 9.3)."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import numpy as np

from backend.forensics.connections import NEVER
from backend.forensics.messages import (
    FORGOTTEN,
    PAIRED_BY_ACK,
    REQUEST_COMPLETE,
    REQUEST_CUT,
    REQUEST_SEEN,
    RESPONSE_COMPLETE,
    RESPONSE_CUT,
    RESPONSE_SEEN,
)
from workers.decode.loop.compiler import apart, compiled, inlined
from workers.decode.loop.message_records import (
    HTTP_TEXTS,
    IDLE,
    METHOD_OTHER,
    REQUEST,
    WAITING_AT_MOST,
    Memory,
)
from workers.decode.messages.credentials_body import forget_times
from workers.decode.messages.rows import free_scratch, free_stash, put_http_row


@inlined
def _clear(m: Memory, exchange: int, talk: int) -> None:
    record = m.exchanges[exchange]
    owner = m.talks[talk]
    record.connection, record.vantage = owner.connection - 1, owner.vantage
    record.request_sequence = record.response_sequence = 0
    record.request_first_ns = record.request_last_ns = NEVER
    record.response_first_ns = record.response_last_ns = NEVER
    record.request_first_frame = record.request_last_frame = NEVER
    record.response_first_frame = record.response_last_frame = NEVER
    record.request_bytes = record.response_bytes = 0
    record.status = record.marks = record.from_client = 0
    forget_times(m, exchange)
    for column in range(HTTP_TEXTS):
        m.lengths[exchange, column] = 0
    link = m.links[exchange]
    link.next = link.waits = link.scan = link.ends = 0
    link.talk = talk
    link.method = METHOD_OTHER


@compiled
def _settle(m: Memory, exchange: int, stream: int) -> None:
    """A stream that is still in one of the exchange's messages leaves it."""
    record = m.streams[stream]
    if record.exchange != exchange + 1:
        return
    if record.message == REQUEST:
        m.exchanges[exchange].request_bytes = record.bytes
    else:
        m.exchanges[exchange].response_bytes = record.bytes
    record.exchange = 0


@compiled
def _unlink(m: Memory, exchange: int) -> None:
    """Takes a waiting exchange out of its talk's queue."""
    link = m.links[exchange]
    if not link.waits:
        return
    talk = m.talks[link.talk]
    before, at = 0, np.int64(talk.first)
    while at != exchange + 1:
        before, at = at, np.int64(m.links[at - 1].next)
    if before == 0:
        talk.first = link.next
    else:
        m.links[before - 1].next = link.next
    if talk.last == exchange + 1:
        talk.last = before
    talk.waiting -= 1
    link.waits = link.next = 0


@compiled
def put_exchange(m: Memory, exchange: int) -> None:
    """The exchange is over: writes its row and frees its place."""
    apart()
    _unlink(m, exchange)
    link = m.links[exchange]
    _settle(m, exchange, 2 * link.talk)
    _settle(m, exchange, 2 * link.talk + 1)
    put_http_row(m, exchange)
    state = m.states[0]
    link.next = state.free_exchange
    link.talk = -1
    state.free_exchange = exchange + 1


@compiled
def end_talk(m: Memory, talk: int, why: int) -> None:
    """Writes what is open (with the flag `why`) and forgets the connection."""
    apart()
    record = m.talks[talk]
    if record.connection == 0:
        return
    for stream in (2 * talk, 2 * talk + 1):
        own = m.streams[stream]
        exchange = np.int64(own.exchange) - 1
        if exchange >= 0 and not m.links[exchange].waits:
            m.exchanges[exchange].marks |= why
            put_exchange(m, exchange)
        free_scratch(m, stream)
        while own.first_stash > 0:
            following = m.stashes[own.first_stash - 1].next
            free_stash(m, np.int64(own.first_stash))
            own.first_stash = following
        own.stashed = own.known = 0
        own.mode = IDLE
    while record.first > 0:
        m.exchanges[record.first - 1].marks |= why
        put_exchange(m, np.int64(record.first) - 1)
    m.streams[2 * talk].exchange = m.streams[2 * talk + 1].exchange = 0
    if m.talking[talk] == record.connection:
        m.talking[talk] = 0
    record.connection = record.unsure = record.fins = 0


@compiled
def new_exchange(m: Memory, talk: int) -> int:
    """A free exchange; where there is none, that of the connection whose turn it is is given up."""
    apart()
    state = m.states[0]
    if state.free_exchange == 0 and state.used_exchanges == m.exchanges.size:
        while m.links[state.hand_exchange].talk == talk:
            state.hand_exchange = (state.hand_exchange + 1) % m.exchanges.size
        victim = np.int64(m.links[state.hand_exchange].talk)
        state.hand_exchange = (state.hand_exchange + 1) % m.exchanges.size
        state.forgotten += m.talks[victim].waiting
        end_talk(m, victim, FORGOTTEN)
    found = state.free_exchange
    if found > 0:
        state.free_exchange = m.links[found - 1].next
    else:
        state.used_exchanges += 1
        found = state.used_exchanges
    exchange = np.int64(found) - 1
    _clear(m, exchange, talk)
    return exchange


@inlined
def _make_way(m: Memory, talk: int) -> None:
    """Keeps the queue bounded."""
    record = m.talks[talk]
    if record.waiting >= WAITING_AT_MOST:
        m.states[0].forgotten += 1
        record.unsure = 1
        m.exchanges[record.first - 1].marks |= FORGOTTEN
        put_exchange(m, np.int64(record.first) - 1)


@compiled
def open_request(m: Memory, talk: int, stream: int) -> int:
    """A new exchange at the end of the queue, for the request that the stream begins."""
    _make_way(m, talk)
    exchange = new_exchange(m, talk)
    own, record, link = m.streams[stream], m.exchanges[exchange], m.links[exchange]
    record.marks = REQUEST_SEEN
    record.from_client = 1 - stream % 2
    record.request_first_ns = own.begin_ns
    record.request_first_frame = own.begin_frame
    record.request_sequence = own.begin_sequence
    link.acknowledged = own.begin_acknowledgement
    link.waits = 1
    queue = m.talks[talk]
    if queue.last > 0:
        m.links[queue.last - 1].next = exchange + 1
    else:
        queue.first = exchange + 1
    queue.last = exchange + 1
    queue.waiting += 1
    return exchange


@inlined
def _known_by_acknowledgement(m: Memory, talk: int, acknowledgement: int) -> int:
    """The waiting request that ends where the response's acknowledgement says, or -1.

    Of requests sent in one go (nothing of the server's acknowledged in between) only the first is known so: the
    server may have had all of them when it began to answer."""
    at, before = np.int64(m.talks[talk].first), np.int64(0)
    while at > 0:
        if before > 0 and m.links[before - 1].acknowledged == m.links[at - 1].acknowledged:
            return -1
        before = at
        if m.links[at - 1].ends and m.links[at - 1].request_end == acknowledgement:
            return at - 1
        at = np.int64(m.links[at - 1].next)
    return -1


@inlined
def _request_of(m: Memory, talk: int, stream: int) -> int:
    """The waiting exchange that the response beginning in `stream` answers, or -1."""
    queue = m.talks[talk]
    if queue.first == 0:
        return -1
    if not queue.unsure:
        first = np.int64(queue.first) - 1
        return first if m.exchanges[first].from_client == stream % 2 else -1
    found = _known_by_acknowledgement(m, talk, np.int64(m.streams[stream].begin_acknowledgement))
    if found < 0:
        return -1
    while queue.first != found + 1:  # the answers to these went missing
        put_exchange(m, np.int64(queue.first) - 1)
    queue.unsure = 0
    m.exchanges[found].marks |= PAIRED_BY_ACK
    return found


@inlined
def open_response(m: Memory, talk: int, stream: int) -> int:
    """The exchange of the response that the stream begins: its request's, or a new one without."""
    exchange = _request_of(m, talk, stream)
    if exchange < 0:
        exchange = new_exchange(m, talk)
        m.exchanges[exchange].from_client = stream % 2
        m.talks[talk].unsure = 1  # its request may have been captured late, or never
    _unlink(m, exchange)
    own, record = m.streams[stream], m.exchanges[exchange]
    record.marks |= RESPONSE_SEEN
    record.response_first_ns = own.begin_ns
    record.response_first_frame = own.begin_frame
    record.response_sequence = own.begin_sequence
    return exchange


@compiled
def end_message(m: Memory, stream: int) -> None:
    """The stream's message is complete with the packet at hand."""
    apart()
    own, state = m.streams[stream], m.states[0]
    exchange = np.int64(own.exchange) - 1
    if exchange < 0:
        return
    record = m.exchanges[exchange]
    if own.message == REQUEST:
        record.marks |= REQUEST_COMPLETE
        record.request_last_ns, record.request_last_frame = state.time_ns, state.frame
        record.request_bytes = own.bytes
        m.links[exchange].request_end = (np.int64(own.begin_sequence) + own.bytes) & 0xFFFFFFFF
        m.links[exchange].ends = 1
        own.exchange = 0
    else:
        record.marks |= RESPONSE_COMPLETE
        record.response_last_ns, record.response_last_frame = state.time_ns, state.frame
        record.response_bytes = own.bytes
        put_exchange(m, exchange)


@compiled
def cut_message(m: Memory, stream: int, seen_to: int) -> None:
    """Bytes of the stream's message are missing, so that nobody knows where it ends.

    `seen_to`: sequence number after the packet in which a request was cut by the snap length: a response that
    acknowledges just this is the request's; -1 when whole packets are missing."""
    apart()
    own = m.streams[stream]
    exchange = np.int64(own.exchange) - 1
    if exchange < 0:
        return
    m.states[0].cut += 1
    if own.message == REQUEST:
        m.exchanges[exchange].marks |= REQUEST_CUT
        m.exchanges[exchange].request_bytes = own.bytes
        if seen_to >= 0:
            m.links[exchange].request_end, m.links[exchange].ends = seen_to, 1
        own.exchange = 0
    else:
        m.exchanges[exchange].marks |= RESPONSE_CUT
        put_exchange(m, exchange)
