"""The records that the compiled loop works on, and the codes with which it speaks to Python."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from backend.forensics.connections import CONNECTION_DTYPE

Record = Any
"""One element of a record array inside compiled code; numpy's stubs know no field attributes."""

# Why the loop stopped.
NEED_BYTES: Final = 0
ROWS_FULL: Final = 1
CONNECTIONS_FULL: Final = 2
BUCKETS_FULL: Final = 3
BAD_LENGTH: Final = 4
OTHER_BLOCK: Final = 5  # a pcapng block that Python reads
BAD_INTERFACE: Final = 6
TRACKS_FULL: Final = 7

# Link types by how they are read (LINKTYPE_ numbers of the file formats are mapped to these).
LINK_UNKNOWN: Final = 0
LINK_ETHERNET: Final = 1
LINK_COOKED_1: Final = 2
LINK_COOKED_2: Final = 3
LINK_RAW_IP: Final = 4
LINK_LOOPBACK: Final = 5
LINK_NFLOG: Final = 6
LINK_PPP: Final = 7
LINK_PPP_DIRECTION: Final = 8  # one byte shows the direction
LINK_PPPOE: Final = 9
LINK_WIRELESS: Final = 10
LINK_RADIOTAP: Final = 11
LINK_CISCO_HDLC: Final = 12

# EtherTypes that the loop goes on with.
IPV4: Final = 0x0800
IPV6: Final = 0x86DD
BRIDGED: Final = 0x6558  # an Ethernet frame (RFC 1701)
MPLS_FRAME: Final = 0x8847
MPLS_MULTICAST: Final = 0x8848
PPPOE_SESSION: Final = 0x8864
PPP_FRAME: Final = 0x880B
CISCO_METADATA: Final = 0x8909

# Indices of `undecoded`: an EtherType, then IP protocols, then these.
PROTOCOL_BASE: Final = 65536
REASON_BASE: Final = PROTOCOL_BASE + 256
CUT_LINK: Final = REASON_BASE
CUT_NETWORK: Final = REASON_BASE + 1
CUT_TRANSPORT: Final = REASON_BASE + 2
LATER_FRAGMENT: Final = REASON_BASE + 3
BAD_HEADER: Final = REASON_BASE + 4
NOT_A_NETWORK: Final = REASON_BASE + 5
LLC: Final = REASON_BASE + 6
TOO_DEEP: Final = REASON_BASE + 7
CUT_TUNNEL: Final = REASON_BASE + 8
ENCRYPTED_WIRELESS: Final = REASON_BASE + 9
WIRELESS_CONTROL: Final = REASON_BASE + 10
OPAQUE_WIREGUARD: Final = REASON_BASE + 11
OPAQUE_ESP: Final = REASON_BASE + 12
PPP_CONTROL: Final = REASON_BASE + 13
CUT_EXTENSION: Final = REASON_BASE + 14
UNDECODED_SIZE: Final = REASON_BASE + 15

DONE: Final = -1
"""Of a packet that is read to its end: nothing to count."""
GO_ON: Final = -2

BATCH_ROWS: Final = 1 << 17
"""Packets in the largest batch that the loop fills."""
RESIDENT_ROWS: Final = 1 << 13
"""Packets in a batch that stays in the processor's second-level cache, where nobody else wants the rows."""

MAX_VANTAGES: Final = 1024
"""More kernel interfaces than that in one capture are noise; what is beyond shares the last vantage point."""

NO_INDEX: Final = 0xFFFFFFFF

LATEST_NS: Final = 1 << 62
"""Times beyond it (the year 2116; classic pcap ends in 2106) are no times: sums with them would leave 64 bits."""
NO_TIME: Final = -1
STEPPED_BACK_NS: Final = 1_000_000_000
"""Queues of several processors reorder packets by milliseconds: only what runs back further is the clock's doing."""
STEPPED_AHEAD_NS: Final = 365 * 86_400 * 1_000_000_000
"""No capture is silent for a year: it began before the clock was set."""

PRINTS_PER_SIDE: Final = 8
"""How many of a side's latest packets are remembered to distinguish a copy from a retransmission."""

