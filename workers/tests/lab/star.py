"""The network of most incidents: pods behind a node, a router that nobody captures, servers behind it.

pod eth0 ── cni0 node eth0 ── in router lan ── server
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workers.tests.lab.hosts import Host, add_host, connect
from workers.tests.lab.programs import Call, Request, WebServer
from workers.tests.lab.recording import HOST_COMMANDS, NODE_COMMANDS, Listed, VantagePoint

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

PORTS = (80, 443, 3306, 5432, 6379, 8080, 8443, 9092, 9200)
UPLINKS = ("ens5", "eth0", "enp1s0")


@dataclass(frozen=True)
class Star:
    """The hosts of an instance and their addresses."""

    random: Random
    pods: tuple[Host, ...]
    pod_addresses: tuple[str, ...]
    pod_network: str
    node: Host
    node_address: str
    node_network: str
    router: Host
    servers: tuple[Host, ...]
    server_addresses: tuple[str, ...]
    server_network: str
    uplink: str
    """What the servers call their interface."""
    port: int

    @property
    def points(self) -> tuple[VantagePoint, ...]:
        """Captures at the first pod, on every interface of the node, and at each server."""
        servers = (
            VantagePoint(host, self.uplink, f"server{index}.pcap") for index, host in enumerate(self.servers)
        )
        node = VantagePoint(self.node, "any", "node.pcap", "LINUX_SLL2")
        return VantagePoint(self.pods[0], "eth0", "pod0.pcap"), node, *servers

    @property
    def listed(self) -> tuple[Listed, ...]:
        """Shell sessions of every host but the router."""
        others = (Listed(host, HOST_COMMANDS) for host in (self.pods[0], *self.servers))
        return Listed(self.node, NODE_COMMANDS), *others

    @property
    def ends(self) -> tuple[tuple[Host, str], ...]:
        """Every pod and server, with its interface."""
        return (*((pod, "eth0") for pod in self.pods), *((server, self.uplink) for server in self.servers))

    @property
    def masquerade(self) -> str:
        """The rule's match for what leaves the node from a pod."""
        return f"-t nat -A POSTROUTING -s {self.pod_network} ! -o cni0"

    def serve(self, backlog: int = 512, accept_pause_s: float = 0) -> list[WebServer]:
        """A web server on each server host."""
        return [WebServer(host, self.port, backlog, accept_pause_s).start() for host in self.servers]

    def serve_on(self, hosts: Sequence[Host]) -> list[WebServer]:
        """A web server on some of the server hosts."""
        return [WebServer(host, self.port).start() for host in hosts]

    def free_server_address(self) -> str:
        """An address of the servers' network that no host has."""
        prefix = self.server_network.rpartition(".")[0]
        used = {*self.server_addresses, f"{prefix}.1"}
        return self.random.choice([a for a in (f"{prefix}.{n}" for n in range(2, 250)) if a not in used])

    def calls(self, count: int, over_s: float, requests: Sequence[Request] = (Request(),)) -> list[Call]:
        """That many connections from the pods in turn to the servers in turn, at random times."""
        return [
            Call(
                at_s=self.random.uniform(0, over_s),
                client=self.pods[index % len(self.pods)],
                address=self.server_addresses[index // len(self.pods) % len(self.servers)],
                port=self.port,
                requests=tuple(requests),
            )
            for index in range(count)
        ]


def build_star(
    random: Random,
    pods: int = 2,
    servers: int = 1,
    masquerade: str | None = "--random-fully",
    server_prefix: str = "",
) -> Star:
    """Make the hosts, links, addresses and routes; `masquerade` are the options of the node's rule. Without a
    `server_prefix` the servers' addresses are private."""
    pod_prefix = random.choice((f"10.244.{random.randrange(1, 250)}", f"172.{random.randrange(20, 31)}.7"))
    node_prefix = f"10.{random.randrange(20, 99)}.{random.randrange(1, 99)}"
    drawn = random.choice((f"10.{random.randrange(100, 200)}.4", f"192.168.{random.randrange(1, 250)}"))
    server_prefix = server_prefix or drawn
    node_address = f"{node_prefix}.{random.randrange(2, 250)}"
    number = random.randrange(2, 60)
    node = add_host("node", f"node-{number}")
    router = add_host("router", "router")
    uplink = random.choice(UPLINKS)
    connect(node, "eth0", router, "in")
    node.ip("link add cni0 type bridge", "link set cni0 up", f"addr add {pod_prefix}.1/24 dev cni0")
    node.ip(f"addr add {node_address}/24 dev eth0", f"route add default via {node_prefix}.1")
    router.ip("link add lan type bridge", "link set lan up", f"addr add {node_prefix}.1/24 dev in")
    router.ip(f"addr add {server_prefix}.1/24 dev lan", f"route add {pod_prefix}.0/24 via {node_address}")
    for host in (node, router):
        host.sysctl(ipv4__ip_forward=1, ipv4__conf__all__rp_filter=0, ipv4__conf__default__rp_filter=0)
    pod_addresses = _addresses(random, pod_prefix, pods)
    server_addresses = _addresses(random, server_prefix, servers)
    pod_hosts = [_leaf(f"pod{i}", f"pod-{i}", node, "cni0", "eth0", a) for i, a in enumerate(pod_addresses)]
    server_hosts = [
        _leaf(f"server{i}", f"server-{number + i}", router, "lan", uplink, a)
        for i, a in enumerate(server_addresses)
    ]
    star = Star(
        random=random,
        pods=tuple(pod_hosts),
        pod_addresses=pod_addresses,
        pod_network=f"{pod_prefix}.0/24",
        node=node,
        node_address=node_address,
        node_network=f"{node_prefix}.0/24",
        router=router,
        servers=tuple(server_hosts),
        server_addresses=server_addresses,
        server_network=f"{server_prefix}.0/24",
        uplink=uplink,
        port=random.choice(PORTS),
    )
    if masquerade is not None:
        node.run("iptables", *f"{star.masquerade} -j MASQUERADE {masquerade}".split())
    return star


def _addresses(random: Random, prefix: str, count: int) -> tuple[str, ...]:
    return tuple(f"{prefix}.{last}" for last in random.sample(range(2, 250), count))


def cable_of(address: str) -> str:
    """What a bridge's host calls the cable of a pod or server."""
    return f"veth{zlib.crc32(address.encode()):08x}"


def _leaf(name: str, prompt: str, hub: Host, bridge: str, interface: str, address: str) -> Host:
    """A host with one cable to a bridge, and its default route by the bridge's first address."""
    host = add_host(name, prompt)
    cable = cable_of(address)
    connect(host, interface, hub, cable)
    hub.ip(f"link set {cable} master {bridge}")
    host.ip(f"addr add {address}/24 dev {interface}", f"route add default via {address.rpartition('.')[0]}.1")
    return host
