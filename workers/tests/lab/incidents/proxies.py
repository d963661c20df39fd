"""A proxy that passes requests on to a backend: what the backend does is seen twice."""

from __future__ import annotations

import socket
import threading
from dataclasses import dataclass, replace

from workers.tests.lab.hosts import Host
from workers.tests.lab.incident import EVERYTHING, Case, Lab, each_share, incident, nothing_wrong
from workers.tests.lab.programs import Request, WebServer, make_calls
from workers.tests.lab.star import Star

BURSTS = 3
FILES = ("pod0.pcap", "node.pcap", "server0.pcap", "server1.pcap")


@dataclass(frozen=True)
class Proxy:
    """For each connection of a client one of its own to the backend."""

    host: Host
    port: int
    backend: tuple[str, int]

    def start(self) -> None:
        """Listen; returns when connections are possible."""
        ready = threading.Event()
        self.host.start(self._serve, ready)
        ready.wait()

    def _serve(self, ready: threading.Event) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(("", self.port))
            listener.listen(512)
            ready.set()
            while True:
                client, _ = listener.accept()
                self.host.start(self._pass_on, client)

    def _pass_on(self, client: socket.socket) -> None:
        with client, socket.socket(socket.AF_INET, socket.SOCK_STREAM) as behind:
            behind.connect(self.backend)
            back = threading.Thread(target=_copy, args=(behind, client), daemon=True)
            back.start()
            _copy(client, behind)
            back.join()


def _copy(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        return


def _run(lab: Lab, backlog: int, accept_pause_s: float) -> Star:
    """The first server is the proxy, the second its backend."""
    star = lab.star(servers=2)
    proxy, backend = star.servers
    WebServer(backend, star.port, backlog, accept_pause_s).start()
    Proxy(proxy, star.port, (star.server_addresses[1], star.port)).start()
    burst = lab.random.randint(12, 18)
    calls = [
        replace(call, at_s=n * 2.5 + call.at_s, timeout_s=12, address=star.server_addresses[0])
        for n in range(BURSTS)
        for call in star.calls(burst, 0.05)
    ]
    with lab.recorded(star):
        lab.calls = make_calls(calls)
    lab.truth["overflows"] = lab.recording.nstat["server1"].get("TcpExtListenOverflows", 0)
    return star


@incident(
    "proxy-backend-full", "listen-overflow", "the accept queue of a proxy's backend is full; the proxy waits"
)
def proxy_backend_full(lab: Lab) -> list[Case]:
    """Responses of the proxy are late because its connections to the backend are."""
    _run(lab, lab.random.randint(3, 6), lab.random.uniform(0.12, 0.2))
    full = ("listen-overflow",)
    client = ("slow-server",)
    return [
        Case("all", EVERYTHING, full),
        Case("captures", FILES, allowed=full),
        Case("proxy", ("server0.pcap",), allowed=full),
        Case("client", ("pod0.pcap",), allowed=client),
    ]


@incident(
    "proxy-backend-free", None, "twin of proxy-backend-full: the same calls, a backend with a queue of 512"
)
def proxy_backend_free(lab: Lab) -> list[Case]:
    """The same proxy and program."""
    _run(lab, 512, 0)
    return [*nothing_wrong(), *each_share(FILES, ())]


@incident(
    "balancer-keep-alive", None, "look-alike: clients keep their connections to a balancer; nothing is wrong"
)
def balancer_keep_alive(lab: Lab) -> list[Case]:
    """Several requests a connection, with rests of seconds between them."""
    star = lab.star(servers=2)
    WebServer(star.servers[1], star.port).start()
    Proxy(star.servers[0], star.port, (star.server_addresses[1], star.port)).start()
    rest_s = lab.random.uniform(1, 2)
    requests = [Request("/bytes/400"), *(Request("/bytes/9000", silence_s=rest_s) for _ in range(3))]
    calls = [replace(call, address=star.server_addresses[0]) for call in star.calls(50, 3, requests)]
    with lab.recorded(star):
        lab.calls = make_calls(calls)
    return [*nothing_wrong(), *each_share(FILES, ())]
