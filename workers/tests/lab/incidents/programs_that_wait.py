"""Programs that make their connections wait: a receiver that does not read, a writer that meets delayed ACKs."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

from workers.tests.lab.hosts import Host
from workers.tests.lab.incident import EVERYTHING, Case, Lab, incident

Handler = Callable[[socket.socket], None]

BLOCK_BYTES = 16_384
UPLOAD_BYTES = 2_000_000
UPLOADS = 4
PAUSE_AFTER_BYTES = 100_000
REQUESTS = 40
HEAD_BYTES, BODY_BYTES = 90, 120
ANSWER = b"d" * 300


@dataclass
class Transfer:
    """How long an upload or a request took, as its program saw it."""

    seconds: float


def _listen(port: int, ready: threading.Event, handle: Handler) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
        listener.bind(("", port))
        listener.listen(64)
        ready.set()
        while True:
            peer, _ = listener.accept()
            threading.Thread(target=handle, args=(peer,), daemon=True).start()


def _serve(host: Host, port: int, handle: Handler) -> None:
    ready = threading.Event()
    host.start(_listen, port, ready, handle)
    assert ready.wait(30)


def _upload(address: str, port: int, after_s: float) -> Transfer:
    time.sleep(after_s)
    started = time.monotonic()
    with socket.create_connection((address, port), 30) as sender:
        sender.sendall(b"u" * UPLOAD_BYTES)
        sender.shutdown(socket.SHUT_WR)
        sender.recv(1)
    return Transfer(time.monotonic() - started)


def _reader(pause_s: float) -> Handler:
    """Reads, but rests once in between with the socket's buffer full."""

    def handle(peer: socket.socket) -> None:
        got = 0
        with peer:
            while data := peer.recv(BLOCK_BYTES):
                if got < PAUSE_AFTER_BYTES <= got + len(data):
                    time.sleep(pause_s)
                got += len(data)
            peer.sendall(b"k")

    return handle


def _uploads(lab: Lab, pause_s: float) -> None:
    star = lab.star()
    _serve(star.servers[0], star.port, _reader(pause_s))
    with lab.recorded(star):
        started = [
            star.pods[index % len(star.pods)].start(
                _upload, star.server_addresses[0], star.port, lab.random.uniform(0, 2)
            )
            for index in range(UPLOADS)
        ]
        lab.truth["uploads"] = [asdict(each.result()) for each in started]
    lab.truth["pause_s"] = pause_s


@incident("zero-window", "zero-window", "the server rests during uploads, with its socket's buffer full")
def zero_window(lab: Lab) -> list[Case]:
    """Each upload waits once for the program; no packet is lost."""
    _uploads(lab, lab.random.uniform(1.2, 2.5))
    closed = ("zero-window",)
    found = {"zero-window": (1, UPLOADS), "syn-retransmission": (0, 0)}
    return [
        Case("all", EVERYTHING, closed, (), 0.5, found),
        Case("client", ("pod0.pcap",), closed),
        Case("server", ("server0.pcap",), closed, (), 0.5, found),
    ]


@incident("uploads-read", None, "twin of zero-window: the same uploads to a server that goes on reading")
def uploads_read(lab: Lab) -> list[Case]:
    """The window may close for milliseconds, as flow control does."""
    _uploads(lab, 0)
    return [Case("all", EVERYTHING, findings={"zero-window": (0, 0)}), Case("client", ("pod0.pcap",))]


def _answers(peer: socket.socket) -> None:
    """Answers when head and body of a request are there."""
    with peer:
        while True:
            got = 0
            while got < HEAD_BYTES + BODY_BYTES:
                data = peer.recv(HEAD_BYTES + BODY_BYTES - got)
                if not data:
                    return
                got += len(data)
            peer.sendall(ANSWER)


def _write_twice(address: str, port: int, no_delay: bool) -> list[Transfer]:
    taken = []
    with socket.create_connection((address, port), 30) as writer:
        writer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, no_delay)
        for _ in range(REQUESTS):
            started = time.monotonic()
            writer.send(b"h" * HEAD_BYTES)
            writer.send(b"b" * BODY_BYTES)
            got = 0
            while got < len(ANSWER):
                got += len(writer.recv(BLOCK_BYTES))
            taken.append(Transfer(time.monotonic() - started))
            time.sleep(0.01)
    return taken


def _writes(lab: Lab, *, no_delay: bool) -> None:
    star = lab.star()
    _serve(star.servers[0], star.port, _answers)
    with lab.recorded(star):
        started = [
            pod.start(_write_twice, star.server_addresses[0], star.port, no_delay) for pod in star.pods
        ]
        taken = [each.seconds for pod in started for each in pod.result()]
    lab.truth["requests_above_35_ms"] = sum(seconds > 0.035 for seconds in taken)
    lab.truth["requests"] = len(taken)


@incident("delayed-ack", "delayed-ack", "head and body of a request are written apart, without TCP_NODELAY")
def delayed_ack(lab: Lab) -> list[Case]:
    """The body waits for the acknowledgement of the head, which waits for the server's timer of 40 ms."""
    _writes(lab, no_delay=False)
    held = ("delayed-ack",)
    least = lab.truth["requests_above_35_ms"] * 3 // 4
    found = {"delayed-ack": (least, 2 * REQUESTS), "syn-retransmission": (0, 0)}
    return [
        Case("all", EVERYTHING, held, (), 0.5, found),
        Case("client", ("pod0.pcap",), held),
        Case("server", ("server0.pcap",), held),
    ]


@incident("no-delay", None, "twin of delayed-ack: the same writes with TCP_NODELAY")
def written_at_once(lab: Lab) -> list[Case]:
    """Both writes leave at once."""
    _writes(lab, no_delay=True)
    return [Case("all", EVERYTHING, findings={"delayed-ack": (0, 0)}), Case("client", ("pod0.pcap",))]
