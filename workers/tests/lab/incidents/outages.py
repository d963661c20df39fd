"""What fails for a while, or by somebody else's hand, and is no stall, no filter and no server's fault."""

from __future__ import annotations

import socket
import struct
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from workers.tests.lab.hosts import counted, rule
from workers.tests.lab.incident import EVERYTHING, Case, Lab, each_share, incident, nothing_wrong
from workers.tests.lab.programs import Call, Request, checksum, make_calls

if TYPE_CHECKING:
    from workers.tests.lab.star import Star

FLOOD_S = 6
FLOOD_PER_S = 200


@incident(
    "next-hop-outage", None, "look-alike of a stall and of a filter: the node's next hop is gone for seconds"
)
def next_hop_outage(lab: Lab) -> list[Case]:
    """The router's interface goes down and comes back: packets wait for a link address, most are dropped, and the rest
    is sent together when the address is known again."""
    star = lab.star()
    star.serve()
    down_s = lab.random.uniform(3.2, 4)
    requests = [Request("/bytes/3000"), Request("/bytes/500", silence_s=1)]
    calls = [replace(call, timeout_s=15) for call in star.calls(100, 9, requests)]
    with lab.recorded(star):
        outage = star.router.start(_take_down, star, down_s)
        lab.calls = make_calls(calls)
        outage.result()
    lab.truth["down_s"] = down_s
    lost = ("path-loss", "return-path-loss", "dead-path")
    return [
        Case("all", EVERYTHING, allowed=lost, findings=lab.delayed_bounds()),
        Case("captures", ("*.pcap",), allowed=lost),
        Case("node", ("node.pcap",), allowed=lost),
        Case("client", ("pod0.pcap",), allowed=lost),
    ]


def _take_down(star: Star, down_s: float) -> None:
    time.sleep(3)
    star.router.ip("link set in down")
    time.sleep(down_s)
    star.router.ip(
        "link set in up",
        f"route replace {star.pod_network} via {star.node_address}",
    )


@incident(
    "uplink-down",
    None,
    "look-alike of a filter in the node: its own uplink is down for seconds, so there is no route",
)
def uplink_down(lab: Lab) -> list[Case]:
    """Rate limits let the node send an ICMP error for few of the SYNs that it could not forward."""
    star = lab.star()
    star.serve()
    down_s = lab.random.uniform(2.2, 3.2)
    calls = [replace(call, timeout_s=15) for call in star.calls(110, 8)]
    with lab.recorded(star):
        outage = star.node.start(_take_uplink_down, star, down_s)
        lab.calls = make_calls(calls)
        outage.result()
    lab.truth["down_s"] = down_s
    files = ("pod0.pcap", "node.pcap", "server0.pcap")
    return [Case("all", EVERYTHING, findings=lab.delayed_bounds()), *each_share(files, ())]


def _take_uplink_down(star: Star, down_s: float) -> None:
    time.sleep(3)
    star.node.ip("link set eth0 down")
    time.sleep(down_s)
    gateway = f"{star.node_network.rpartition('.')[0]}.1"
    star.node.ip("link set eth0 up", f"route replace default via {gateway}")


@incident(
    "outage-mtu-probing",
    None,
    "look-alike of upload-mtu-probing: nothing passes for seconds, and senders try smaller segments",
)
def outage_mtu_probing(lab: Lab) -> list[Case]:
    """With tcp_mtu_probing, what passes first after the outage is smaller than what was lost in it."""
    star = lab.star()
    star.serve()
    for pod in star.pods:
        pod.sysctl(ipv4__tcp_mtu_probing=1)
    begins_s, down_s = lab.random.uniform(1, 2), lab.random.uniform(3.3, 4)
    upload = [Request("/up/9", upload_bytes=lab.random.randrange(5, 20) * 1000)]
    before = [replace(call, at_s=begins_s - 0.05, timeout_s=20) for call in star.calls(10, 1, upload)]
    with lab.recorded(star):
        outage = star.router.start(_drop_all, star, begins_s + 0.2, down_s)
        lab.calls = make_calls([*star.calls(40, 8), *(_with_rest(call) for call in before)])
        outage.result()
    lab.truth |= {"down_s": down_s, "dropped": counted(star.router, "outage")}
    lost = ("path-loss", "return-path-loss")
    files = ("pod0.pcap", "node.pcap", "server0.pcap")
    return [Case("all", EVERYTHING, allowed=lost), *each_share(files, lost)]


