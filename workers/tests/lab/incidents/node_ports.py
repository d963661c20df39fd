"""A node whose source NAT takes ports that NodePort services also have."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from workers.tests.lab.incident import EVERYTHING, Case, Lab, incident, nothing_wrong
from workers.tests.lab.programs import WebServer, make_calls

if TYPE_CHECKING:
    from workers.tests.lab.star import Star

CALLS = 60
TIMEOUT_S = 4.5
BACKEND_PORT = 8080


def _serve_node_ports(lab: Lab, star: Star, first: int, last: int) -> None:
    """As an eBPF program at the interface does: what comes to such a port of the node goes to a pod, whatever
    connection it belongs to, and conntrack is not asked."""
    WebServer(star.pods[1], BACKEND_PORT).start()
    star.node.nft(
        "add table ip services",
        "add counter ip services taken",
        "add chain ip services early { type filter hook prerouting priority -310 ; }",
        f"add rule ip services early iifname eth0 ip daddr {star.node_address} tcp dport {first}-{last} "
        f"counter name taken notrack ip daddr set {star.pod_addresses[1]} tcp dport set {BACKEND_PORT}",
    )
    lab.truth["node_ports"] = [first, last]


def _run(lab: Lab, nat_ports: tuple[int, int]) -> None:
    star = lab.star(masquerade=None)
    ports = f"--to-ports {nat_ports[0]}-{nat_ports[1]} --random-fully"
    star.node.run("iptables", *f"{star.masquerade} -p tcp -j MASQUERADE {ports}".split())
    star.serve()
    first = lab.random.randrange(30_000, 31_000)
    _serve_node_ports(lab, star, first, first + 700)
    calls = [replace(call, timeout_s=TIMEOUT_S) for call in star.calls(CALLS, 6)]
    with lab.recorded(star):
        lab.calls = make_calls(calls)


@incident(
    "node-port-taken",
    "nodeport-port-collision",
    "source NAT takes ports of NodePort services: answers go to a pod",
)
def node_port_taken(lab: Lab) -> list[Case]:
    """Some one in three connections get a port of a service."""
    _run(lab, (30_000, 32_000))
    cause = ("nodeport-port-collision",)
    return [
        Case("all", EVERYTHING, cause, (), 0.5, lab.delayed_bounds()),
        Case("node", ("node.pcap",), cause, (), 0.5, lab.delayed_bounds()),
    ]


@incident(
    "node-port-apart", None, "twin of node-port-taken: the ports of source NAT begin behind those of services"
)
def node_port_apart(lab: Lab) -> list[Case]:
    """The same services and calls."""
    _run(lab, (32_768, 60_999))
    return nothing_wrong()
