"""ICMP echoes, packet by packet."""

from __future__ import annotations

import struct

from workers.decode.tests.capture_bytes import CLIENT, MS, SERVER, ipv4


def echo(
    at_ms: int, number: int, *, back: bool = False, ip_id: int = 1, identifier: int = 7
) -> tuple[int, bytes]:
    """An echo request, or its reply."""
    body = struct.pack(">BBHHH", 0 if back else 8, 0, 0, identifier, number) + bytes(20)
    ends = (SERVER, CLIENT) if back else (CLIENT, SERVER)
    return at_ms * MS, ipv4(body, 1, *ends, ip_id=ip_id)
