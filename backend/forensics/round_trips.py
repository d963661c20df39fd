"""Round trips of a capture: one row a sample, taken by the decoder where the packets pass.

A sample is a packet that asks for an answer and the packet that answers it, both seen at one vantage point. Packets
that were sent again give none, nor do packets sent while one that was sent again is unacknowledged: nobody can know
which of them was answered (Karn and Partridge 1987; RFC 6298 section 3). Copies of a packet are no samples."""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa

# Values of `kind`.
SYN_ANSWERED: Final = 1  # TCP SYN -> SYN-ACK or RST
ECHO: Final = 2  # ICMP echo -> reply
DATA: Final = 3  # TCP data -> ACK without data
REQUEST: Final = 4  # TCP data -> data that acknowledges it, or an HTTP/1 request -> response
LOOKUP: Final = 5  # DNS query -> answer
PRINTED: Final = 6  # printed by a tool that probes: only the text shows it

KIND_NAMES: Final = {
    SYN_ANSWERED: "SYN",
    ECHO: "ICMP echo",
    DATA: "data",
    REQUEST: "request",
    LOOKUP: "DNS",
    PRINTED: "printed",
}

BY_KERNEL: Final = frozenset((SYN_ANSWERED, ECHO, DATA, PRINTED))
"""Kinds that the responder's kernel answers without its application."""

ROUND_TRIP_DTYPE: Final = np.dtype(
    [
        ("sent_ns", "<i8"),  # UTC, ns since 1970
        ("rtt_ns", "<i8"),
        ("sent_frame", "<u8"),  # 1-based number in the file
        ("answer_frame", "<u8"),
        ("prober_high", "<u8"),  # who sent what is answered
        ("prober_low", "<u8"),
        ("responder_high", "<u8"),
        ("responder_low", "<u8"),
        ("vantage", "<u4"),  # index into the capture's vantage points
        ("connection", "<u4"),  # row of the capture's connection table; NO_CONNECTION for echoes
        ("sequence", "<u4"),  # TCP sequence number of what was sent; of an echo identifier << 16 | sequence
        (
            "recent_bytes",
            "<u4",
        ),  # that the prober had sent to the responder in the last 34 to 67 ms, this included
        ("prober_port", "<u2"),  # 0 for echoes
        ("responder_port", "<u2"),
        ("kind", "u1"),
        ("from_client", "u1"),  # the connection's client is the prober
    ]
)
"""One sample. Timed are a SYN, an echo, and data at least 1 ms after the data timed before it on that side."""

ROUND_TRIP_SCHEMA: Final = pa.schema(
    [(name, pa.from_numpy_dtype(ROUND_TRIP_DTYPE[name])) for name in ROUND_TRIP_DTYPE.names or ()]
)
