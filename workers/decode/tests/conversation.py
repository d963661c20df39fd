"""A TCP conversation in which a test says who sends what; times 1 ms apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from backend.forensics.captures import Capture
from backend.forensics.messages import DTYPES, TEXTS
from backend.forensics.packets import ACK, FIN, PSH, RST, SYN
from workers.decode.tests.capture_bytes import MS, decode, pcap, tcp

CLIENT_ISN, SERVER_ISN = 1000, 5000
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def get(path: str = "/", *headers: str) -> bytes:
    """A GET request."""
    lines = [f"GET {path} HTTP/1.1", "Host: a.example", *headers, "", ""]
    return "\r\n".join(lines).encode()


def response(body: bytes = b"", *headers: str, status: str = "200 OK") -> bytes:
    """A response with a Content-Length."""
    lines = [f"HTTP/1.1 {status}", *headers, f"Content-Length: {len(body)}", "", ""]
    return "\r\n".join(lines).encode() + body


class Conversation:
    """Packets of one connection; each is `packets[frame - 1]`."""

    def __init__(self, *, port: int = 40000, handshake: bool = True) -> None:
        self._port = port
        self._next = [CLIENT_ISN + 1, SERVER_ISN + 1]
        self.packets: list[tuple[int, bytes]] = []
        if handshake:
            self._packet(SYN, CLIENT_ISN, 0, back=False)
            self._packet(SYN | ACK, SERVER_ISN, CLIENT_ISN + 1, back=True)
            self._packet(ACK, CLIENT_ISN + 1, SERVER_ISN + 1, back=False)

    def _packet(self, flags: int, seq: int, ack: int, *, back: bool, payload: bytes = b"") -> None:
        number = len(self.packets) + 1
        packet = tcp(
            flags, seq & 0xFFFFFFFF, ack & 0xFFFFFFFF, payload=payload, ip_id=number, back=back,
            tsval=number, client_port=self._port,
        )  # fmt: skip
        self.packets.append((number * MS, packet))

    def _say(self, data: bytes, sizes: list[int] | None, *, back: bool) -> None:
        for size in sizes or [len(data)]:
            piece, data = data[:size], data[size:]
            self._packet(ACK | PSH, self._next[back], self._next[not back], back=back, payload=piece)
            self._next[back] += len(piece)
        assert not data

    def ask(self, data: bytes, sizes: list[int] | None = None) -> Conversation:
        """The client sends, in segments of these sizes."""
        self._say(data, sizes, back=False)
        return self

    def reply(self, data: bytes, sizes: list[int] | None = None) -> Conversation:
        """The server sends."""
        self._say(data, sizes, back=True)
        return self

    def end(self, flags: int = FIN, *, back: bool = True) -> Conversation:
        """A FIN or RST."""
        ack = 0 if flags & RST else ACK
        self._packet(flags | ack, self._next[back], self._next[not back], back=back)
        self._next[back] += 1
        return self

    def without(self, *frames: int) -> Conversation:
        """The same, as a capture that missed these frames (their numbers before that)."""
        self.packets = [p for n, p in enumerate(self.packets, 1) if n not in frames]
        return self

    def in_order(self, *frames: int) -> Conversation:
        """These frames only, in this order."""
        times = [self.packets[n - 1][0] for n in sorted(frames)]
        self.packets = [(t, self.packets[n - 1][1]) for t, n in zip(times, frames, strict=True)]
        return self

    def capture(self, folder: Path, snap_bytes: int = 65535) -> Capture:
        """As the decoder reads it."""
        return decode(pcap(self.packets, snap_bytes=snap_bytes), folder)


def rows(capture: Capture, table: str = "http") -> list[dict[str, Any]]:
    """All rows of a message table."""
    names = [*(DTYPES[table].names or ()), *TEXTS[table]]
    found: list[dict[str, Any]] = capture.messages.table(table).read(names).to_pylist()
    return found
