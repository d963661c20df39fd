"""Application messages and ICMP errors found in a capture: one table a kind, one row a message.

Numbers are those of the packet table: times in ns since 1970 (UTC), frames 1-based, `connection` the row of the
capture's connection table, NEVER (-1) where something was not seen. A message seen at several vantage points has
a row at each. Texts are printable ASCII, other bytes shown as ``?``, cut at the length stated in `TEXTS`.

What is secret stays outside by construction: bodies, cookies, Authorization and metadata tokens are never copied;
of a query string only the names of the parameters are kept (``/v1/ads?q=*``), of a path no value after ``=``; of a
metadata answer only times, a lifetime and the result code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np
import pyarrow as pa

# Bits of `marks` in HTTP_DTYPE.
REQUEST_SEEN: Final = 0x0001  # its request line was
RESPONSE_SEEN: Final = 0x0002  # its status line was
REQUEST_COMPLETE: Final = 0x0004  # its last byte was seen, or lies behind bytes known to belong to its body
RESPONSE_COMPLETE: Final = 0x0008
REQUEST_CUT: Final = (
    0x0010  # bytes are missing in the capture (or by the snap length), so its end is not known
)
RESPONSE_CUT: Final = 0x0020
CHUNKED: Final = 0x0040  # the response's body was
UNTIL_CLOSE: Final = 0x0080  # the response ended with its connection
PAIRED_BY_ACK: Final = 0x0100  # bytes were missing; the pair was known by what the response acknowledges
FORGOTTEN: Final = 0x0200  # it left the decoder's bounded memory before it ended
CLOSES: Final = 0x0400  # either head says ``Connection: close``
SENT_TOKEN: Final = 0x0800  # the request carries an IMDSv2 token (its value is not kept)
SENT_AUTHORIZATION: Final = 0x1000  # the request carries an Authorization header (its value is not kept)
HELD_CREDENTIALS: Final = (
    0x2000  # a header or the beginning of a body holds what may be credentials (not kept)
)

HTTP_DTYPE: Final = np.dtype(
    [
        ("connection", "<u4"),
        ("vantage", "<u4"),
        ("request_sequence", "<u4"),  # TCP sequence number of the first byte: the same at every vantage point
        ("response_sequence", "<u4"),
        ("request_first_ns", "<i8"),  # packet with the first byte of the request line
        ("request_last_ns", "<i8"),  # packet with the last byte of the body; NEVER unless REQUEST_COMPLETE
        ("response_first_ns", "<i8"),  # packet with the first byte of the status line (1xx left out)
        ("response_last_ns", "<i8"),  # NEVER unless RESPONSE_COMPLETE
        ("request_first_frame", "<i8"),
        ("request_last_frame", "<i8"),
        ("response_first_frame", "<i8"),
        ("response_last_frame", "<i8"),
        ("request_bytes", "<i8"),  # head and body on the wire, as far as seen
        ("response_bytes", "<i8"),
        ("date_s", "<i8"),  # the response's Date header, s since 1970, or NEVER
        ("retry_after_s", "<i8"),  # of the response, when given in seconds, or NEVER
        ("token_ttl_s", "<i8"),  # X-aws-ec2-metadata-token-ttl-seconds of either, or NEVER
        ("expiration_ns", "<i8"),  # `Expiration` in a credentials answer, or NEVER
        ("last_updated_ns", "<i8"),  # `LastUpdated` there, or NEVER
        ("expires_in_s", "<i8"),  # `expires_in` (GCP, Azure) there, or NEVER
        ("status", "<u2"),  # 0 when no response was seen
        ("marks", "<u2"),
        (
            "from_client",
            "u1",
        ),  # 1 when the connection's client sent the request (0: its server, or not known)
    ]
)
"""One HTTP/1 exchange at one vantage point: a request, its response, or both."""

DNS_DTYPE: Final = np.dtype(
    [
        ("frame", "<u8"),  # over TCP: the frame that completes it
        ("time_ns", "<i8"),
        ("connection", "<u4"),  # one socket and one resolver; (connection, id) joins query and answer
        ("vantage", "<u4"),
        ("id", "<u2"),
        (
            "header",
            "<u2",
        ),  # flags and codes as sent (RFC 1035 section 4.1.1): 0x8000 answer, 0x0200 truncated
        ("type", "<u2"),  # of the question: 1 A, 28 AAAA; 0 without question
        ("questions", "<u2"),
        ("answers", "<u2"),  # records in the answer section
        ("rcode", "u1"),
        ("over_tcp", "u1"),
        ("cut", "u1"),  # the capture holds only its beginning
        ("address_version", "u1"),  # 4 or 6 when there is an A or AAAA answer, else 0
        ("address_high", "<u8"),  # the first of them
        ("address_low", "<u8"),
        ("address_ttl_s", "<u4"),
        ("bytes", "<u4"),
    ]
)
"""One DNS message, query or answer. mDNS, LLMNR and NetBIOS (ports 5353, 5355, 137) are left out."""

HELLO: Final = 1
ALERT: Final = 2

TLS_DTYPE: Final = np.dtype(
    [
        ("frame", "<u8"),  # of the first byte
        ("time_ns", "<i8"),
        ("connection", "<u4"),
        ("vantage", "<u4"),
        ("kind", "u1"),  # HELLO (the client's) or ALERT (one sent in the clear)
        ("alert_level", "u1"),  # 1 warning, 2 fatal
        ("alert_code", "u1"),  # RFC 8446 section 6
        ("from_client", "u1"),
        ("version", "<u2"),  # the highest offered, 0x0304 is TLS 1.3
    ]
)
"""One TLS ClientHello or alert."""

ICMP_ERROR_DTYPE: Final = np.dtype(
    [
        ("frame", "<u8"),
        ("time_ns", "<i8"),
        ("vantage", "<u4"),
        ("connection", "<u4"),  # the quoted packet's, or NO_CONNECTION when that was never seen here
        ("ip_version", "u1"),
        ("type", "u1"),  # v4: 3, 4, 5, 11, 12; v6: 1, 2, 3, 4
        ("code", "u1"),
        ("quoted_protocol", "u1"),
        ("mtu_bytes", "<u4"),  # of v4 type 3 code 4 and v6 type 2, else 0
        ("sender_high", "<u8"),
        ("sender_low", "<u8"),
        ("receiver_high", "<u8"),
        ("receiver_low", "<u8"),
        ("quoted_source_high", "<u8"),
        ("quoted_source_low", "<u8"),
        ("quoted_destination_high", "<u8"),
        ("quoted_destination_low", "<u8"),
        ("quoted_source_port", "<u2"),  # 0 without ports
        ("quoted_destination_port", "<u2"),
        ("quoted_sequence", "<u4"),  # of a TCP packet
        ("quoted_bytes", "<u4"),  # length of the quoted packet by its IP header
    ]
)
"""One ICMP error that quotes a packet."""

NEIGHBOR_QUESTION, NEIGHBOR_ANSWER = 1, 2

NEIGHBOR_DTYPE: Final = np.dtype(
    [
        ("frame", "<i8"),
        ("time_ns", "<i8"),
        ("vantage", "<u4"),
        ("kind", "u1"),  # NEIGHBOR_QUESTION or NEIGHBOR_ANSWER
        ("link_address", "<u8"),  # the sender's MAC address as a 48-bit number
        ("sender_high", "<u8"),  # the address that has it
        ("sender_low", "<u8"),
        ("target_high", "<u8"),  # who was asked for, or who receives the answer
        ("target_low", "<u8"),
    ]
)
"""One ARP packet (RFC 826) or neighbor advertisement (RFC 4861) that says which MAC address an address has."""

WRONG_CHECKSUM_DTYPE: Final = np.dtype(
    [
        ("frame", "<i8"),
        ("time_ns", "<i8"),
        ("vantage", "<u4"),
        ("connection", "<u4"),  # or NO_CONNECTION
        ("source_high", "<u8"),
        ("source_low", "<u8"),
        ("destination_high", "<u8"),
        ("destination_low", "<u8"),
        ("source_port", "<u2"),
        ("destination_port", "<u2"),
        ("protocol", "u1"),
        ("ip_id", "<u4"),
        ("sequence", "<u4"),
        ("payload_bytes", "<u4"),
        ("checksums", "<u2"),  # as in the packet table
    ]
)
"""One packet with a wrong checksum: the first WRONG_CHECKSUMS of each connection, and WRONG_CHECKSUMS_IN_ALL."""
WRONG_CHECKSUMS: Final = 64
WRONG_CHECKSUMS_IN_ALL: Final = 1 << 16

TEXTS: Final[Mapping[str, Mapping[str, int]]] = {
    "http": {
        "method": 24,
        "host": 128,
        "path": 512,
        "user_agent": 256,
        "request_id": 128,  # X-Request-Id of the request, else of the response
        "traceparent": 64,
        "server": 64,
        "location": 256,
        "metadata_code": 32,  # `Code` in a credentials answer
    },
    "dns": {"name": 255},  # of the question, lower case, without the last dot
    "tls": {"server_name": 255, "alpn": 64},  # ALPN names joined by commas
    "icmp_errors": {},
    "neighbors": {},
    "wrong_checksums": {},
}
"""Text columns of each table and their longest value in bytes."""

DTYPES: Final[Mapping[str, np.dtype[np.void]]] = {
    "http": HTTP_DTYPE,
    "dns": DNS_DTYPE,
    "tls": TLS_DTYPE,
    "icmp_errors": ICMP_ERROR_DTYPE,
    "neighbors": NEIGHBOR_DTYPE,
    "wrong_checksums": WRONG_CHECKSUM_DTYPE,
}


def message_schema(table: str) -> pa.Schema:
    """Columns of a table: the record's fields, then its texts."""
    dtype = DTYPES[table]
    fields = [(name, pa.from_numpy_dtype(dtype[name])) for name in dtype.names or ()]
    return pa.schema([*fields, *((name, pa.string()) for name in TEXTS[table])])