STATE_DTYPE: Final = np.dtype(
    [
        ("position", "<i8"),  # in the buffer: the next record header
        ("reason", "<i8"),
        ("detail", "<i8"),  # the claimed length of BAD_LENGTH
        ("frame", "<i8"),  # packets read so far
        ("rows", "<i8"),  # used entries of each table
        ("picked", "<i8"),
        ("connections", "<i8"),
        ("buckets", "<i8"),
        ("vantages", "<i8"),
        ("interfaces", "<i8"),
        ("latest_ns", "<i8"),  # time of the latest packet that had one
        ("untimed", "<i8"),  # packets whose time stamp is no time that 64 bits hold safely
        ("first_untimed", "<i8"),  # frame of the first of them
        ("gap_ns", "<i8"),  # between the latest two packets
        ("other_gaps", "<i8"),  # gaps unlike the one before
        ("steps", "<i8"),  # times that the clock was set: backwards, or ahead by more than a year
        ("first_step", "<i8"),  # frame after the first step
        ("last_step", "<i8"),
        ("largest_step_ns", "<i8"),  # negative where the clock was set back
        ("tracks", "<i8"),  # tracks used so far, free ones among them
        ("free_track", "<i8"),  # first of the chain of free tracks (number + 1), 0 for none
        ("depth", "<i8"),  # of the packet being read: layers of its tunnel path
        ("kept", "<i8"),  # how many of them are outside the IP header that the row holds
        ("network", "<i8"),  # `Tunnel.network` of its path
        ("paths", "<i8"),  # tunnel paths known, the empty one included
        ("piece", "<i8"),  # 0, or the fragment field of the IP header just read: offset in bytes | more << 16
        ("piece_id", "<i8"),  # its identification
        (
            "rerouted",
            "<i8",
        ),  # 1 where checksums may cover other addresses than those of the IP header just read
        ("transport", "<i8"),  # in the buffer: its innermost transport header, -1 when that is elsewhere
        ("arp", "<i8"),  # in the buffer: the ARP packet that was read instead of IP, or -1
        ("fragment", "<i8"),  # entry of `fragments` that the packet is the beginning of, or -1
        ("peeked", "<i8"),  # in the buffer: the packet that was looked at ahead, or -1
        ("peeked_vantage", "<i8"),  # where it was seen, if its interface is the same
        ("peeked_hash", "<i8"),  # of its tuple
        ("peeked_pair", "<u8"),  # of its hosts
        ("known_hash", "<i8"),  # the same of the packet being read, -1 where it is not known
        ("known_pair", "<u8"),  # or 0
        ("loose_credentials", "<i8"),  # frames of no connection that hold, or may hold, credentials
        ("side", "<i8"),  # of the packet's connection that sent it: 0 for the client, 1 for the server
    ]
)

INTERFACE_DTYPE: Final = np.dtype(
    [
        ("link", "<i8"),  # LINK_...
        ("snap_length", "<i8"),
        ("multiply", "<i8"),  # ns per tick, or 0
        ("divide", "<i8"),  # ticks per ns, or 0
        ("shift", "<i8"),  # ticks of 2^-shift s when both are 0
        ("offset_ns", "<i8"),
        ("vantage", "<i8"),  # of the latest packet, or -1
        ("number", "<i8"),  # over all sections of the file
        ("undecoded", "<i8"),  # packets of an unknown link type
        ("comments", "<i8"),  # on its packets
        ("dropped", "<i8"),  # as noted with its packets
    ]
)

VANTAGE_DTYPE: Final = np.dtype(
    [
        ("interface", "<i8"),  # `number` of the interface
        ("index", "<i8"),  # kernel interface index, or NO_INDEX
        ("packets", "<i8"),
        ("first_ns", "<i8"),
        ("last_ns", "<i8"),
        ("bucket", "<i8"),  # the open time bucket, or -1
    ]
)

MAX_DEPTH: Final = 8
"""Layers of a tunnel path. What is wrapped deeper is counted and not read."""

MAX_PATHS: Final = 1 << 14
"""Tunnel paths that are distinguished in one capture; what is beyond shares the last number."""

LAYER_DTYPE: Final = np.dtype(
    [
        ("lower_high", "<u8"),  # the outer addresses, the lower number first; 0 where the layer has none
        ("lower_low", "<u8"),
        ("upper_high", "<u8"),
        ("upper_low", "<u8"),
        ("number", "<u4"),  # VLAN id, VNI, key, label, session
        ("kind", "u1"),  # of backend.forensics.tunnels
        ("has_number", "u1"),
    ]
)
"""MAX_DEPTH records per path; those of path 0, which has no layers, hold the packet being read."""

PATH_DTYPE: Final = np.dtype(
    [
        ("hash", "<u4"),
        ("network", "<u4"),
        ("depth", "<u4"),
        ("next", "<u4"),  # the next path of the same bucket, or 0
        ("first", "<u4"),  # of the bucket with this record's number: its first path, or 0
    ]
)

MAX_FRAGMENTED: Final = 1 << 12
"""Fragmented packets remembered at once; a power of two."""
HEAD_BYTES: Final = 64
"""Room for the transport header of a packet whose first fragment ends inside it."""

