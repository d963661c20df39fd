"""A pod that asks a metadata service while it serves: too often, too slowly answered, or in vain."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random

from workers.tests.lab.hosts import Host
from workers.tests.lab.incident import EVERYTHING, Case, Lab, incident
from workers.tests.lab.programs import read_message
from workers.tests.lab.star import Star

ADDRESS, PORT = "169.254.169.254", 80
ROLE_PATH = "/latest/meta-data/iam/security-credentials/"
TOKEN_TIMEOUT_S = 1.0
"""botocore's metadata_service_timeout."""


@dataclass
class MetadataService:
    """Instance metadata v2 behind the node: tokens, a role, and credentials for six hours."""

    host: Host
    late_s: tuple[float, float] = (0.002, 0.006)
    token_ttl: int = 64
    asked: list[tuple[float, str]] = field(default_factory=list)
    """Time and request line of each call that the service got."""

    def start(self) -> MetadataService:
        """Listen at the link-local address; returns when bound."""
        self.host.ip(f"addr add {ADDRESS}/32 dev lo")
        ready = threading.Event()
        self.host.start(self._serve, ready)
        assert ready.wait(30)
        return self

    def _serve(self, ready: threading.Event) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((ADDRESS, PORT))
            listener.listen(64)
            ready.set()
            while True:
                peer, _ = listener.accept()
                threading.Thread(target=self._answer, args=(peer,), daemon=True).start()

    def _answer(self, peer: socket.socket) -> None:
        random = Random(len(self.asked))
        with peer:
            try:
                line = read_message(peer)
                self.asked.append((time.time(), line))
                time.sleep(random.uniform(*self.late_s))
                if line.startswith("PUT"):
                    peer.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, self.token_ttl)
                peer.sendall(_message(line))
                peer.recv(1)
            except OSError:
                return


def _message(line: str) -> bytes:
    path = line.split()[1]
    now = datetime.now(UTC)
    if line.startswith("PUT"):
        body = "T" * 56
    elif path == ROLE_PATH:
        body = "lab-role"
    else:
        until = (now + timedelta(hours=6)).strftime("%Y-%m-%dT%H:%M:%SZ")
        body = f'{{"Code":"Success","Type":"AWS-HMAC","Expiration":"{until}"}}'
    date = now.strftime("%a, %d %b %Y %H:%M:%S GMT")
    return f"HTTP/1.1 200 OK\r\nDate: {date}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()


def _ask(method: str, path: str, timeout_s: float = 30) -> None:
    with socket.create_connection((ADDRESS, PORT), timeout_s) as caller:
        caller.settimeout(timeout_s)
        caller.sendall(f"{method} {path} HTTP/1.1\r\nHost: {ADDRESS}\r\n\r\n".encode())
        read_message(caller)


def _load_credentials() -> None:
    """What an SDK does: a token, the role's name, its credentials; without a token when none comes in time."""
    with contextlib.suppress(TimeoutError):
        _ask("PUT", "/latest/api/token", TOKEN_TIMEOUT_S)
    _ask("GET", ROLE_PATH)
    _ask("GET", f"{ROLE_PATH}lab-role")


@dataclass
class Application:
    """A program in a pod that answers requests, and loads credentials before it may."""

    host: Host
    port: int
    loads_every: int
    """Requests served with one load of credentials."""
    load: Callable[[], None]
    served: list[float] = field(default_factory=list)
    """How long each request took, in seconds."""

    def start(self) -> Application:
        """Listen; returns when bound."""
        ready = threading.Event()
        self.host.start(self._serve, ready)
        assert ready.wait(30)
        return self

    def _serve(self, ready: threading.Event) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(("", self.port))
            listener.listen(64)
            ready.set()
            while True:
                peer, _ = listener.accept()
                self._answer(peer)

    def _answer(self, peer: socket.socket) -> None:
        with peer:
            started = time.monotonic()
            read_message(peer)
            if len(self.served) % self.loads_every == 0:
                self.load()
            time.sleep(0.004)
            peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            self.served.append(time.monotonic() - started)


