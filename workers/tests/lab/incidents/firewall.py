"""Packets dropped or rejected by a rule: of the server, of a router, of one backend among several."""

from __future__ import annotations

from workers.tests.lab.hosts import counted, rule
from workers.tests.lab.incident import EVERYTHING, Case, Lab, each_share, incident
from workers.tests.lab.programs import Call, WebServer, make_calls
from workers.tests.lab.star import Star

TIMEOUT_S = 4.5
FILTERED_CALLS = 16


def _filtered_port(lab: Lab, star: Star) -> int:
    """A second service of the first server, which a rule will hide."""
    port = lab.random.choice([port for port in range(9000, 9050) if port != star.port])
    WebServer(star.servers[0], port).start()
    lab.truth["filtered_port"] = port
    return port


def _run(lab: Lab, star: Star, port: int) -> None:
    """Calls to the hidden service among calls to the one that works."""
    hidden = [
        Call(lab.random.uniform(0, 3), pod, star.server_addresses[0], port, timeout_s=TIMEOUT_S)
        for pod in star.pods
        for _ in range(FILTERED_CALLS // len(star.pods))
    ]
    with lab.recorded(star):
        lab.calls = make_calls([*hidden, *star.calls(60, 6)])


@incident("filtered-port", "firewall-drop", "a rule of the server drops the SYNs to one of its ports")
def filtered_port(lab: Lab) -> list[Case]:
    """DROP in the server's own input chain; its other port answers."""
    star = lab.star()
    star.serve()
    port = _filtered_port(lab, star)
    rule(star.servers[0], "filtered", f"tcp dport {port}", "drop", hook="input")
    _run(lab, star, port)
    lab.truth["dropped"] = counted(star.servers[0], "filtered")
    return [
        Case("all", EVERYTHING, ("firewall-drop",), findings=lab.delayed_bounds()),
        Case("node", ("node.pcap",), ("firewall-drop",), findings=lab.delayed_bounds()),
        Case("client", ("pod0.pcap",), allowed=("firewall-drop",)),
    ]


@incident("filtered-on-path", "firewall-drop", "a rule of the router drops the SYNs to one port of a server")
def filtered_on_path(lab: Lab) -> list[Case]:
    """DROP between node and server, at a router without a capture."""
    star = lab.star()
    star.serve()
    port = _filtered_port(lab, star)
    rule(star.router, "filtered", f"tcp dport {port}", "drop")
    _run(lab, star, port)
    lab.truth["dropped"] = counted(star.router, "filtered")
    return [
        Case("all", EVERYTHING, ("firewall-drop",), findings=lab.delayed_bounds()),
        Case("client", ("pod0.pcap",), allowed=("firewall-drop",)),
    ]


@incident("filtered-in-node", "firewall-drop", "a rule of the node drops what one pod sends to one port")
def filtered_in_node(lab: Lab) -> list[Case]:
    """DROP in the node's forward chain, for all pods: the SYN is seen at cni0 and never at eth0."""
    star = lab.star()
    star.serve()
    port = _filtered_port(lab, star)
    star.node.run("iptables", *f"-A FORWARD -s {star.pod_network} -p tcp --dport {port} -j DROP".split())
    _run(lab, star, port)
    drop = ("firewall-drop", "node-drop")
    return [
        Case("all", EVERYTHING, drop, findings=lab.delayed_bounds()),
        Case("node", ("node.pcap",), drop, findings=lab.delayed_bounds()),
        Case("client", ("pod0.pcap",), allowed=drop),
    ]


@incident(
    "rejected", None, "the router rejects one port with an ICMP error: refused at once, nothing is lost"
)
def rejected(lab: Lab) -> list[Case]:
    """REJECT: the client gets ICMP port unreachable or administratively prohibited."""
    star = lab.star()
    star.serve()
    port = _filtered_port(lab, star)
    kind = lab.random.choice(("port-unreachable", "admin-prohibited"))
    rule(star.router, "rejected", f"tcp dport {port}", f"reject with icmp type {kind}")
    _run(lab, star, port)
    lab.truth |= {"icmp": kind, "rejected": counted(star.router, "rejected")}
    return [
        Case("all", EVERYTHING, allowed=("firewall-drop",), findings={"unreachable": (1, 10_000)}),
        Case("client", ("pod0.pcap",), allowed=("firewall-drop",)),
    ]


@incident(
    "refused-on-path", None, "look-alike of a closed port: the router refuses one connection in six by a RST"
)
def refused_on_path(lab: Lab) -> list[Case]:
    """The server never hears of them, and serves all others."""
    star = lab.star()
    star.serve()
    match = f"tcp dport {star.port} tcp flags & (syn | ack) == syn numgen random mod 6 == 0"
    rule(star.router, "refused", match, "reject with tcp reset")
    with lab.recorded(star):
        lab.calls = make_calls(star.calls(140, 6))
    refused = sum(call.outcome == "connect-ECONNREFUSED" for call in lab.calls)
    lab.truth |= {"refused": refused, "rejected": counted(star.router, "refused")}
    found = {"connection-reset": (refused, refused), "syn-retransmission": (0, 0)}
    files = ("pod0.pcap", "node.pcap", "server0.pcap")
    return [Case("all", EVERYTHING, findings=found), *each_share(files, ())]
