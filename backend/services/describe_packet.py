"""Words for a packet: endpoints, flags, and what it is in the life of a connection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from backend.forensics.addresses import endpoint_text
from backend.forensics.packets import (
    ACK,
    CHECKSUM_BITS,
    CHECKSUM_WRONG,
    FIN,
    HEADER_CHECKSUM,
    ICMP,
    ICMPV6,
    MARK_COPY,
    MARK_DUPLICATE_ACK,
    MARK_FAST_RETRANSMISSION,
    MARK_KEEP_ALIVE,
    MARK_KEEP_ALIVE_ACK,
    MARK_LOST_SEGMENT,
    MARK_OUT_OF_ORDER,
    MARK_PORT_REUSE,
    MARK_PREVIOUS_MISSING,
    MARK_RETRANSMISSION,
    MARK_SPURIOUS_RETRANSMISSION,
    MARK_SUPER_FRAME,
    MARK_WINDOW_FULL,
    MARK_WINDOW_UPDATE,
    MARK_ZERO_WINDOW,
    MARK_ZERO_WINDOW_PROBE,
    OUTER_HEADER_CHECKSUM,
    OUTER_TRANSPORT_CHECKSUM,
    PSH,
    RST,
    SYN,
    TCP,
    TRANSPORT_CHECKSUM,
    UDP,
)
from backend.forensics.tunnels import Tunnel, layer_of_row

FLAG_NAMES = ((SYN, "SYN"), (FIN, "FIN"), (RST, "RST"), (PSH, "PSH"), (ACK, "ACK"), (0x20, "URG"))
PROTOCOL_NAMES = {
    TCP: "TCP", UDP: "UDP", ICMP: "ICMP", ICMPV6: "ICMPv6", 255: "not IP", 2: "IGMP", 4: "IPv4 in IP", 41: "IPv6 in IP",
    47: "GRE", 50: "ESP (encrypted)", 51: "AH", 132: "SCTP",
}  # fmt: skip

MARK_NAMES = (
    (MARK_COPY, "copy"),
    (MARK_PORT_REUSE, "port used again"),
    (MARK_FAST_RETRANSMISSION, "fast retransmission"),
    (MARK_SPURIOUS_RETRANSMISSION, "spurious retransmission"),
    (MARK_RETRANSMISSION, "retransmission"),
    (MARK_OUT_OF_ORDER, "out of order"),
    (MARK_PREVIOUS_MISSING, "previous segment not captured"),
    (MARK_LOST_SEGMENT, "ACK of data not captured"),
    (MARK_DUPLICATE_ACK, "duplicate ACK"),
    (MARK_ZERO_WINDOW, "zero window"),
    (MARK_WINDOW_FULL, "window full"),
    (MARK_WINDOW_UPDATE, "window update"),
    (MARK_ZERO_WINDOW_PROBE, "zero window probe"),
    (MARK_KEEP_ALIVE, "keep-alive"),
    (MARK_KEEP_ALIVE_ACK, "answer to keep-alive"),
    (MARK_SUPER_FRAME, "super-frame (before segmentation)"),
)
WRONG_CHECKSUMS = (
    (TRANSPORT_CHECKSUM, "wrong checksum"),
    (HEADER_CHECKSUM, "wrong header checksum"),
    (OUTER_TRANSPORT_CHECKSUM, "wrong outer checksum"),
    (OUTER_HEADER_CHECKSUM, "wrong outer header checksum"),
)
_KINDS_OF_RETRANSMISSION = MARK_FAST_RETRANSMISSION | MARK_SPURIOUS_RETRANSMISSION

Packet = Mapping[str, Any]


def source_of(packet: Packet) -> str:
    """Address and port it came from."""
    return endpoint_text(packet["source_high"], packet["source_low"], packet["source_port"])


def destination_of(packet: Packet) -> str:
    """Address and port it goes to."""
    return endpoint_text(packet["destination_high"], packet["destination_low"], packet["destination_port"])


def tunnel_of(layers: Sequence[Mapping[str, Any]]) -> str:
    """``VLAN 7 › VXLAN VNI 42 (10.0.0.1 ↔ 10.0.0.2)`` of the rows of a path; empty for a packet in no tunnel."""
    return str(Tunnel(tuple(layer_of_row(row) for row in layers)))


def flags_of(packet: Packet) -> str:
    """``SYN ACK``; empty for what is not TCP."""
    if packet["protocol"] != TCP:
        return ""
    return " ".join(name for bit, name in FLAG_NAMES if packet["tcp_flags"] & bit)


def marks_of_packet(packet: Packet) -> tuple[str, ...]:
    """What the connection tracker saw in it, in words; a kind of retransmission is named without the general."""
    marks = packet["marks"]
    if marks & _KINDS_OF_RETRANSMISSION:
        marks &= ~MARK_RETRANSMISSION
    wrong = tuple(
        name
        for place, name in WRONG_CHECKSUMS
        if packet.get("checksums", 0) >> place & CHECKSUM_BITS == CHECKSUM_WRONG
    )
    return wrong + tuple(name for bit, name in MARK_NAMES if marks & bit)


def what_is(packet: Packet, *, sent_again: bool = False) -> str:
    """``SYN``, ``SYN retransmission``, ``SYN-ACK``, ``data`` …; `sent_again` when other capture points know it."""
    if packet["protocol"] != TCP:
        return PROTOCOL_NAMES.get(packet["protocol"], f"IP protocol {packet['protocol']}")
    flags = packet["tcp_flags"]
    again = sent_again or bool(packet["marks"] & MARK_RETRANSMISSION)
    if flags & SYN:
        return _handshake(flags, again)
    if flags & RST:
        return "RST"
    if flags & FIN:
        return "FIN"
    if packet["payload_bytes"]:
        return "TCP retransmission" if again else "data"
    return "ACK"


def _handshake(flags: int, again: bool) -> str:
    name = "SYN-ACK" if flags & ACK else "SYN"
    return f"{name} retransmission" if again else name