FRAGMENT_DTYPE: Final = np.dtype(
    [
        # The key: what the fragments of one packet share (RFC 791, RFC 8200).
        ("key_source_high", "<u8"),
        ("key_source_low", "<u8"),
        ("key_destination_high", "<u8"),
        ("key_destination_low", "<u8"),
        ("key_id", "<u4"),
        ("key_place", "<u4"),  # hash of protocol, vantage point, VLAN and network
        ("when_ns", "<i8"),
        ("status", "u1"),  # 0 free, 1 first fragment not seen, 2 its header is being collected, 3 known
        ("inner", "u1"),  # the connection is inside a tunnel inside the fragmented packet
        ("filled", "u1"),  # bytes collected
        ("pending", "u1"),  # frames that wait for the header
        ("pending_0", "<u8"),
        ("pending_1", "<u8"),
        ("pending_2", "<u8"),
        ("pending_3", "<u8"),
        # What the first fragment stated.
        ("source_high", "<u8"),
        ("source_low", "<u8"),
        ("destination_high", "<u8"),
        ("destination_low", "<u8"),
        ("source_port", "<u2"),
        ("destination_port", "<u2"),
        ("protocol", "u1"),
        ("ip_version", "u1"),
        ("connection", "<u4"),
        ("tunnel", "<u4"),
        ("begin", "<u4"),  # TCP sequence number of byte 0 behind the IP header; before it is known, the
        # number of bytes behind the IP header so far
    ]
)

SLOT_DTYPE: Final = np.dtype([("hash", "<u4"), ("connection", "<u4")])
"""Open-addressing hash table; `connection` is the index + 1 of the tuple's latest incarnation, 0 = free."""

TRACKED_DTYPE: Final = np.dtype(
    [
        ("track", "<u4"),  # number + 1 of the track that holds the state of both sides, 0 for none
        *CONNECTION_DTYPE.descr,
        # What is left of a track that was given to another connection:
        ("client_next", "<u4"),  # `highest` of the client's side
        ("server_next", "<u4"),
        ("resting", "u1"),  # RESTING_... bits
        (
            "credentials",
            "u1",
        ),  # words of credentials were seen in it, or it is HTTP/2, whose heads are packed
        # Of `limited_by`:
        ("until_ns", "<i8"),  # the time before is counted
        ("to_client_ns", "<i8"),  # round trip between the vantage point and the client, by the handshake
        ("to_server_ns", "<i8"),
        ("late_ack_ns", "<i8"),  # how much later than a round trip the latest bare ACK came
        ("idle_by", "u1"),  # whose packet acknowledged the last data in flight: 0 client, 1 server
    ]
)
"""A connection while the capture is read."""

RESTING_KNOWN: Final = 1  # for the client's side; twice that for the server's
RESTING_ANSWERED: Final = 4  # the other side had acknowledged everything; twice that for the server's bytes

EDGES: Final = 8
"""Window edges of a side kept for a round trip: more would distinguish a window's use more finely than an eighth."""

SIDE_DTYPE: Final = np.dtype(
    [
        ("skipped_ns", "<i8"),  # when this side last jumped over bytes not seen
        ("acked_ns", "<i8"),  # when this side last acknowledged something new, or sent a duplicate ACK
        ("highest", "<u4"),  # sequence number after the last byte seen
        ("first", "<u4"),  # sequence number of the first packet seen
        ("hole_left", "<u4"),  # bytes not seen lie from here ...
        ("hole_right", "<u4"),  # ... to here; equal when there are none
        ("recover", "<u4"),  # `highest` when fast retransmission began (RFC 6675)
        ("acked", "<u4"),  # greatest acknowledgement number that this side sent
        ("window", "<u4"),  # that it offered last, in bytes where the scale is known, else as sent
        ("owner", "<u4"),  # of a track's first side: connection + 1, or the next free track + 1
        ("mss", "<u2"),  # that its SYN allows the other side
        ("known", "u1"),  # `highest` and `first` are
        ("announced", "u1"),  # ANNOUNCED_... bits: which of `acked` and `window` are known
        ("shift", "u1"),  # of its windows, plus 1; 0 when unknown
        ("duplicate_acks", "u1"),
        ("recovering", "u1"),
        ("probing", "u1"),  # its latest packet was a keep-alive or a zero window probe
        ("probed", "u1"),  # it sent a byte into a closed window
        ("next_print", "u1"),
        ("answered", "u1"),  # this side has answered a SYN with something else than a SYN-ACK
        ("full", "u1"),  # its latest data filled the receiver window
        ("newest_edge", "u1"),
        ("edges_kept", "u1"),
        ("padding_2", "<u2"),  # to 64 bytes, a cache line
        (
            "edges",
            "<u4",
            (EDGES,),
        ),  # right edges of its window as announced, used where the other side is far
        ("edge_ticks", "<u4", (EDGES,)),  # and when, in units of 2^10 ns
    ]
)
"""What the tracker remembers of each side of a connection. A track is two of them, the client's first."""

ANNOUNCED_ACK: Final = 1
ANNOUNCED_WINDOW: Final = 2

PRINT_DTYPE: Final = np.dtype([("print", "<u4"), ("when", "<u4")])
"""A packet's fingerprint and its time in units of 2^20 ns."""
