"""A node that hands a source port out again while the server holds its last connection in TIME_WAIT."""

from __future__ import annotations

import socket
import time
from typing import TYPE_CHECKING

from workers.tests.lab.incident import EVERYTHING, Case, Lab, incident, nothing_wrong
from workers.tests.lab.programs import CallResult, read_message, retransmissions

if TYPE_CHECKING:
    from workers.tests.lab.hosts import Host
    from workers.tests.lab.star import Star

CALLS, RUN_S = 90, 14.0
POOL_PORTS = 16
LISTED = "ss -tan state time-wait"


def _serve_and_close(host: Host, port: int) -> None:
    """A server that closes each connection first, as HTTP/1.0 servers do."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("", port))
        listener.listen(256)
        while True:
            peer, _ = listener.accept()
            with peer:
                try:
                    read_message(peer)
                    peer.sendall(b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok")
                except OSError:
                    continue


def _fetch(pod: Host, server: tuple[str, int], at: float) -> CallResult:
    result = CallResult(pod.name, *server)
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as client:
        client.settimeout(6)
        time.sleep(max(0, at - time.monotonic()))
        result.wall_s, started = time.time(), time.monotonic()
        try:
            client.connect(server)
            result.connect_ms = round((time.monotonic() - started) * 1000, 2)
            result.connect_retransmissions = retransmissions(client)
            client.sendall(b"GET / HTTP/1.0\r\nHost: web.test\r\nContent-Length: 0\r\n\r\n")
            while client.recv(4096):
                pass
        except OSError as error:
            result.outcome = type(error).__name__
        result.source_port = client.getsockname()[1]
    return result


def _run(lab: Lab, options: str) -> Star:
    star = lab.star(pods=3, masquerade=None)
    star.node.run("iptables", *f"{star.masquerade} -p tcp -j MASQUERADE {options}".split())
    star.node.sysctl(netfilter__nf_conntrack_tcp_timeout_time_wait=1)
    server = star.server_addresses[0], star.port
    star.servers[0].start(_serve_and_close, star.servers[0], star.port)
    with lab.recorded(star):
        start = time.monotonic() + 1
        moments = sorted(lab.random.uniform(0, RUN_S) for _ in range(CALLS))
        waiting = [
            pod.start(_fetch, pod, server, start + at)
            for at in moments
            for pod in (lab.random.choice(star.pods),)
        ]
        lab.calls = [each.result() for each in waiting]
    lab.truth["waits_ms"] = sorted(call.connect_ms for call in lab.calls)[-20:]
    lab.truth["held_by_the_server"] = len(star.servers[0].run(*LISTED.split()).splitlines()) - 1
    return star


@incident(
    "time-wait-collision",
    "time-wait-collision",
    "16 source ports for three pods: a SYN meets the server's TIME_WAIT of another pod's connection",
)
def time_wait_collision(lab: Lab) -> list[Case]:
    """Time stamps of another pod are older than the last: the server answers the SYN with an ACK."""
    first = lab.random.randrange(20_000, 60_000)
    _run(lab, f"--to-ports {first}-{first + POOL_PORTS - 1}")
    held = ("time-wait-collision",)
    return [
        Case("all", EVERYTHING, held, (), 0.6, lab.delayed_bounds()),
        Case("node", ("node.pcap",), held),
        Case("client", ("pod0.pcap",), allowed=held),
    ]


@incident("time-wait-room", None, "twin of time-wait-collision: the rule may use every port")
def time_wait_room(lab: Lab) -> list[Case]:
    """The server holds the same connections, and no port comes round."""
    _run(lab, "--random-fully")
    return nothing_wrong()
