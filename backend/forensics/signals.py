"""Packets at which a TCP connection had a TCP anomaly or woke up: picked by the decoder where the packets pass.

A connection's own counters say how often; these rows say when, and what came before."""

from __future__ import annotations

from typing import Final

import numpy as np

# Bits of `kind`.
SENT_AGAIN: Final = 0x01  # data that this side had sent before
CLOSED: Final = 0x02  # the first packet with a window of 0 of this side
OPENED: Final = 0x04  # the first with room again, or its end
AFTER_SILENCE: Final = 0x08  # the first packet of the connection for SILENCE_NS
REPLY: Final = 0x10  # the first of the other side after such a packet
PASSED: Final = 0x20  # acknowledges a large segment that the other side had to send again
FILLED: Final = 0x40  # with SENT_AGAIN: fills a hole, so that these bytes are seen here for the first time
FIRST_COPY: Final = (
    0x80  # acknowledges the first copy of data that was sent again: that retransmission was spurious
)

SILENCE_NS: Final = 20_000_000_000
"""Below the shortest time-out of a NAT or load balancer that is known: 30 s for UDP, 60 s for TCP."""

LARGE_BYTES: Final = 1_000
"""Segments from here on are large: every way takes smaller ones."""

SIGNAL_DTYPE: Final = np.dtype(
    [
        ("time_ns", "<i8"),
        ("silence_ns", "<i8"),  # since the connection's packet before, 0 for its first
        ("frame", "<u8"),
        ("previous_frame", "<u8"),  # of that packet, 0 without one
        ("connection", "<u4"),
        ("vantage", "<u4"),
        ("sequence", "<u4"),
        ("acknowledgement", "<u4"),
        ("payload_bytes", "<u4"),
        ("passed_bytes", "<u4"),  # largest segment of this side so far that the other acknowledged
        ("marks", "<u2"),
        ("tcp_flags", "<u2"),
        ("kind", "u1"),
        ("from_client", "u1"),
        ("last_of_all", "u1"),  # its last byte is the last that this side has sent
        ("header_bytes", "u1"),  # of IP and TCP with the timestamps option, without extension headers
    ]
)
"""One such packet. Times are those of the capture."""
