"""A pod that asks a token service over TLS while it serves: in each request, or now and then."""

from __future__ import annotations

import contextlib
import socket
import ssl
import subprocess
import threading
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from workers.tests.lab.hosts import Host
from workers.tests.lab.incident import EVERYTHING, Case, Lab, incident
from workers.tests.lab.incidents.metadata import Application, ask_for_orders
from workers.tests.lab.programs import read_message
from workers.tests.lab.star import Star
from workers.tests.lab.wire import carry, compute_checksums, wire_of_server

PORT = 443
TOKEN = b"HTTP/1.1 200 OK\r\nContent-Length: 1200\r\n\r\n" + b"t" * 1200
NAMES = (
    "sts.amazonaws.com",
    "sts.eu-central-1.amazonaws.com",
    "login.microsoftonline.com",
    "sts.googleapis.com",
)


@dataclass
class TokenService:
    """A TLS server that answers each request with a token."""

    host: Host
    asked: list[float] = field(default_factory=list)

    def start(self) -> TokenService:
        """Listen; returns when bound."""
        ready = threading.Event()
        self.host.start(self._serve, ready)
        assert ready.wait(30)
        return self

    def _serve(self, ready: threading.Event) -> None:
        context = _certified()
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(("", PORT))
            listener.listen(64)
            ready.set()
            while True:
                peer, _ = listener.accept()
                threading.Thread(target=self._answer, args=(context, peer), daemon=True).start()

    def _answer(self, context: ssl.SSLContext, peer: socket.socket) -> None:
        with contextlib.suppress(OSError), peer, context.wrap_socket(peer, server_side=True) as secure:
            read_message(secure)
            self.asked.append(time.time())
            secure.sendall(TOKEN)
            secure.recv(1)


def _certified() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with TemporaryDirectory() as folder:
        key, certificate = Path(folder, "key.pem"), Path(folder, "certificate.pem")
        command = f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=lab -keyout {key} -out {certificate}"
        subprocess.run(command.split(), check=True, capture_output=True)
        context.load_cert_chain(certificate, key)
    return context


def ask_for_token(address: str, name: str) -> None:
    """What an SDK does: a connection of its own, the handshakes, a request and its answer."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with (
        socket.create_connection((address, PORT), 30) as plain,
        context.wrap_socket(plain, server_hostname=name) as secure,
    ):
        secure.sendall(f"POST / HTTP/1.1\r\nHost: {name}\r\nContent-Length: 0\r\n\r\n".encode())
        read_message(secure)


def _built(lab: Lab, one_way_s: float) -> tuple[Star, TokenService, str]:
    """The token service is the first server, behind a wire of that delay; the second server is the client."""
    star = lab.star(servers=2)
    compute_checksums(star.ends)
    carry(wire_of_server(star, 0), delay_s=one_way_s)
    return star, TokenService(star.servers[0]).start(), lab.random.choice(NAMES)


def _serve_requests(lab: Lab, one_way_s: float, every: int, background_s: float | None = None) -> None:
    star, service, name = _built(lab, one_way_s)
    load = partial(ask_for_token, star.server_addresses[0], name)
    application = Application(star.pods[0], star.port, every, load).start()
    with lab.recorded(star):
        client = star.servers[1]
        # At the shorter distance requests wait for one another: one program serves them in turn.
        apart_s = lab.random.choice((0.45, 0.8))
        times_s = [0.2 + n * apart_s + lab.random.uniform(0, 0.05) for n in range(30)]
        started = [client.start(ask_for_orders, star.pod_addresses[0], star.port, at) for at in times_s]
        if background_s is not None:
            started.append(star.pods[0].start(_refresh, load, background_s, times_s[-1]))
        for each in started:
            each.result()
    lab.truth["served"] = application.served
    lab.truth["token_calls"] = len(service.asked)


def _refresh(load: partial[None], every_s: float, until_s: float) -> None:
    end = time.monotonic() + until_s
    while time.monotonic() < end:
        load()
        time.sleep(every_s)


@incident(
    "token-each-time",
    "sts-credential-latency",
    "the program asks a far token service in every request that it serves",
)
def token_each_time(lab: Lab) -> list[Case]:
    """Three round trips of 60 to 110 ms before each answer."""
    _serve_requests(lab, lab.random.uniform(0.03, 0.055), every=1)
    far = ("sts-credential-latency",)
    return [
        Case("all", EVERYTHING, far, (), 0.5, {"token-service-calls": (25, 35)}),
        Case("client", ("pod0.pcap",), far, (), 0.5),
    ]


@incident("token-kept", None, "twin of token-each-time: asked once and kept", short=True)
def token_kept(lab: Lab) -> list[Case]:
    """One call in the first request."""
    _serve_requests(lab, lab.random.uniform(0.03, 0.055), every=1_000)
    return [Case("all", EVERYTHING, findings={"token-service-calls": (0, 0)}), Case("client", ("pod0.pcap",))]


@incident(
    "token-background",
    None,
    "look-alike of token-each-time: a thread of its own refreshes the token too often",
)
def token_background(lab: Lab) -> list[Case]:
    """Calls on a timer, that some requests meet by chance."""
    _serve_requests(lab, lab.random.uniform(0.03, 0.055), every=1_000, background_s=0.31)
    return [Case("all", EVERYTHING, findings={"token-service-calls": (0, 0)}), Case("client", ("pod0.pcap",))]