def _with_rest(call: Call) -> Call:
    """Opened before the outage, its upload begins in it."""
    return replace(call, requests=tuple(replace(each, silence_s=0.3) for each in call.requests))


def _drop_all(star: Star, begins_s: float, down_s: float) -> None:
    time.sleep(begins_s)
    rule(star.router, "outage", "", "drop")
    time.sleep(down_s)
    star.router.nft("flush chain ip lab outage")


@incident(
    "reset-on-path", None, "look-alike of a server that resets: a router ends one server's connections by RST"
)
def reset_on_path(lab: Lab) -> list[Case]:
    """The client gets a RST in the server's name after its first request; the server's own capture holds none."""
    star = lab.star(servers=2)
    star.serve()
    match = f"iifname in ip daddr {star.server_addresses[0]} meta l4proto tcp ct original packets > 6"
    rule(star.router, "ended", match, "reject with tcp reset")
    requests = [Request("/bytes/3000"), *[Request("/bytes/900", silence_s=0.2)] * 2]
    with lab.recorded(star):
        lab.calls = make_calls(star.calls(100, 4, requests))
    lab.truth["resets"] = counted(star.router, "ended")
    failed = sum(call.failed for call in lab.calls)
    reset = {"connection-reset": (failed, failed)}
    return [
        Case("all", EVERYTHING, findings=reset | {"syn-retransmission": (0, 0)}),
        Case("captures", ("*.pcap",), findings=reset),
        Case("server", ("server0.pcap",), findings={"connection-reset": (0, 0)}),
    ]


@incident(
    "syn-flood-cookies",
    None,
    "look-alike of a full queue: SYNs with forged sources, answered with SYN cookies",
)
def syn_flood_cookies(lab: Lab) -> list[Case]:
    """Real clients notice nothing; a thousand connections stay half-open."""
    star = lab.star(pods=3, masquerade=None)
    server = star.servers[0]
    server.sysctl(ipv4__tcp_syncookies=1, ipv4__tcp_max_syn_backlog=64, core__somaxconn=64)
    star.serve(backlog=64)
    star.router.ip("route add blackhole 100.64.0.0/10")
    calls = [
        call for call in star.calls(80, FLOOD_S, [Request("/bytes/3000")]) if call.client is not star.pods[2]
    ]
    with lab.recorded(star):
        flood = star.pods[2].start(_flood, lab, star)
        lab.calls = make_calls(calls)
        lab.truth["forged_syns"] = flood.result()
    return nothing_wrong(("all", EVERYTHING), ("node", ("node.pcap",)), ("server", ("server0.pcap",)))


def _flood(lab: Lab, star: Star) -> int:
    """How many SYNs were sent."""
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    target, sent, ends_at = star.server_addresses[0], 0, time.monotonic() + FLOOD_S
    while time.monotonic() < ends_at:
        source = (
            f"100.{lab.random.randrange(64, 128)}.{lab.random.randrange(256)}.{lab.random.randrange(1, 255)}"
        )
        raw.sendto(_syn(lab, source, target, star.port), (target, 0))
        sent += 1
        time.sleep(1 / FLOOD_PER_S)
    return sent


def _syn(lab: Lab, source: str, target: str, port: int) -> bytes:
    ends = socket.inet_aton(source) + socket.inet_aton(target)
    ports = (lab.random.randrange(1024, 65_000), port)
    head = struct.pack("!HHIIBBHHH", *ports, lab.random.getrandbits(32), 0, 6 << 4, 2, 64_240, 0, 0)
    segment = head + b"\x02\x04\x05\xb4"
    total = checksum(ends + struct.pack("!BBH", 0, socket.IPPROTO_TCP, len(segment)) + segment)
    segment = segment[:16] + struct.pack("!H", total) + segment[18:]
    header = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(segment), lab.random.getrandbits(16), 0, 60, 6, 0)
    return header + ends + segment
