"""Makes small capture files byte by byte, so that a test shows what it feeds in."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

from backend.forensics.captures import Capture
from backend.forensics.packets import ACK, SYN
from workers.decode.captures import decode_capture

CLIENT, SERVER = "10.0.0.1", "10.0.0.2"
START_NS = 1_700_000_000_000_000_000
MS = 1_000_000


def decode(data: bytes, folder: Path, name: str = "test.pcap", table: bool = False) -> Capture:
    """Decodes the bytes of a capture file."""
    path = folder / name
    path.write_bytes(data)
    packets = folder / "packets.parquet" if table else None
    return decode_capture(path, name=name, sha256="", packets_path=packets)


def _address(text: str) -> bytes:
    return bytes(int(part) for part in text.split("."))


def ipv4(
    payload: bytes, protocol: int = 6, source: str = CLIENT, destination: str = SERVER, ip_id: int = 1
) -> bytes:
    """An IPv4 packet."""
    head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(payload), ip_id, 0x4000, 64, protocol, 0)
    return head + _address(source) + _address(destination) + payload


def tcp(
    flags: int, seq: int = 1000, ack: int = 0, *, payload: bytes = b"", ip_id: int = 1, back: bool = False,
    tsval: int = 77, client_port: int = 40000, window: int = 1000, options: bytes | None = None, tsecr: int = 0,
) -> bytes:  # fmt: skip
    """A TCP packet (with IPv4 header and time stamp option) from the client, or back from the server.

    `options`, a multiple of 4 bytes, take the place of the time stamp."""
    ports = (80, client_port) if back else (client_port, 80)
    if options is None:
        options = b"\x01\x01\x08\x0a" + struct.pack(">II", tsval, tsecr)
    offset = (20 + len(options)) // 4 << 12
    segment = struct.pack(">HHIIHHHH", *ports, seq, ack, offset | flags, window, 0, 0)
    ends = (SERVER, CLIENT) if back else (CLIENT, SERVER)
    return ipv4(segment + options + payload, source=ends[0], destination=ends[1], ip_id=ip_id)


def ethernet(packet: bytes, ether_type: int = 0x0800) -> bytes:
    """An Ethernet frame."""
    return bytes(12) + struct.pack(">H", ether_type) + packet


def pcap(
    packets: Sequence[tuple[int, bytes]], link_type: int = 101, order: str = "<", snap_bytes: int = 65535
) -> bytes:
    """A nanosecond pcap file of (ns after START_NS, bytes); raw IP unless told otherwise."""
    data = struct.pack(order + "IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, link_type)
    for after_ns, packet in packets:
        seconds, rest = divmod(START_NS + after_ns, 1_000_000_000)
        held = packet[:snap_bytes]
        data += struct.pack(order + "IIII", seconds, rest, len(held), len(packet)) + held
    return data


def block(kind: int, body: bytes, order: str = "<") -> bytes:
    """A pcapng block."""
    body += bytes(-len(body) % 4)
    length = struct.pack(order + "I", len(body) + 12)
    return struct.pack(order + "I", kind) + length + body + length


def option(code: int, value: bytes, order: str = "<") -> bytes:
    """A pcapng option."""
    return struct.pack(order + "HH", code, len(value)) + value + bytes(-len(value) % 4)


def section(order: str = "<") -> bytes:
    """A pcapng section header block with a comment."""
    body = struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1) + option(1, b"a comment", order)
    return block(0x0A0D0D0A, body, order)


def interface(name: str = "", *, link_type: int = 101, order: str = "<", options: bytes = b"") -> bytes:
    """A pcapng interface description block."""
    body = struct.pack(order + "HHI", link_type, 0, 262144)
    if name:
        body += option(2, name.encode(), order)
    return block(1, body + options + option(0, b"", order), order)


def enhanced(number: int, ticks: int, packet: bytes, order: str = "<") -> bytes:
    """A pcapng enhanced packet block."""
    size = len(packet)
    body = struct.pack(order + "IIIII", number, ticks >> 32, ticks & 0xFFFFFFFF, size, size)
    return block(6, body + packet, order)


def handshake() -> list[tuple[int, bytes]]:
    """SYN, SYN-ACK, ACK of one connection, 10 ms apart."""
    return [
        (0, tcp(SYN, 1000, ip_id=1)),
        (10 * MS, tcp(SYN | ACK, 5000, 1001, back=True, ip_id=0)),
        (20 * MS, tcp(ACK, 1001, 5001, ip_id=2)),
    ]
