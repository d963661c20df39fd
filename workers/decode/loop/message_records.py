"""The records with which messages are read out of connections, and the sizes of the bounded memory for it.

The packet loop only notices where a message may be (`PIECE_DTYPE`); the messages are read afterwards, from the
same buffer, before the loop goes on. So a packet without messages costs the loop one look at four bytes.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Any, Final

import numpy as np

from backend.forensics.messages import (
    DNS_DTYPE,
    HTTP_DTYPE,
    ICMP_ERROR_DTYPE,
    NEIGHBOR_DTYPE,
    TEXTS,
    TLS_DTYPE,
    WRONG_CHECKSUM_DTYPE,
    WRONG_CHECKSUMS_IN_ALL,
)
from workers.decode.loop.records import BATCH_ROWS

PIECE_DTYPE: Final = np.dtype([("row", "<i4"), ("at", "<i4"), ("bytes", "<i4")])
"""Payload of a packet that may belong to a message: packet row, place in the buffer, bytes captured."""

TALKS: Final = 1 << 16
"""Connections that may be in the middle of a message at once; a number (mod TALKS) is its place. One that has
to give way is read anew from its next message on."""
EXCHANGES: Final = 1 << 13
"""Requests that wait for their response's end at once."""
SCRATCHES: Final = 1 << 11
SCRATCH_BYTES: Final = 4096
"""Beginnings of lines (and of TLS and DNS messages) that end in a later segment."""
TOKEN_BYTES: Final = 64
TAIL_BYTES: Final = 16
LINE_BYTES: Final = SCRATCH_BYTES - TOKEN_BYTES - TAIL_BYTES
"""In a scratch: the first bytes of a line, its last bytes (in a ring), a JSON token."""
STASHES: Final = 1 << 10
STASH_BYTES: Final = 4096
"""Segments that came before the one in front of them."""
STASHED_AT_MOST: Final = 8
"""Segments a stream waits with for a missing one; then it is taken for lost."""
WAITING_AT_MOST: Final = 64
"""Requests on one connection without a response; more are given up as FORGOTTEN."""

BATCH: Final = 1 << 14
RESERVE: Final = 4096
"""Rows of each output table, and those kept free for what one step can add."""

# What a stream (one direction of a connection) expects next.
IDLE, LINE, BODY, CHUNK_SIZE, CHUNK, CHUNK_END, TRAILER, UNTIL_END, OPAQUE, TLS, DNS = range(11)

# Of which message the lines are.
REQUEST, RESPONSE, INFORMATIONAL = 0, 1, 2

MESSAGE_STATE_DTYPE: Final = np.dtype(
    [
        (name, "<i8")
        for name in (
            "pieces", "icmp_errors", "neighbors", "wrong_checksums",  # noticed by the packet loop
            "talks",  # places of talks used so far, the highest + 1
            "piece", "ended", "full", "hurry",  # next piece; next talk to end; out of room; must not stop for room
            "http", "dns", "tls",  # rows filled
            "free_exchange", "used_exchanges", "hand_exchange",
            "free_scratch", "used_scratches", "hand_scratch",
            "free_stash", "used_stashes",
            "time_ns", "frame", "sequence", "acknowledgement",  # of the packet at hand
            "noted_checksums",  # so far in the capture
            "forgotten", "cut", "malformed_dns",  # counted for warnings
        )
    ]
)  # fmt: skip

TALK_DTYPE: Final = np.dtype(
    [
        ("connection", "<i8"),  # + 1; 0 is nobody
        ("vantage", "<i8"),
        ("first", "<i4"),  # exchanges that wait for a response, + 1
        ("last", "<i4"),
        ("waiting", "<i4"),
        ("is_dns", "u1"),
        ("fins", "u1"),  # bit 0: the client's FIN was seen, bit 1: the server's
        ("unsure", "u1"),  # bytes are missing: a response is paired only by what it acknowledges
    ]
)

STREAM_DTYPE: Final = np.dtype(
    [
        ("next", "<u4"),  # sequence number expected next
        ("known", "u1"),  # whether `next` means something
        ("mode", "u1"),
        ("message", "u1"),  # REQUEST, RESPONSE, INFORMATIONAL
        ("chunked", "u1"),
        ("bad_length", "u1"),
        ("stashed", "u1"),  # how many segments wait
        ("scan", "u1"),  # look for times in the body
        ("in_string", "u1"),
        ("escaped", "u1"),
        ("after_colon", "u1"),
        ("key", "u1"),
        ("token", "u1"),  # bytes of the JSON token so far
        ("first_stash", "<i4"),  # + 1
        ("scratch", "<i4"),  # + 1
        ("exchange", "<i4"),  # + 1
        ("lines", "<i8"),  # of this head so far
        ("kept", "<i8"),  # bytes of the unfinished line so far
        ("bytes", "<i8"),  # of this message so far
        ("left", "<i8"),  # of the body or chunk
        ("length", "<i8"),  # Content-Length, or -1
        ("scan_left", "<i8"),
        ("look_left", "<i8"),  # bytes of the body in which words of credentials are looked for
        ("begin_ns", "<i8"),
        ("begin_frame", "<i8"),
        ("begin_sequence", "<u4"),
        ("begin_acknowledgement", "<u4"),
    ]
)