def ask_for_orders(address: str, port: int, at_s: float) -> None:
    time.sleep(at_s)
    with socket.create_connection((address, port), 60) as caller:
        caller.sendall(b"GET /orders HTTP/1.1\r\nHost: orders.test\r\n\r\n")
        read_message(caller)


def _serve_requests(
    lab: Lab, service: MetadataService, star: Star, times_s: Sequence[float], every: int
) -> None:
    application = Application(star.pods[0], star.port, every, _load_credentials).start()
    with lab.recorded(star):
        client = star.servers[0]
        started = [client.start(ask_for_orders, star.pod_addresses[0], star.port, at) for at in times_s]
        for each in started:
            each.result()
    lab.truth["served"] = application.served
    lab.truth["metadata_calls"] = len(service.asked)


def _built(lab: Lab, **service: object) -> tuple[Star, MetadataService]:
    """The metadata service stands beyond the node: its answers to a pod are forwarded once."""
    star = lab.star()
    return star, MetadataService(star.router, **service).start()  # type: ignore[arg-type]


def _spread(lab: Lab, count: int, over_s: float) -> list[float]:
    return [lab.random.uniform(0, over_s) for _ in range(count)]


@incident(
    "credentials-each-time",
    "credential-refresh-storm",
    "the program loads credentials in every request that it serves, although they are valid for hours",
)
def credentials_each_time(lab: Lab) -> list[Case]:
    """Token, role and credentials inside each of the requests."""
    star, service = _built(lab, late_s=(0.02, 0.04))
    # Eighty wait for one another most of the time: one program serves them in turn.
    _serve_requests(lab, service, star, _spread(lab, lab.random.choice((40, 80)), 16), every=1)
    storm = ("credential-refresh-storm",)
    return [
        Case("all", EVERYTHING, storm, (), 0.5, {"metadata-burst": (1, 10_000)}),
        Case("client", ("pod0.pcap",), storm, (), 0.5),
    ]


@incident("credentials-kept", None, "twin of credentials-each-time: loaded once and kept", short=True)
def credentials_kept(lab: Lab) -> list[Case]:
    """One load in the first request."""
    star, service = _built(lab, late_s=(0.03, 0.06))
    _serve_requests(lab, service, star, _spread(lab, 40, 4), every=1_000)
    return [Case("all", EVERYTHING, findings={"metadata-burst": (0, 0)}), Case("client", ("pod0.pcap",))]


@incident("metadata-slow", "metadata-slow", "the metadata service answers after 0.8 s and more")
def metadata_slow(lab: Lab) -> list[Case]:
    """Few loads, each slow; nothing is lost and nobody asks too often."""
    star, service = _built(lab, late_s=(0.75, 0.95))
    _serve_requests(lab, service, star, _spread(lab, 40, 10), every=20)
    slow = ("metadata-slow",)
    return [
        Case("all", EVERYTHING, slow, (), 0.5),
        Case("client", ("pod0.pcap",), slow),
    ]


@incident(
    "metadata-hop-limit",
    "metadata-hop-limit",
    "answers to token requests leave with a TTL of 1 and end at the node; the SDK waits 1 s for each",
)
def metadata_hop_limit(lab: Lab) -> list[Case]:
    """The other answers arrive: only those to PUT have the short hop limit."""
    star, service = _built(lab, token_ttl=1)
    _serve_requests(lab, service, star, [n * 1.4 + lab.random.uniform(0, 0.2) for n in range(8)], every=1)
    # The program of this lab also loads credentials in each request, which is true and may be said first.
    both = ("metadata-hop-limit", "credential-refresh-storm")
    return [
        Case("all", EVERYTHING, both, named=("metadata-hop-limit",)),
        Case("client", ("pod0.pcap",), both, named=("metadata-hop-limit",)),
    ]
