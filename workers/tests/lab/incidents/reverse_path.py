"""A server whose answers come back by another uplink of the node."""

from __future__ import annotations

from dataclasses import replace

from workers.tests.lab.hosts import Host, connect
from workers.tests.lab.incident import EVERYTHING, Case, Lab, incident, nothing_wrong
from workers.tests.lab.programs import make_calls
from workers.tests.lab.star import Star

TIMEOUT_S = 5


def _run(lab: Lab, strict: bool) -> None:
    """The second server reaches the node's network by a second cable of the router."""
    star = lab.star(servers=2)
    star.serve()
    prefix = f"10.{lab.random.randrange(200, 250)}.0"
    connect(star.node, "eth1", star.router, "in2")
    star.node.ip(f"addr add {prefix}.2/24 dev eth1")
    star.router.ip(f"addr add {prefix}.1/24 dev in2")
    _answer_by_second_uplink(star, star.router, prefix)
    star.node.sysctl(ipv4__conf__eth1__rp_filter=1 if strict else 2)
    calls = [replace(call, timeout_s=TIMEOUT_S) for call in star.calls(44, 3)]
    with lab.recorded(star):
        lab.calls = make_calls(calls)
    rose = lab.recording.nstat["node"]
    lab.truth["IPReversePathFilter"] = rose.get("TcpExtIPReversePathFilter", 0)


def _answer_by_second_uplink(star: Star, router: Host, prefix: str) -> None:
    """What the second server sends to the node or its pods goes by the second cable."""
    router.ip(
        f"route add {star.node_address}/32 via {prefix}.2 table 7",
        f"route add {star.pod_network} via {prefix}.2 table 7",
        f"rule add from {star.server_addresses[1]} lookup 7",
    )


@incident(
    "rp-filter", "return-path-loss", "one server's answers come by a second uplink whose rp_filter is strict"
)
def rp_filter(lab: Lab) -> list[Case]:
    """The node drops SYN-ACKs whose source it would reach by another interface."""
    _run(lab, strict=True)
    back = ("return-path-loss",)
    return [
        Case("all", EVERYTHING, back, (), 0.6, lab.delayed_bounds()),
        Case("node", ("node.pcap",), back, (), 0.6, lab.delayed_bounds()),
        Case("client", ("pod0.pcap",), allowed=(*back, "target-unresponsive")),
    ]


@incident("rp-filter-loose", None, "twin of rp-filter: the same two uplinks, a loose rp_filter")
def rp_filter_loose(lab: Lab) -> list[Case]:
    """Answers by the other uplink are taken."""
    _run(lab, strict=False)
    return nothing_wrong()
