"""A TLS connection whose keys are known: spoken by OpenSSL through memory, without certificate or network."""

from __future__ import annotations

import ssl
import struct
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from workers.decode.tests.conversation import Conversation, get, response

TOKEN: Final = "eyJhbGciOiJIUzI1NiJ9.c2VjcmV0.0123456789"
"""In the request's address and headers and in the response's body."""


@dataclass
class Side:
    """One end; `out` is what it sends."""

    context: ssl.SSLContext
    is_server: bool
    into: ssl.MemoryBIO = field(default_factory=ssl.MemoryBIO)
    out: ssl.MemoryBIO = field(default_factory=ssl.MemoryBIO)

    def __post_init__(self) -> None:
        self.tls = self.context.wrap_bio(self.into, self.out, server_side=self.is_server)


def encrypted(folder: Path) -> tuple[list[tuple[int, bytes]], bytes]:
    """(packets of a TLS 1.2 connection to port 443 with a request and its response, its key log)."""
    log = folder / "written-by-openssl.log"
    client, server = Side(_context(log), is_server=False), Side(_context(None), is_server=True)
    spoken = Conversation()
    for _ in range(4):
        for side in (client, server):
            with suppress(ssl.SSLWantReadError):
                side.tls.do_handshake()
            _carry(client, server, spoken)
    client.tls.write(get(f"/pay?key={TOKEN}", f"Authorization: Bearer {TOKEN}"))
    _carry(client, server, spoken)
    server.tls.write(response(f'{{"access_token": "{TOKEN}"}}'.encode(), "Content-Type: application/json"))
    _carry(client, server, spoken)
    return [(time, _on_port_443(packet)) for time, packet in spoken.packets], log.read_bytes()


def _context(log: Path | None) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if log is None else ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers("AECDH-AES256-SHA:@SECLEVEL=0")  # needs no certificate
    if log is not None:
        context.keylog_filename = str(log)
    return context


def _carry(client: Side, server: Side, spoken: Conversation) -> None:
    for sender, receiver, say in ((client, server, spoken.ask), (server, client, spoken.reply)):
        if data := sender.out.read():
            receiver.into.write(data)
            say(data)


def _on_port_443(packet: bytes) -> bytes:
    ports = struct.unpack_from(">HH", packet, 20)
    return packet[:20] + struct.pack(">HH", *(443 if port == 80 else port for port in ports)) + packet[24:]
