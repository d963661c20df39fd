"""How the bytes of a fuzzer become captures, so that it spends them on what a target is about."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

LINK_TYPES: Final = (1, 113, 276, 101, 12, 0, 239, 9, 50, 204, 104, 105, 127, 228, 229, 51, 108, 14)
"""LINKTYPE numbers that the decoder reads; the first byte of a `packets` input chooses one."""
_MICROSECONDS: Final = 0xA1B2C3D4
_STEP_US: Final = 1_000
_PORTS: Final = (80, 53, 443, 8080)
_CLIENT, _SERVER = bytes((10, 0, 0, 1)), bytes((10, 0, 0, 2))


def packet_capture(data: bytes) -> bytes:
    """A pcap of `data`: its link type, then packets, each a 16-bit length and so many bytes (or what is left)."""
    link = LINK_TYPES[data[0] % len(LINK_TYPES)] if data else 1
    return _pcap(link, _packets(data[1:]))


def as_packets(link_type: int, packets: list[bytes]) -> bytes:
    """The input of the target `packets` that stands for these packets."""
    sized = b"".join(struct.pack(">H", len(packet)) + packet for packet in packets)
    return bytes([LINK_TYPES.index(link_type)]) + sized


def _packets(data: bytes) -> Iterator[bytes]:
    at = 0
    while at + 2 <= len(data):
        length = int.from_bytes(data[at : at + 2])
        yield data[at + 2 : at + 2 + length]
        at += 2 + length


def _pcap(link_type: int, packets: Iterator[bytes]) -> bytes:
    parts = [struct.pack("<IHHiIII", _MICROSECONDS, 2, 4, 0, 0, 262_144, link_type)]
    for number, packet in enumerate(packets):
        seconds, fraction = divmod(number * _STEP_US, 1_000_000)
        parts.append(struct.pack("<IIII", seconds, fraction, len(packet), len(packet)) + packet)
    return b"".join(parts)


def conversation_capture(data: bytes) -> bytes:
    """A pcap of one conversation: the first byte chooses port and protocol, the rest are its segments.

    A segment is a byte of directions and faults (bit 0 from the server, bit 1 a hole before it, bit 2 sent again,
    bit 3 cut by the snap length, bit 4 FIN), a 16-bit length and the payload.
    """
    kind = data[0] if data else 0
    port, over_udp = _PORTS[kind % len(_PORTS)], bool(kind & 0x80)
    return _pcap(101, _segments(data[1:], port, over_udp))


def as_conversation(port: int, over_udp: bool, segments: list[tuple[int, bytes]]) -> bytes:
    """The input of the target `messages` that stands for these (faults, payload)."""
    kind = _PORTS.index(port) | (0x80 if over_udp else 0)
    sized = (bytes([faults]) + struct.pack(">H", len(payload)) + payload for faults, payload in segments)
    return bytes([kind]) + b"".join(sized)


def _segments(data: bytes, port: int, over_udp: bool) -> Iterator[bytes]:
    sequence = [0xFFFF_FF00, 1_000]  # the client's soon wraps
    if not over_udp:
        yield _tcp(0, port, sequence[0] - 1, 0, 0x02, b"")
        yield _tcp(1, port, sequence[1] - 1, sequence[0], 0x12, b"")
    at = 0
    while at + 3 <= len(data):
        faults, length = data[at], int.from_bytes(data[at + 1 : at + 3])
        payload = data[at + 3 : at + 3 + length]
        at += 3 + length
        side = faults & 1
        if over_udp:
            yield _udp(side, port, payload)
            continue
        sequence[side] += 700 if faults & 2 else 0
        flags = 0x11 if faults & 16 else 0x18
        packet = _tcp(side, port, sequence[side], sequence[1 - side], flags, payload)
        yield packet[: len(packet) - len(payload) // 2] if faults & 8 else packet
        if faults & 4:
            yield packet
        sequence[side] += len(payload)


def _ip(side: int, protocol: int, content: bytes) -> bytes:
    ends = (_CLIENT, _SERVER) if side == 0 else (_SERVER, _CLIENT)
    head = struct.pack(">BBHHHBBH", 0x45, 0, min(20 + len(content), 0xFFFF), 1, 0, 64, protocol, 0)
    return head + ends[0] + ends[1] + content


def _ports(side: int, port: int) -> tuple[int, int]:
    return (40_000, port) if side == 0 else (port, 40_000)


def _tcp(side: int, port: int, sequence: int, acknowledged: int, flags: int, payload: bytes) -> bytes:
    head = struct.pack(
        ">HHIIBBHHH", *_ports(side, port), sequence & 0xFFFF_FFFF, acknowledged & 0xFFFF_FFFF, 0x50, flags,
        65_535, 0, 0,
    )  # fmt: skip
    return _ip(side, 6, head + payload)


def _udp(side: int, port: int, payload: bytes) -> bytes:
    return _ip(
        side, 17, struct.pack(">HHHH", *_ports(side, port), min(8 + len(payload), 0xFFFF), 0) + payload
    )
