"""The packet table: one row a frame, written by the decoder, read by everyone else.

Addresses are 128-bit values in two halves; an IPv4 address is stored v4-mapped (``::ffff:a.b.c.d``),
so that one pair of columns serves both families. All numbers are in host order.
"""

from __future__ import annotations

from typing import Final

import numpy as np

# TCP flag bits as on the wire (RFC 9293 section 3.1).
FIN: Final = 0x01
SYN: Final = 0x02
RST: Final = 0x04
PSH: Final = 0x08
ACK: Final = 0x10

# IP protocol numbers (IANA).
ICMP: Final = 1
TCP: Final = 6
UDP: Final = 17
ICMPV6: Final = 58

# Values of `layers`: how far the frame was understood.
DECODED_TRANSPORT: Final = 3
DECODED_NETWORK: Final = 2
DECODED_LINK: Final = 1
UNDECODED: Final = 0

# Bits of `marks`: what the connection tracker saw in this packet, in its own vantage point only, with what that
# vantage point had seen before. `docs/tcp-analysis.md` compares them with tshark's.
MARK_RETRANSMISSION: Final = (
    0x0001  # bytes, SYN or FIN that this side has sent before (RFC 9293 section 3.8.1)
)
MARK_OUT_OF_ORDER: Final = 0x0002  # fills a hole sooner than a repetition could: reordered in transit
MARK_LOST_SEGMENT: Final = 0x0004  # an ACK for data that this vantage point never saw
MARK_COPY: Final = 0x0008  # the same packet again at the same vantage point (mirror, bridge and port)
MARK_KEEP_ALIVE: Final = 0x0010  # at most the last byte once more, to provoke an ACK (RFC 1122 4.2.3.6)
MARK_FAST_RETRANSMISSION: Final = 0x0020  # retransmission after three duplicate ACKs (RFC 5681 3.2, RFC 6675)
MARK_SPURIOUS_RETRANSMISSION: Final = 0x0040  # retransmission of what the receiver had acknowledged already
MARK_DUPLICATE_ACK: Final = 0x0080  # RFC 5681 section 2: no data, same ACK, same window, data outstanding
MARK_ZERO_WINDOW: Final = 0x0100  # the sender of this packet can take no more data
MARK_WINDOW_FULL: Final = 0x0200  # this segment uses the receiver's window up to the last byte
MARK_ZERO_WINDOW_PROBE: Final = 0x0400  # one byte beyond a closed window (RFC 9293 section 3.8.6.1)
MARK_KEEP_ALIVE_ACK: Final = 0x0800  # answers a keep-alive
MARK_PREVIOUS_MISSING: Final = 0x1000  # begins beyond the next byte expected of this side
MARK_WINDOW_UPDATE: Final = 0x2000  # no data, same ACK, another window
MARK_SUPER_FRAME: Final = 0x4000  # larger than the MSS, or IP length 0: captured before the card cut it up
MARK_PORT_REUSE: Final = 0x8000  # a SYN with a new ISN on a tuple that another connection had

# Values of `sack`: the number of SACK blocks (RFC 2018) and these bits.
SACK_PERMITTED: Final = 0x40  # of a SYN
SACK_DUPLICATE: Final = 0x80  # the first block reports what came twice (RFC 2883)

NO_WINDOW_SCALE: Final = 0xFF
"""`window_scale` of a SYN without the option."""
UNKNOWN_WINDOW_SCALE: Final = 0xFE
"""`window_scale` of a SYN whose options the snap length cut."""

# Values of `direction_hint`, from the packet type of a Linux cooked header (packet(7), PACKET_OUTGOING = 4).
HINT_UNKNOWN: Final = 0
HINT_INCOMING: Final = 1
HINT_OUTGOING: Final = 2

NO_CONNECTION: Final = 0xFFFFFFFF
"""`connection` of a frame that belongs to no TCP connection or UDP flow."""

# Values of a checksum in `checksums`.
CHECKSUM_UNKNOWN: Final = 0  # the packet has none, is a fragment, or was cut by the snap length
CHECKSUM_RIGHT: Final = 1
CHECKSUM_WRONG: Final = 2
CHECKSUM_PARTIAL: Final = 3  # of the pseudo header alone: the network card was to add the rest
CHECKSUM_ZERO: Final = 4  # of UDP none (RFC 768); of others never computed

# Where the checksums of a packet stand in `checksums`: three bits each from these on.
TRANSPORT_CHECKSUM: Final = 0
HEADER_CHECKSUM: Final = 3  # of the IPv4 header
OUTER_TRANSPORT_CHECKSUM: Final = 6  # of the tunnel around the packet
OUTER_HEADER_CHECKSUM: Final = 9
CHECKSUM_BITS: Final = 7
CHECKSUM_WRONG_OR_PARTIAL: Final = 0o2222
"""The bit of all four that is set in these two."""

PACKET_DTYPE: Final = np.dtype(
    [
        ("frame", "<u8"),  # 1-based number in the file, equal to Wireshark's
        ("time_ns", "<i8"),  # UTC, ns since 1970
        ("vantage", "<u4"),  # index into the capture's vantage points
        ("connection", "<u4"),  # index into the capture's connection table, or NO_CONNECTION
        ("captured_bytes", "<u4"),
        ("original_bytes", "<u4"),
        ("source_high", "<u8"),
        ("source_low", "<u8"),
        ("destination_high", "<u8"),
        ("destination_low", "<u8"),
        # Of an ICMP error (v4 types 3 and 11, v6 types 1 and 3) that quotes a TCP packet the ports and `sequence`
        # are those of the quoted packet; its addresses and `connection` are its own.
        ("source_port", "<u2"),  # 0 without ports
        ("destination_port", "<u2"),
        ("protocol", "u1"),  # IP protocol number, 255 when there is no IP
        ("ip_version", "u1"),  # 4, 6 or 0
        ("ttl", "u1"),
        ("layers", "u1"),
        ("ip_id", "<u4"),  # identification field; 0 for IPv6
        ("tcp_flags", "<u2"),
        ("window", "<u2"),  # as sent, unscaled
        ("sequence", "<u4"),  # as sent, absolute; of an ICMP echo or reply identifier << 16 | sequence number
        ("acknowledgement", "<u4"),
        ("payload_bytes", "<u4"),  # from the IP lengths: true also when the frame is cut by the snap length
        ("timestamp_value", "<u4"),  # TCP option TSval, 0 when absent
        ("timestamp_echo", "<u4"),
        ("options_hash", "<u4"),  # FNV-1a over the SYN's option bytes without the TSval and TSecr, else 0
        ("mss", "<u2"),  # of a SYN, 0 when absent
        ("icmp_type", "u1"),
        ("icmp_code", "u1"),
        ("vlan", "<u2"),  # outermost VLAN id, 0 when untagged
        ("tunnel", "<u4"),  # index into the capture's tunnel paths, 0 without a tunnel
        ("marks", "<u2"),
        ("direction_hint", "u1"),
        (
            "window_scale",
            "u1",
        ),  # shift count in a SYN (RFC 7323), or one of the two above; 0 in others
        ("sack", "u1"),  # number of SACK blocks, SACK_PERMITTED, SACK_DUPLICATE
        ("sacked_bytes", "<u4"),  # that the SACK blocks report as received, a duplicate's left out
        ("checksums", "<u2"),  # CHECKSUM_... of the packet and of the tunnel around it
    ]
)
"""One packet. 121 bytes; the decoder fills arrays of these, Parquet holds the same columns."""
