"""Transfers that are limited by their application, by the receiver window, and by the network."""

from __future__ import annotations

import socket
import struct
import threading
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from workers.tests.lab.incident import EVERYTHING, Case, Lab, incident
from workers.tests.lab.wire import carry, compute_checksums, wire_of_server

if TYPE_CHECKING:
    from workers.tests.lab.star import Star

_BUSY_TIME_BYTE = 168
"""Of `struct tcp_info` (include/uapi/linux/tcp.h): busy_time, rwnd_limited, sndbuf_limited, each 64 bits of µs."""
_SEGMENT_BYTE, _UNACKED_BYTE, _CWND_BYTE, _WINDOW_BYTE = 16, 24, 80, 228
_NOT_SENT_BYTE = 144
_INFO_BYTES = 232
_PIECE_BYTES = 1 << 16
_SEND_BUFFER_BYTES = 4 << 20
"""Much more than any window here: a send buffer that limits looks like the network's in packets."""


@dataclass(frozen=True)
class Upload:
    """What one client sends, and how the server reads it."""

    name: str
    port: int
    bytes: int
    piece_bytes: int = _PIECE_BYTES
    pause_s: float = 0
    receive_buffer_bytes: int = 0
    """0 for the kernel's own choice."""
    read_pause_s: float = 0


@dataclass(frozen=True)
class Limited:
    """What the sender's socket says after an upload."""

    name: str
    port: int
    """Of the server."""
    total_s: float
    """From connect() to the last acknowledged byte."""
    busy_s: float
    receiver_window_s: float
    send_buffer_s: float
    filled_window_s: float
    """Sampled: the window was full and the congestion window was not."""


def _read_all(upload: Upload, ready: threading.Event) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        if upload.receive_buffer_bytes:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, upload.receive_buffer_bytes)
        listener.bind(("", upload.port))
        listener.listen(8)
        ready.set()
        peer, _ = listener.accept()
        with peer:
            while peer.recv(_PIECE_BYTES):
                time.sleep(upload.read_pause_s)


def _send(address: str, upload: Upload) -> Limited:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER_BYTES)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        started = time.monotonic()
        client.connect((address, upload.port))
        left = upload.bytes
        while left > 0:
            client.sendall(bytes(min(left, upload.piece_bytes)))
            left -= upload.piece_bytes
            time.sleep(upload.pause_s)
        filled_s = _time_at_filled_window(client)
        total_s = time.monotonic() - started
        counted_us = struct.unpack_from("=3Q", _socket_info(client), _BUSY_TIME_BYTE)
        busy_s, window_s, buffer_s = (microseconds / 1e6 for microseconds in counted_us)
        return Limited(upload.name, upload.port, total_s, busy_s, window_s, buffer_s, filled_s)


def _socket_info(client: socket.socket) -> bytes:
    return client.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _INFO_BYTES)


def _time_at_filled_window(client: socket.socket) -> float:
    """Until all is acknowledged: how long the window had room for less than two segments, and the congestion window had
    more. Linux defers a single segment while ACKs are to come (net/ipv4/tcp_output.c, tcp_tso_should_defer()).

    Asked every millisecond. The kernel's own rwnd_limited is less: each segment that it may send ends a spell, and
    the next begins when it tries to send again; it counts in jiffies, too."""
    found_s, before = 0.0, time.monotonic()
    while True:
        time.sleep(0.001)
        info, now = _socket_info(client), time.monotonic()
        (segment_bytes,), (unacknowledged,), (cwnd,), (window,) = (
            struct.unpack_from("=I", info, at)
            for at in (_SEGMENT_BYTE, _UNACKED_BYTE, _CWND_BYTE, _WINDOW_BYTE)
        )
        if not unacknowledged and not struct.unpack_from("=I", info, _NOT_SENT_BYTE)[0]:
            return found_s
        if unacknowledged < cwnd and (unacknowledged + 2) * segment_bytes > window:
            found_s += now - before
        before = now


def _uploads(lab: Lab, port: int) -> list[Upload]:
    draw = lab.random
    pause_s, read_pause_s = draw.uniform(0.06, 0.15), draw.uniform(0.03, 0.06)
    small_bytes, slow_bytes = draw.randrange(12, 24) << 10, 1 << 17
    return [
        Upload("application", port, draw.randrange(20, 40) * 20_000, piece_bytes=20_000, pause_s=pause_s),
        Upload("small-window", port + 1, draw.randrange(2, 4) << 20, receive_buffer_bytes=small_bytes),
        Upload("slow-reader", port + 2, 3 << 20, receive_buffer_bytes=slow_bytes, read_pause_s=read_pause_s),
        Upload("network", port + 3, draw.randrange(4, 7) << 20),
    ]


def _shape(lab: Lab, star: Star) -> None:
    """A slow link behind the node, and a delay before the server."""
    rate_mbit = lab.random.randrange(15, 30)
    star.node.run(
        "tc",
        "qdisc",
        "add",
        "dev",
        "eth0",
        "root",
        "tbf",
        *f"rate {rate_mbit}mbit burst 32kb limit 60000".split(),
    )
    wire = wire_of_server(star, 0)
    compute_checksums(star.ends)
    delay_s = lab.random.uniform(0.01, 0.02)
    lab.truth |= {"rate_mbit": rate_mbit, "delay_s": delay_s}
    carry(wire, delay_s)


@incident(
    "limited-transfers", None, "uploads limited by their application, the receiver window or the network"
)
def limited_transfers(lab: Lab) -> list[Case]:
    """One after the other over the same slow path, so that none is in another's way."""
    star = lab.star()
    server = star.servers[0]
    uploads = _uploads(lab, star.port + 10_000)
    for upload in uploads:
        ready = threading.Event()
        server.start(_read_all, upload, ready)
        ready.wait(30)
    _shape(lab, star)
    found = []
    with lab.recorded(star):
        for upload in uploads:
            found.append(star.pods[0].start(_send, star.server_addresses[0], upload).result())
    lab.truth["uploads"] = [asdict(each) for each in found]
    may = ("queue-buildup", "path-loss", "zero-window", "return-path-loss")
    return [Case("all", EVERYTHING, allowed=may)]
