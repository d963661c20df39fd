"""Losses that many connections share: a client with ten servers, SYNs and data lost apart, an upload, MPTCP, UDP."""

from __future__ import annotations

import socket
import struct
import time
from dataclasses import replace

from workers.tests.lab.hosts import Host, counted, rule
from workers.tests.lab.incident import EVERYTHING, Case, Lab, each_share, incident, nothing_wrong
from workers.tests.lab.programs import Request, WebServer, make_calls
from workers.tests.lab.wire import carry, compute_checksums, wire_of_pod

LOSS = ("path-loss", "return-path-loss")
SERVERS = 10
IPPROTO_MPTCP = 262
DATAGRAMS = 400
DATAGRAM_BYTES = 1200


def _wireless(lab: Lab, lossy: bool) -> list[Case]:
    """What the first pod sends and gets is lost in its own cable, between its capture and the node's."""
    star = lab.star(pods=2, servers=SERVERS)
    star.serve()
    compute_checksums(star.ends)
    loss_ratio = lab.random.uniform(0.025, 0.05) if lossy else 0
    carry(wire_of_pod(star, 0), seed=lab.random.randrange(1000), loss_ratio=loss_ratio)
    lab.truth["loss_ratio"] = loss_ratio
    requests = [Request("/bytes/9000"), Request("/up/9", upload_bytes=9000)]
    with lab.recorded(star):
        lab.calls = make_calls(star.calls(200, 6, requests))
    allowed = LOSS if lossy else ()
    files = ("pod0.pcap", "node.pcap", "server0.pcap")
    return [Case("all", EVERYTHING, allowed=allowed), *each_share(files, allowed)]


@incident(
    "wireless-client", "path-loss", "one client loses packets to and from ten servers; another loses none"
)
def wireless_client(lab: Lab) -> list[Case]:
    """One link, ten servers."""
    return _wireless(lab, lossy=True)


@incident("wired-client", None, "twin of wireless-client: nobody loses anything")
def wired_client(lab: Lab) -> list[Case]:
    """The same calls."""
    return _wireless(lab, lossy=False)


@incident(
    "loss-syns-more", "path-loss", "the router drops 3 % of SYNs and SYN-ACKs and 1 % of the rest, both ways"
)
def loss_syns_more(lab: Lab) -> list[Case]:
    """SYNs are lost more often than data; no capture shows why."""
    star = lab.star(pods=3)
    star.serve()
    rule(star.router, "syns", "tcp flags & syn == syn numgen random mod 1000 < 30", "drop")
    rule(star.router, "data", "tcp flags & syn == 0 numgen random mod 1000 < 10", "drop")
    requests = [Request(f"/bytes/{size}") for size in (400, 9000, 20000)]
    with lab.recorded(star):
        lab.calls = make_calls(star.calls(400, 8, requests))
    lab.truth["dropped"] = {name: counted(star.router, name) for name in ("syns", "data")}
    files = ("pod0.pcap", "node.pcap", "server0.pcap")
    return [Case("all", EVERYTHING, allowed=LOSS), *each_share(files, LOSS)]


def _uploads(lab: Lab, *, clamped: bool = False, probing: bool = False) -> list[Case]:
    """Uploads alone, above what the router's cable to the servers passes; no ICMP error."""
    star = lab.star()
    star.serve()
    mtu = lab.random.choice((1280, 1340, 1400, 1450))
    star.router.ip(f"route change {star.server_network} dev lan mtu lock {mtu}")
    rule(star.router, "untold", "icmp type destination-unreachable icmp code 4", "drop", hook="output")
    if clamped:
        star.router.nft(
            "add table ip clamp",
            "add chain ip clamp f { type filter hook forward priority -150 ; }",
            f"add rule ip clamp f tcp flags syn tcp option maxseg size set {mtu - 40}",
        )
    if probing:
        for host in star.pods:
            host.sysctl(ipv4__tcp_mtu_probing=1)
    large = [Request("/up/9", upload_bytes=lab.random.randrange(5, 20) * 1000)]
    calls = [replace(call, timeout_s=8) for call in star.calls(10, 4, large)]
    with lab.recorded(star):
        lab.calls = make_calls([*star.calls(40, 5), *calls])
    lab.truth |= {"mtu": mtu, "icmp_dropped": counted(star.router, "untold")}
    files = ("pod0.pcap", "node.pcap", "server0.pcap")
    if clamped:
        return [*nothing_wrong(), *each_share(files, ())]
    hole = ("path-mtu",)
    return [Case("all", EVERYTHING, hole, (), 0.6), *each_share(files, hole)]


