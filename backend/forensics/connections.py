"""The connection table: one row per TCP incarnation (or UDP flow) *per vantage point*.

A new SYN with a new ISN on a tuple in use opens a new incarnation (docs/detection.md). The client is who
sent the first SYN; in a connection begun before the capture, who sent the first packet seen, unless its port
is the lower one."""

from __future__ import annotations

from typing import Final

import numpy as np

NEVER: Final = -1
"""A time or frame that was not seen."""

COUNT_LIMIT: Final = 0xFFFF
"""Counters of two bytes stop there."""

CONNECTION_DTYPE: Final = np.dtype(
    [
        # What each packet of the connection touches comes first, so that it shares cache lines.
        ("vantage", "<u4"),  # index into the capture's vantage points
        ("protocol", "u1"),  # 6 or 17
        ("ip_version", "u1"),
        ("vlan", "<u2"),
        ("tunnel", "<u4"),  # path of its first packet, an index into the capture's tunnel paths; 0 = none
        (
            "network",
            "<u4",
        ),  # `Tunnel.network` of all its packets: VLANs, VNIs and keys inside the path; 0 = none
        ("client_high", "<u8"),
        ("client_low", "<u8"),
        ("server_high", "<u8"),
        ("server_low", "<u8"),
        ("client_port", "<u2"),
        ("server_port", "<u2"),
        ("last_ns", "<i8"),
        ("first_ns", "<i8"),
        ("client_bytes", "<u8"),  # TCP or UDP payload
        ("server_bytes", "<u8"),
        ("client_packets", "<u4"),
        ("server_packets", "<u4"),
        ("data_segments", "<u4"),
        ("syns", "<u4"),  # SYNs of this ISN seen, copies left out
        ("syn_ack_ns", "<i8"),  # first SYN-ACK
        ("established_ns", "<i8"),  # client's first ACK after the SYN-ACK
        ("closed_ns", "<i8"),  # first RST, or the second FIN
        ("syn_ns", "<i8"),  # first SYN of this incarnation, NEVER when begun before the capture
        ("isn", "<u4"),  # of the client's SYN; 0 and `syns` 0 when the SYN was not seen
        ("syn_acks", "<u4"),
        ("first_frame", "<i8"),
        ("syn_frame", "<i8"),
        ("syn_ack_frame", "<i8"),
        ("reset_frame", "<i8"),
        # Of the time since `established_ns`, as `workers.decode.loop.limited_by` distinguishes them:
        ("network_ns", "<i8"),  # data in flight, and room in the receiver window
        ("receiver_window_ns", "<i8"),  # the sender had filled the receiver window
        ("data_retransmissions", "<u4"),
        ("lost_segments", "<u4"),  # ACKs for data this vantage point never saw: the capture dropped packets
        # Packets of both directions with the mark of that name (packets.py), up to COUNT_LIMIT.
        ("fast_retransmissions", "<u2"),
        ("spurious_retransmissions", "<u2"),
        ("out_of_order", "<u2"),
        ("duplicate_acks", "<u2"),
        ("zero_windows", "<u2"),
        ("windows_full", "<u2"),
        ("zero_window_probes", "<u2"),
        ("keep_alives", "<u2"),
        ("previous_missing", "<u2"),
        ("super_frames", "<u2"),
        ("wrong_checksums", "<u2"),  # packets with one, of either header or of the tunnel
        ("partial_checksums", "<u2"),  # packets whose sender left one to its network card
        ("client_mss", "<u2"),  # of the SYN, 0 when absent or not seen
        ("server_mss", "<u2"),  # of the SYN-ACK
        ("client_window_scale", "u1"),  # NO_WINDOW_SCALE, or UNKNOWN_WINDOW_SCALE when the SYN was not seen
        ("server_window_scale", "u1"),
        ("fins", "u1"),  # bit 0: client's FIN seen, bit 1: server's
        ("resets", "u1"),  # bit 0: client's RST seen, bit 1: server's
    ]
)

BUCKET_DTYPE: Final = np.dtype(
    [
        ("start_ns", "<i8"),  # a multiple of 1 ms
        ("vantage", "<u4"),
        ("packets", "<u4"),
        ("bytes", "<u8"),
        ("syns", "<u4"),
    ]
)
"""Sparse time buckets of 1 ms per vantage point, sorted by (vantage, start_ns); coarser levels are sums of
these."""
