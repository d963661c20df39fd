"""A node with two equal routes, one of which loses everything."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from workers.tests.lab.hosts import connect, counted, rule
from workers.tests.lab.incident import EVERYTHING, Case, Lab, incident, nothing_wrong
from workers.tests.lab.programs import make_calls

if TYPE_CHECKING:
    from workers.tests.lab.star import Star

TIMEOUT_S = 4.5
CALLS = 60


def _second_way(star: Star) -> None:
    """Another cable to the router, and a route that shares connections by their ports."""
    second = f"10.{star.random.randrange(200, 250)}.{star.random.randrange(250)}"
    first = f"{star.node_network.rpartition('.')[0]}.1"
    connect(star.node, "eth1", star.router, "in2")
    star.router.ip(f"addr add {second}.1/24 dev in2")
    star.node.ip(
        f"addr add {second}.2/24 dev eth1",
        f"route replace default nexthop via {first} dev eth0 nexthop via {second}.1 dev eth1",
    )
    star.node.sysctl(ipv4__fib_multipath_hash_policy=1)


def _run(lab: Lab, lossy: str | None) -> None:
    """No translation: the pods' own addresses leave by both."""
    star = lab.star(masquerade=None)
    star.serve()
    _second_way(star)
    if lossy is not None:
        rule(star.router, "way", f"{lossy} tcp dport {star.port}", "drop", hook="prerouting")
    calls = [replace(call, timeout_s=TIMEOUT_S) for call in star.calls(CALLS, 5)]
    with lab.recorded(star):
        lab.calls = make_calls(calls)
    lab.truth["dropped"] = counted(star.router, "way") if lossy is not None else 0


@incident("next-hop-dead", "dead-path", "one of two equal next hops loses every SYN")
def next_hop_dead(lab: Lab) -> list[Case]:
    """The router drops what comes in by the second cable; the route keeps its share."""
    _run(lab, 'iifname "in2"')
    dead = ("dead-path",)
    either = (*dead, "dead-backend", "path-loss")
    return [
        Case("all", EVERYTHING, dead, (), 0.5, lab.delayed_bounds()),
        Case("node", ("node.pcap",), dead, (), 0.5, lab.delayed_bounds()),
        Case("client", ("pod0.pcap",), allowed=either),
    ]


@incident("next-hops-alive", None, "twin of next-hop-dead: both next hops forward")
def next_hops_alive(lab: Lab) -> list[Case]:
    """The same routes and calls."""
    _run(lab, None)
    return nothing_wrong()


@incident("next-hops-lossy", None, "look-alike of next-hop-dead: both next hops lose one SYN in three")
def next_hops_lossy(lab: Lab) -> list[Case]:
    """Loss by chance on every path: no path is dead."""
    _run(lab, "tcp flags & (syn | ack) == syn numgen random mod 3 == 1")
    lost = ("path-loss", "listen-overflow", "firewall-drop", "unknown")
    return [Case("all", EVERYTHING, allowed=lost), Case("node", ("node.pcap",), allowed=lost)]