@incident("upload-mtu", "path-mtu", "uploads alone exceed a narrow link whose ICMP errors are dropped")
def upload_mtu(lab: Lab) -> list[Case]:
    """Downloads pass."""
    return _uploads(lab)


@incident("upload-mtu-clamped", None, "twin of upload-mtu: the router clamps the MSS")
def upload_mtu_clamped(lab: Lab) -> list[Case]:
    """No segment is too large."""
    return _uploads(lab, clamped=True)


@incident(
    "upload-mtu-probing", "path-mtu", "upload-mtu with tcp_mtu_probing: senders find a size that passes"
)
def upload_mtu_probing(lab: Lab) -> list[Case]:
    """Each upload is delayed, none fails."""
    return _uploads(lab, probing=True)


def _multipath(lab: Lab, lossy: bool) -> list[Case]:
    star = lab.star()
    for host in (*star.servers, *star.pods):
        host.run("sysctl", "-q", "net.mptcp.enabled=1")
    WebServer(star.servers[0], star.port, protocol=IPPROTO_MPTCP).start()
    if lossy:
        rule(star.router, "lost", "numgen random mod 1000 < 35", "drop")
    requests = [Request("/bytes/9000"), Request("/up/9", upload_bytes=9000)]
    calls = [replace(call, protocol=IPPROTO_MPTCP) for call in star.calls(120, 5, requests)]
    with lab.recorded(star):
        lab.calls = make_calls(calls)
    files = ("pod0.pcap", "node.pcap", "server0.pcap")
    allowed = LOSS if lossy else ()
    return [Case("all", EVERYTHING, allowed=allowed), *each_share(files, allowed)]


@incident("mptcp-loss", "path-loss", "MPTCP connections over a path that loses 3.5 %")
def mptcp_loss(lab: Lab) -> list[Case]:
    """Options of MPTCP in SYNs and data."""
    return _multipath(lab, lossy=True)


@incident("mptcp-well", None, "twin of mptcp-loss: nothing is lost")
def mptcp_well(lab: Lab) -> list[Case]:
    """The same calls."""
    return _multipath(lab, lossy=False)


def _echo(host: Host, port: int) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("", port))
        while True:
            data, peer = listener.recvfrom(2048)
            listener.sendto(b"\x40" + data[1:], peer)


def _send_datagrams(address: str, port: int, identifier: int) -> None:
    """As QUIC looks from outside: long headers first (RFC 9000), then short ones; nothing is read but counted."""
    head = struct.pack("!BIB", 0xC3, 1, 8) + identifier.to_bytes(8, "big")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.connect((address, port))
        for number in range(DATAGRAMS):
            lead = head if number < 2 else b"\x43" + identifier.to_bytes(8, "big")
            client.send(lead + bytes(DATAGRAM_BYTES - len(lead)))
            time.sleep(0.008)


def _quic(lab: Lab, lossy: bool) -> list[Case]:
    star = lab.star()
    star.serve()
    star.servers[0].start(_echo, star.servers[0], 443)
    if lossy:
        rule(star.router, "lost", "udp sport 443 numgen random mod 1000 < 50", "drop")
        rule(star.router, "lost2", "udp dport 443 numgen random mod 1000 < 50", "drop")
    with lab.recorded(star):
        sent = [
            pod.start(_send_datagrams, star.server_addresses[0], 443, lab.random.getrandbits(60))
            for pod in star.pods
        ]
        lab.calls = make_calls(star.calls(40, 3))
        for each in sent:
            each.result()
    files = ("pod0.pcap", "node.pcap", "server0.pcap")
    return [*nothing_wrong(), *each_share(files, LOSS if lossy else ())]


@incident("quic-loss", None, "look-alike: UDP to port 443 loses 5 %; TCP beside it loses nothing")
def quic_loss(lab: Lab) -> list[Case]:
    """Losses that only the ends of an encrypted protocol can count."""
    return _quic(lab, lossy=True)


@incident("quic-well", None, "twin of quic-loss: nothing is lost")
def quic_well(lab: Lab) -> list[Case]:
    """The same datagrams."""
    return _quic(lab, lossy=False)