LINK_DTYPE: Final = np.dtype(
    [
        ("next", "<i4"),  # next exchange of the talk, or next free one; + 1
        ("talk", "<i4"),
        ("waits", "u1"),  # in the talk's queue
        ("scan", "u1"),  # its answer holds credentials' times
        ("method", "u1"),  # one of the METHOD_ numbers
        ("ends", "u1"),  # whether `request_end` means something
        ("acknowledged", "<u4"),  # by its first segment
        ("request_end", "<u4"),  # sequence number after the request
    ]
)
METHOD_OTHER, METHOD_HEAD, METHOD_CONNECT = 0, 1, 2

STASH_DTYPE: Final = np.dtype(
    [
        ("next", "<i4"),  # of the stream, or free; + 1
        ("sequence", "<u4"),
        ("acknowledgement", "<u4"),
        ("bytes", "<i8"),  # captured
        ("wire_bytes", "<i8"),
        ("time_ns", "<i8"),
        ("frame", "<i8"),
    ]
)

_COLUMNS: Final = [(table, name, limit) for table, texts in TEXTS.items() for name, limit in texts.items()]
TEXT_NAMES: Final = tuple((table, name) for table, name, _ in _COLUMNS)
TEXT_LIMITS: Final = np.array([limit for _, _, limit in _COLUMNS], np.int64)
TEXT_PLACES: Final = np.array([0, *accumulate(limit for _, _, limit in _COLUMNS)], np.int64)
HTTP_TEXTS: Final = len(TEXTS["http"])
METHOD, HOST, PATH, USER_AGENT, REQUEST_ID, TRACEPARENT, SERVER, LOCATION, METADATA_CODE = range(HTTP_TEXTS)
DNS_NAME, TLS_NAME, TLS_ALPN = HTTP_TEXTS, HTTP_TEXTS + 1, HTTP_TEXTS + 2
EXCHANGE_TEXT_BYTES: Final = int(TEXT_PLACES[HTTP_TEXTS])

MEMORY_DTYPE: Final = np.dtype(
    [
        ("states", MESSAGE_STATE_DTYPE, (1,)),
        # What the packet loop notices in a batch of packets:
        ("talking", "<u4", (TALKS,)),  # connections whose packets are looked at, + 1, each at its place
        ("pieces", PIECE_DTYPE, (BATCH_ROWS,)),
        ("icmp_errors", ICMP_ERROR_DTYPE, (BATCH_ROWS,)),
        ("neighbors", NEIGHBOR_DTYPE, (BATCH_ROWS,)),
        ("wrong_checksums", WRONG_CHECKSUM_DTYPE, (WRONG_CHECKSUMS_IN_ALL,)),
        # What is being read:
        ("talks", TALK_DTYPE, (TALKS,)),
        ("streams", STREAM_DTYPE, (2 * TALKS,)),  # two a talk, the client's first
        ("exchanges", HTTP_DTYPE, (EXCHANGES,)),
        ("links", LINK_DTYPE, (EXCHANGES,)),
        ("lengths", "<i4", (EXCHANGES, HTTP_TEXTS)),
        ("texts", "u1", (EXCHANGES * EXCHANGE_TEXT_BYTES,)),  # of the open exchanges
        ("scratch", "u1", (SCRATCHES * SCRATCH_BYTES,)),
        ("owners", "<i4", (SCRATCHES,)),  # of each scratch its stream, or the next free one + 1
        ("stashes", STASH_DTYPE, (STASHES,)),
        ("stash", "u1", (STASHES * STASH_BYTES,)),
        # Rows that are complete:
        ("http", HTTP_DTYPE, (BATCH,)),
        ("dns", DNS_DTYPE, (BATCH,)),
        ("tls", TLS_DTYPE, (BATCH,)),
        ("offsets", "<i4", (len(TEXT_NAMES), BATCH + 1)),  # where the text of row r ends, at r + 1
        ("arena", "u1", (BATCH * int(TEXT_PLACES[-1]),)),  # texts of column k from BATCH x TEXT_PLACES[k]
    ]
)
"""One record that holds everything: 90 MB of addresses, of which only the pages in use become memory. A single
record is one pointer to compiled code, where a dozen arrays are a hundred numbers at each call."""

Memory = Any
"""The record of MEMORY_DTYPE inside compiled code."""
