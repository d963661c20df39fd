"""A cluster without IPv4: a pod, a node that forwards, a router that nobody captures, a server."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from itertools import pairwise

from workers.tests.lab.hosts import Host, add_host, connect, counted, rule
from workers.tests.lab.incident import EVERYTHING, Case, Lab, each_share, incident, nothing_wrong
from workers.tests.lab.programs import Call, Request, WebServer, make_calls
from workers.tests.lab.recording import HOST_COMMANDS, NODE_COMMANDS, Listed, VantagePoint, recorded

LOSS = ("path-loss", "return-path-loss")
FILES = ("pod.pcap", "node.pcap", "server.pcap")
CONNECTIONS = 140
OVER_S = 5
SETTLED_S = 2.5
"""Duplicate address detection of the link-local addresses takes up to 2 s (RFC 4862)."""
PORT = 8443
REQUESTS = (Request("/bytes/400"), Request("/bytes/15000"), Request("/up/9", upload_bytes=15000))


@dataclass(frozen=True)
class Line:
    """The hosts in a row, and the server's address."""

    pod: Host
    node: Host
    router: Host
    server: Host
    address: str


def _line(lab: Lab, *, settled: bool = True) -> Line:
    """`settled`: link-local addresses are no longer tentative, so neighbors can be asked at once."""
    site = f"fd{lab.random.randrange(256):02x}:{lab.random.randrange(1, 65536):x}"
    hosts = [
        add_host(name, f"{name}-{lab.random.randrange(90)}") for name in ("pod", "node", "router", "server")
    ]
    for number, (one, other) in enumerate(pairwise(hosts)):
        connect(one, f"out{number}" if number else "eth0", other, f"in{number}" if number < 2 else "eth0")
    for host in hosts:
        # A duplicate address can't be: no time is spent on looking for one.
        host.sysctl(ipv6__conf__all__accept_dad=0, ipv6__conf__all__forwarding=int(host in hosts[1:3]))
    pod, node, router, server = hosts
    address = f"{site}:3::{lab.random.randrange(2, 65536):x}"
    pod.ip(f"addr add {site}:1::2/64 dev eth0 nodad", f"route add default via {site}:1::1")
    node.ip(f"addr add {site}:1::1/64 dev in0 nodad", f"addr add {site}:2::2/64 dev out1 nodad")
    node.ip(f"route add default via {site}:2::1")
    router.ip(f"addr add {site}:2::1/64 dev in1 nodad", f"addr add {site}:3::1/64 dev out2 nodad")
    router.ip(f"route add {site}:1::/64 via {site}:2::2")
    server.ip(f"addr add {address}/64 dev eth0 nodad", f"route add default via {site}:3::1")
    lab.truth |= {"server": address, "port": PORT}
    if settled:
        time.sleep(SETTLED_S)
    return Line(pod, node, router, server, address)


def _run(lab: Lab, line: Line, calls: list[Call]) -> None:
    WebServer(line.server, PORT, address="::").start()
    points = (
        VantagePoint(line.pod, "eth0", "pod.pcap"),
        VantagePoint(line.node, "any", "node.pcap", "LINUX_SLL2"),
        VantagePoint(line.server, "eth0", "server.pcap"),
    )
    listed = (
        Listed(line.node, NODE_COMMANDS),
        Listed(line.pod, HOST_COMMANDS),
        Listed(line.server, HOST_COMMANDS),
    )
    with recorded(lab.folder, points, listed) as lab.recording:
        lab.calls = make_calls(calls)


def _calls(lab: Lab, line: Line, count: int = CONNECTIONS) -> list[Call]:
    return [Call(lab.random.uniform(0, OVER_S), line.pod, line.address, PORT, REQUESTS) for _ in range(count)]


@incident("loss-v6", "path-loss", "IPv6 alone: the router drops 2.5 to 4.5 % of all packets")
def loss_v6(lab: Lab) -> list[Case]:
    """Both ways, neighbor discovery too."""
    line = _line(lab)
    rule(line.router, "lost", f"numgen random mod 1000 < {lab.random.randint(25, 45)}", "drop", family="ip6")
    _run(lab, line, _calls(lab, line))
    lab.truth["dropped"] = counted(line.router, "lost", "ip6")
    return [Case("all", EVERYTHING, LOSS, findings=lab.delayed_bounds()), *each_share(FILES, LOSS)]


@incident("well-v6", None, "twin of loss-v6: nothing is dropped")
def well_v6(lab: Lab) -> list[Case]:
    """The same calls."""
    line = _line(lab)
    _run(lab, line, _calls(lab, line))
    return [*nothing_wrong(), *each_share(FILES, ())]


@incident(
    "filter-v6", "firewall-drop", "IPv6 alone: the server drops SYNs to one port and answers on another"
)
def filter_v6(lab: Lab) -> list[Case]:
    """The same host, two ports."""
    line = _line(lab)
    closed = PORT + 1
    rule(line.server, "silent", f"tcp dport {closed}", "drop", hook="input", family="ip6")
    blocked = [replace(call, port=closed, timeout_s=5) for call in _calls(lab, line, 14)]
    _run(lab, line, [*_calls(lab, line, 60), *blocked])
    lab.truth["dropped"] = counted(line.server, "silent", "ip6")
    rules = ("firewall-drop",)
    return [Case("all", EVERYTHING, rules, (), 0.5, lab.delayed_bounds()), *each_share(FILES, rules)]


@incident(
    "discovery-held", None, "IPv6 alone: the node holds the first SYNs until it may ask for its next hop"
)
def discovery_held(lab: Lab) -> list[Case]:
    """Its link-local address is tentative for a second; held SYNs leave together with their retransmissions."""
    line = _line(lab, settled=False)
    _run(lab, line, _calls(lab, line))
    return [Case("all", EVERYTHING), *each_share(FILES, ())]
