"""Entries of connection tracking that outlive the service's rule, or do not outlive their connection."""

from __future__ import annotations

import socket
import threading
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from workers.tests.lab.incident import EVERYTHING, Case, Lab, each_share, incident, nothing_wrong
from workers.tests.lab.programs import make_calls
from workers.tests.lab.recording import session

if TYPE_CHECKING:
    from workers.tests.lab.hosts import Host
    from workers.tests.lab.star import Star

FILES = ("pod0.pcap", "node.pcap", "server0.pcap", "server1.pcap")
SENT_EVERY_S = 0.25
RULE_GONE_S = (2.0, 3.0)
SENDING_S = 10
LISTED_AT_S = (1.5, 3, 4.5, 8)
HALF_CLOSED_AT_ONCE = 6
EXPIRED = ("conntrack-entry-expired",)


def _service(lab: Lab) -> str:
    address = f"10.96.{lab.random.randrange(250)}.{lab.random.randrange(2, 250)}"
    lab.truth["service"] = address
    return address


def _listed(lab: Lab, star: Star, protocol: str, at_s: tuple[float, ...]) -> None:
    """`conntrack -L` on the node at these times after now, each in a file of its own."""
    began = time.monotonic()
    for number, at in enumerate(at_s):
        time.sleep(max(0, began + at - time.monotonic()))
        listing = session(star.node, ("date -u", f"conntrack -L -p {protocol}"))
        (lab.folder / f"{star.node.prompt}-during{number}.txt").write_text(listing)


@dataclass
class _Sender:
    """Datagrams from one port to one address, answered or not."""

    host: Host
    to: tuple[str, int]
    sent: list[float] = field(default_factory=list)
    answered: list[float] = field(default_factory=list)

    def send(self, for_s: float) -> None:
        """Returns when the last was answered, or had the time for it."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.settimeout(SENT_EVERY_S)
            sender.bind(("", 0))
            end = time.monotonic() + for_s
            while time.monotonic() < end:
                self.sent.append(time.time())
                began = time.monotonic()
                sender.sendto(b"%d" % len(self.sent), self.to)
                try:
                    sender.recvfrom(2048)
                    self.answered.append(time.time())
                except OSError:
                    pass
                time.sleep(max(0, began + SENT_EVERY_S - time.monotonic()))


def _echo(host: Host, port: int) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("", port))
        while True:
            data, peer = listener.recvfrom(2048)
            listener.sendto(data, peer)


def _kept_port(lab: Lab, *, comes_back: bool, deleted_again: bool) -> None:
    """The service's rule goes and its entries are deleted, as kube-proxy does; the first sender never stops."""
    star = lab.star(servers=2)
    star.serve()
    star.servers[0].start(_echo, star.servers[0], star.port)
    star.router.ip("route add blackhole 10.96.0.0/12")
    service = _service(lab)
    match = f"PREROUTING -d {service}/32 -p udp --dport {star.port}"
    rule = f"{match} -j DNAT --to-destination {star.server_addresses[0]}:{star.port}".split()
    forget = f"conntrack -D -p udp --orig-dst {service} || true"
    star.node.run("iptables", "-t", "nat", "-A", *rule)
    first, second = (_Sender(pod, (service, star.port)) for pod in star.pods)
    gone_s, back_s = RULE_GONE_S
    with lab.recorded(star):
        sending = [star.pods[0].start(first.send, SENDING_S)]
        listing = star.node.start(_listed, lab, star, "udp", (1, 2.5, 5, 8))
        calls = star.pods[0].start(make_calls, star.calls(30, 6))
        time.sleep(gone_s)
        star.node.run("iptables", "-t", "nat", "-D", *rule)
        star.node.shell(forget)
        time.sleep(back_s - gone_s)
        if comes_back:
            star.node.run("iptables", "-t", "nat", "-A", *rule)
        if deleted_again:
            star.node.shell(forget)
        back_at = time.time()
        sending.append(star.pods[1].start(second.send, SENDING_S - back_s - 0.5))
        for each in (*sending, listing):
            each.result()
        lab.calls = calls.result()
    for name, sender in (("first", first), ("second", second)):
        lab.truth[name] = {
            "sent_after": sum(at > back_at for at in sender.sent),
            "answered_after": sum(at > back_at for at in sender.answered),
        }


@incident(
    "stale-conntrack-entry",
    "stale-conntrack-entry",
    "a UDP sender keeps its port while the service's rule goes",
)
def stale_conntrack_entry(lab: Lab) -> list[Case]:
    """The rule is back, and the sender's entry of the time between is renewed by each of its datagrams."""
    _kept_port(lab, comes_back=True, deleted_again=False)
    stale = ("stale-conntrack-entry",)
    return [
        Case("all", EVERYTHING, stale, (), 0.5),
        Case("listings", ("*.txt",), stale, (), 0.5),
        *each_share(FILES, stale),
    ]