class MessageTable(Protocol):
    """Messages of one kind, in memory or in a file. Rows are in the order in which the messages ended."""

    @property
    def rows(self) -> int:
        """How many there are."""

    def read(self, columns: Sequence[str]) -> pa.Table:
        """These columns of all rows. Memory: the columns asked for."""

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """The same in parts, for tables of millions of rows."""


class HeldMessages:
    """A table held in memory."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    @property
    def rows(self) -> int:
        """How many there are."""
        return int(self._table.num_rows)

    def read(self, columns: Sequence[str]) -> pa.Table:
        """These columns of all rows."""
        return self._table.select(list(columns))

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """The same in parts."""
        yield from self._table.select(list(columns)).to_batches()


def no_messages(table: str) -> MessageTable:
    """A table without rows."""
    return HeldMessages(message_schema(table).empty_table())


@dataclass(frozen=True)
class Messages:
    """The message tables of one capture."""

    http: MessageTable = field(default_factory=lambda: no_messages("http"))
    dns: MessageTable = field(default_factory=lambda: no_messages("dns"))
    tls: MessageTable = field(default_factory=lambda: no_messages("tls"))
    icmp_errors: MessageTable = field(default_factory=lambda: no_messages("icmp_errors"))
    neighbors: MessageTable = field(default_factory=lambda: no_messages("neighbors"))
    wrong_checksums: MessageTable = field(default_factory=lambda: no_messages("wrong_checksums"))

    def table(self, name: str) -> MessageTable:
        """One of them by its name in `DTYPES`."""
        found: MessageTable = getattr(self, name)
        return found
