"""Segments that connection tracking calls invalid, and segments whose checksum is wrong at their receiver."""

from __future__ import annotations

import socket
import struct
import time
from dataclasses import replace

from workers.tests.lab.incident import EVERYTHING, Case, Lab, incident, nothing_wrong
from workers.tests.lab.programs import Request, checksum, make_calls
from workers.tests.lab.star import Star

QUARTERS = tuple(quarter << 30 for quarter in range(4))
"""Sequence numbers of which two at least are far ahead of any window, whatever numbers the connection uses."""
UPLOAD_BYTES = 60_000


def _service(lab: Lab, star: Star) -> str:
    """A service address that the node translates to the first server."""
    service = f"10.96.{lab.random.randrange(250)}.{lab.random.randrange(2, 250)}"
    match = f"-t nat -A PREROUTING -d {service}/32 -p tcp --dport {star.port}"
    star.node.run(
        "iptables", *f"{match} -j DNAT --to-destination {star.server_addresses[0]}:{star.port}".split()
    )
    lab.truth["service"] = service
    return service


def _send_outside(star: Star, times_s: list[float], found: list[tuple[str, int]]) -> int:
    """From the server's host: data segments of open connections, outside of their windows."""
    source, sent = star.server_addresses[0], 0
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_TCP) as raw:
        start = time.monotonic()
        for at_s in times_s:
            time.sleep(max(0, start + at_s - time.monotonic()))
            for peer in found[-2:]:
                for sequence in QUARTERS:
                    raw.sendto(_segment(sequence, source, star.port, *peer), (peer[0], 0))
                    sent += 1
    return sent


def _segment(sequence: int, source: str, port: int, peer: str, peer_port: int) -> bytes:
    payload = b"late data."
    head = struct.pack("!HHIIBBHHH", port, peer_port, sequence, sequence, 5 << 4, 0x18, 500, 0, 0) + payload
    pseudo = socket.inet_aton(source) + socket.inet_aton(peer) + struct.pack("!BBH", 0, 6, len(head))
    return head[:16] + struct.pack("!H", checksum(pseudo + head)) + head[18:]


@incident(
    "invalid-segments",
    "conntrack-invalid",
    "the server's host sends segments far outside the window; the node passes them on untranslated",
)
def invalid_segments(lab: Lab) -> list[Case]:
    """The pods answer each with a RST to an address that they never called."""
    star = lab.star(masquerade=None)
    servers = star.serve()
    service = _service(lab, star)
    rest = tuple(Request("/slow/300/200") for _ in range(8))
    calls = [replace(call, address=service, requests=rest, timeout_s=20) for call in star.calls(12, 3)]
    peers: list[tuple[str, int]] = []
    with lab.recorded(star):
        making = star.node.start(make_calls, calls)
        while len(servers[0].accepted) < len(calls) // 2:
            time.sleep(0.05)
        peers = [(address, port) for _, address, port in servers[0].accepted]
        lab.truth["outside"] = (
            star.servers[0].start(_send_outside, star, [0.1, 0.4, 0.7, 1.0], peers).result()
        )
        lab.calls = making.result()
    wanted = ("conntrack-invalid",)
    return [
        Case("all", EVERYTHING, wanted, (), 0.5),
        Case("node", ("node.pcap",), wanted),
        Case("client", ("pod0.pcap",), allowed=wanted),
    ]


@incident("valid-segments", None, "twin of invalid-segments: the same service, nothing sent outside a window")
def valid_segments(lab: Lab) -> list[Case]:
    """All answers are translated back."""
    star = lab.star(masquerade=None)
    star.serve()
    service = _service(lab, star)
    with lab.recorded(star):
        lab.calls = make_calls([replace(call, address=service) for call in star.calls(40, 3)])
    return nothing_wrong()


@incident(
    "wrong-checksums",
    "receiver-drop",
    "the router damages the checksum of one data segment in three to the server",
)
def wrong_checksums(lab: Lab) -> list[Case]:
    """The server's host gets them and drops them for their checksum."""
    star = lab.star()
    star.serve()
    match = (
        f"ip daddr {star.server_addresses[0]} tcp dport {star.port} ip length > 600 numgen random mod 3 == 1"
    )
    for pod in star.pods:  # else no checksum is filled in, and none is looked at
        pod.run("ethtool", "-K", "eth0", "tx", "off")
    star.router.nft(
        "add table ip lab",
        "add counter ip lab damaged",
        "add chain ip lab damaged { type filter hook forward priority 0 ; }",
        f"add rule ip lab damaged {match} @th,128,16 set 0x1234 counter name damaged",
    )
    uploads = [
        replace(call, requests=(Request(upload_bytes=UPLOAD_BYTES),), timeout_s=60)
        for call in star.calls(16, 4)
    ]
    with lab.recorded(star):
        lab.calls = make_calls(uploads)
    wanted = ("receiver-drop", "inner-checksum-drop")  # who dropped them, and why
    return [
        Case("all", EVERYTHING, wanted, (), 0.5),
        Case("client", ("pod0.pcap",), allowed=("path-loss",)),
        Case("server", ("server0.pcap",), allowed=("path-loss", *wanted)),
    ]