@incident(
    "entry-made-anew", None, "twin of stale-conntrack-entry: the entry is deleted when the rule is back"
)
def entry_made_anew(lab: Lab) -> list[Case]:
    """The next datagram is translated."""
    _kept_port(lab, comes_back=True, deleted_again=True)
    return [*nothing_wrong(), *each_share(FILES, ())]


@incident(
    "service-removed", None, "look-alike of stale-conntrack-entry: the service's rule does not come back"
)
def service_removed(lab: Lab) -> list[Case]:
    """No entry is translated any more, whoever sends."""
    _kept_port(lab, comes_back=False, deleted_again=False)
    return [*nothing_wrong(), *each_share(FILES, ())]


@dataclass
class _HalfClosingServer:
    """Answers the first request, sends its FIN, and reads what comes afterwards."""

    host: Host
    port: int
    late: list[int] = field(default_factory=list)
    """Bytes of each connection after the FIN."""

    def start(self) -> None:
        """Listen; returns when connections are possible."""
        ready = threading.Event()
        self.host.start(self._serve, ready)
        ready.wait()

    def _serve(self, ready: threading.Event) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
            listener.bind(("", self.port))
            listener.listen(64)
            ready.set()
            while True:
                peer, _ = listener.accept()
                threading.Thread(target=self._answer, args=(peer,), daemon=True).start()

    def _answer(self, peer: socket.socket) -> None:
        with peer:
            peer.recv(4096)
            peer.sendall(b"done\n")
            peer.shutdown(socket.SHUT_WR)
            count = 0
            try:
                while data := peer.recv(4096):
                    count += len(data)
            except OSError:
                pass
            self.late.append(count)


def _use_half_closed(address: tuple[str, int], at_s: float, silence_s: float) -> str:
    """The program does not notice the server's FIN, and sends its last bytes after a silence."""
    time.sleep(at_s)
    with socket.create_connection(address, timeout=5) as client:
        client.sendall(b"first\n")
        client.recv(4096)
        time.sleep(silence_s)
        try:
            client.sendall(b"last")
            time.sleep(0.3)
            client.sendall(b" bytes\n")
        except OSError as error:
            return type(error).__name__
    return "sent"


def _half_closed(lab: Lab, timeout_s: int, silence_s: float) -> None:
    star = lab.star(servers=2)
    star.node.sysctl(netfilter__nf_conntrack_tcp_timeout_close_wait=timeout_s)
    servers = [_HalfClosingServer(host, star.port) for host in star.servers]
    for server in servers:
        server.start()
    service = _service(lab)
    match = f"-t nat -A PREROUTING -d {service}/32 -p tcp --dport {star.port}"
    half = "-m statistic --mode random --probability 0.5"
    for chance, address in zip((half, ""), star.server_addresses, strict=True):
        star.node.run("iptables", *f"{match} {chance} -j DNAT --to-destination {address}:{star.port}".split())
    other = replace(star, port=star.port + 1)
    other.serve()
    with lab.recorded(star):
        listing = star.node.start(_listed, lab, star, "tcp", LISTED_AT_S)
        calls = star.pods[0].start(make_calls, other.calls(20, 6))
        using = [
            star.pods[number % 2].start(_use_half_closed, (service, star.port), number * 0.1, silence_s)
            for number in range(HALF_CLOSED_AT_ONCE)
        ]
        outcomes = [each.result() for each in using]
        listing.result()
        lab.calls = calls.result()
    lab.truth |= {"outcomes": outcomes, "late_bytes": [count for each in servers for count in each.late]}


@incident(
    "conntrack-entry-expired",
    "conntrack-entry-expired",
    "entries of half-closed connections live 6 s, and their clients send after 9 s",
)
def conntrack_entry_expired(lab: Lab) -> list[Case]:
    """The late bytes are translated as those of a new connection, to any endpoint, and refused."""
    _half_closed(lab, timeout_s=6, silence_s=9)
    return [
        Case("all", EVERYTHING, EXPIRED, (), 0.5),
        Case("listings", ("*.txt",), EXPIRED, (), 0.5),
        *each_share(FILES, EXPIRED),
    ]


@incident(
    "half-closed-kept", None, "twin of conntrack-entry-expired: entries live an hour, as kube-proxy sets it"
)
def half_closed_kept(lab: Lab) -> list[Case]:
    """The late bytes arrive."""
    _half_closed(lab, timeout_s=3600, silence_s=9)
    return [*nothing_wrong(), *each_share(FILES, ())]


@incident(
    "half-closed-in-time",
    None,
    "look-alike: entries live 60 s, the default, and clients send after 6 s",
)
def half_closed_in_time(lab: Lab) -> list[Case]:
    """The entries count down, and never expire."""
    _half_closed(lab, timeout_s=60, silence_s=6)
    return [*nothing_wrong(), *each_share(FILES, ())]
