"""The programs of the lab: a server that logs, and clients whose sockets are asked afterwards."""

from __future__ import annotations

import errno
import re
import socket
import struct
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workers.tests.lab.hosts import Host

TCPI_RETRANSMITS_BYTE = 2
TCPI_TOTAL_RETRANS_BYTE = 100
"""Offsets in `struct tcp_info` (include/uapi/linux/tcp.h)."""


@dataclass(frozen=True)
class Request:
    """One request on a connection: `/bytes/N` or `/slow/MS/N`, with a body of so many bytes."""

    path: str = "/bytes/400"
    upload_bytes: int = 0
    silence_s: float = 0
    """How long the connection rests before it."""


@dataclass(frozen=True)
class Call:
    """One connection of a client."""

    at_s: float
    client: Host
    address: str
    port: int
    requests: tuple[Request, ...] = (Request(),)
    timeout_s: float = 6
    source_port: int = 0
    protocol: int = socket.IPPROTO_TCP


@dataclass
class CallResult:
    """What the client's own socket says about a connection."""

    client: str
    address: str
    port: int
    wall_s: float = 0
    source_port: int = 0
    connect_ms: float = 0
    connect_retransmissions: int = 0
    outcome: str = "ok"
    request_ms: list[float] = field(default_factory=list)
    data_retransmissions: int = 0

    @property
    def delayed(self) -> bool:
        """Its SYN was retransmitted at least once."""
        return self.connect_retransmissions > 0

    @property
    def failed(self) -> bool:
        """It did not end well."""
        return self.outcome != "ok"


def make_calls(calls: Sequence[Call]) -> list[CallResult]:
    """Make all calls at their times; returns when the last is over."""
    start = time.monotonic() + 0.2
    return [future.result() for future in [call.client.start(_call, call, start) for call in calls]]


def _call(call: Call, start: float) -> CallResult:
    result = CallResult(call.client.name, call.address, call.port)
    with socket.socket(family_of(call.address), socket.SOCK_STREAM, call.protocol) as client:
        client.settimeout(call.timeout_s)
        if call.source_port:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            client.bind(("", call.source_port))
        time.sleep(max(0, start + call.at_s - time.monotonic()))
        result.wall_s = time.time()
        if _connected(client, call, result):
            _exchange(client, call, result)
    return result


def family_of(address: str) -> socket.AddressFamily:
    """Of an address in text, or of the empty one that means every IPv4 address."""
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def _connected(client: socket.socket, call: Call, result: CallResult) -> bool:
    started = time.monotonic()
    try:
        client.connect((call.address, call.port))
    except OSError as error:
        result.outcome = f"connect-{_name_of(error)}"
    result.connect_ms = _ms_since(started)
    result.connect_retransmissions = retransmissions(client)
    result.source_port = client.getsockname()[1]
    return result.outcome == "ok"


def _exchange(client: socket.socket, call: Call, result: CallResult) -> None:
    try:
        for request in call.requests:
            time.sleep(request.silence_s)
            started = time.monotonic()
            _send(client, request)
            _read_answer(client)
            result.request_ms.append(_ms_since(started))
    except OSError as error:
        result.outcome = _name_of(error)
    result.data_retransmissions = retransmissions(client) - result.connect_retransmissions


def _send(client: socket.socket, request: Request) -> None:
    verb = "POST" if request.upload_bytes else "GET"
    head = (
        f"{verb} {request.path} HTTP/1.1\r\nHost: web.test\r\nContent-Length: {request.upload_bytes}\r\n\r\n"
    )
    client.sendall(head.encode() + b"u" * request.upload_bytes)


def _read_answer(client: socket.socket) -> None:
    read_message(client)


def read_message(peer: socket.socket) -> str:
    """Read one HTTP message; its first line. A close before its end is an error."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += _received(peer)
    head, _, body = data.partition(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
    missing = (int(length[1]) if length else 0) - len(body)
    while missing > 0:
        missing -= len(_received(peer))
    return head.partition(b"\r\n")[0].decode()


def _received(peer: socket.socket) -> bytes:
    data = peer.recv(65536)
    if not data:
        raise ConnectionError(errno.ENODATA, "closed before the end of the message")
    return data


def _name_of(error: OSError) -> str:
    if isinstance(error, TimeoutError) and error.errno is None:
        return "timeout"
    return errno.errorcode.get(error.errno or 0, type(error).__name__)


def _ms_since(started: float) -> float:
    return round((time.monotonic() - started) * 1000, 2)


def retransmissions(client: socket.socket) -> int:
    """How many segments of a connection its kernel has sent again."""
    info = client.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)
    (total,) = struct.unpack_from("=I", info, TCPI_TOTAL_RETRANS_BYTE)
    return max(int(total), info[TCPI_RETRANSMITS_BYTE])


def checksum(data: bytes) -> int:
    """The Internet checksum of an even number of bytes (RFC 1071)."""
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


@dataclass
class WebServer:
    """A server on one port of a host: `/bytes/N` at once, `/slow/MS/N` late."""

    host: Host
    port: int
    backlog: int = 512
    accept_pause_s: float = 0
    idle_s: float | None = None
    """After so much silence it closes a connection."""
    address: str = ""
    """Where it listens; `::` for IPv6."""
    protocol: int = socket.IPPROTO_TCP
    accepted: list[tuple[float, str, int]] = field(default_factory=list)
    """Time and peer of each connection that the program got."""

    def start(self) -> WebServer:
        """Listen; returns when connections are possible."""
        ready = threading.Event()
        ended = self.host.start(self._serve, ready)
        while not ready.wait(0.05):
            if ended.done():
                ended.result()
        return self

    def _serve(self, ready: threading.Event) -> None:
        with socket.socket(family_of(self.address), socket.SOCK_STREAM, self.protocol) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((self.address, self.port))
            listener.listen(self.backlog)
            ready.set()
            while True:
                peer, (address, port, *_) = listener.accept()
                self.accepted.append((time.time(), address, port))
                threading.Thread(target=_answer_all, args=(peer, self.idle_s), daemon=True).start()
                time.sleep(self.accept_pause_s)


def _answer_all(peer: socket.socket, idle_s: float | None) -> None:
    with peer:
        peer.settimeout(idle_s)
        try:
            while True:
                words = read_message(peer).split()[1].strip("/").split("/")
                if words[0] == "slow":
                    time.sleep(int(words[1]) / 1000)
                body = b"d" * int(words[-1])
                peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        except OSError:
            return
