"""A server whose answers come back by another uplink of the node."""

from __future__ import annotations

import socket
import subprocess
from dataclasses import replace

from workers.tests.lab.hosts import Host, connect, counted, rule
from workers.tests.lab.incident import EVERYTHING, Case, Lab, incident, nothing_wrong
from workers.tests.lab.programs import make_calls
from workers.tests.lab.recording import session
from workers.tests.lab.star import Star

TIMEOUT_S = 5
PACKETS = 12
FILTERS = "sysctl -a 2>/dev/null | grep '\\.rp_filter'"


def _run(lab: Lab, strict: bool) -> Star:
    """The second server reaches the node's network by a second cable of the router."""
    star = lab.star(servers=2)
    star.serve()
    prefix = f"10.{lab.random.randrange(200, 250)}.0"
    connect(star.node, "eth1", star.router, "in2")
    star.node.ip(f"addr add {prefix}.2/24 dev eth1")
    star.router.ip(f"addr add {prefix}.1/24 dev in2")
    _answer_by_second_uplink(star, star.router, prefix)
    star.node.sysctl(ipv4__conf__eth1__rp_filter=1 if strict else 2, ipv4__conf__eth1__log_martians=1)
    calls = [replace(call, timeout_s=TIMEOUT_S) for call in star.calls(44, 3)]
    with lab.recorded(star):
        lab.calls = make_calls(calls)
    rose = lab.recording.nstat["node"]
    lab.truth["IPReversePathFilter"] = rose.get("TcpExtIPReversePathFilter", 0)
    (lab.folder / f"{star.node.prompt}-filters.txt").write_text(session(star.node, (FILTERS,)))
    return star


def _kernel_log(lab: Lab, star: Star) -> None:
    """The log lines about this instance; where the log can't be read, the prompt alone."""
    log = subprocess.run(["dmesg"], capture_output=True, text=True, check=False).stdout
    about = f"from {star.server_addresses[1]},"
    lines = [line for line in log.splitlines() if "martian source" in line and about in line]
    lab.truth["log_lines"] = len(lines)
    text = "\n".join(
        [f"root@{star.node.prompt}:~# dmesg | grep martian", *lines, f"root@{star.node.prompt}:~# "]
    )
    (lab.folder / f"{star.node.prompt}-dmesg.txt").write_text(text + "\n")


def _answer_by_second_uplink(star: Star, router: Host, prefix: str) -> None:
    """What the second server sends to the node or its pods goes by the second cable."""
    router.ip(
        f"route add {star.node_address}/32 via {prefix}.2 table 7",
        f"route add {star.pod_network} via {prefix}.2 table 7",
        f"rule add from {star.server_addresses[1]} lookup 7",
    )


def _send(source: str, destination: str) -> None:
    """Datagrams of one address to another."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.bind((source, 0))
        for _ in range(PACKETS):
            sender.sendto(b"stranger", (destination, 9))


@incident(
    "rp-filter",
    "reverse-path-filter",
    "one server's answers come by a second uplink whose rp_filter is strict",
)
def rp_filter(lab: Lab) -> list[Case]:
    """The node drops SYN-ACKs whose source it would reach by another interface: lost on the return path, and why."""
    star = _run(lab, strict=True)
    _kernel_log(lab, star)
    back, why = ("return-path-loss",), ("reverse-path-filter",)
    logged = (f"{star.node.prompt}-dmesg.txt", f"{star.node.prompt}-filters.txt")
    return [
        Case("all", EVERYTHING, back, why, 0.6, lab.delayed_bounds(), named=why),
        Case("listings", (f"{star.node.prompt}-*.txt",), why, (), 0.8),
        *([Case("log", logged, why, (), 0.6)] if lab.truth["log_lines"] else []),
        Case("node", ("node.pcap",), back, (), 0.6, lab.delayed_bounds()),
        Case("client", ("pod0.pcap",), allowed=(*back, "target-unresponsive")),
    ]


@incident("rp-filter-loose", None, "twin of rp-filter: the same two uplinks, a loose rp_filter")
def rp_filter_loose(lab: Lab) -> list[Case]:
    """Answers by the other uplink are taken."""
    _run(lab, strict=False)
    return nothing_wrong(("all", EVERYTHING), ("node", ("node.pcap",)), ("listings", ("*.txt",)))


@incident(
    "rp-filter-router",
    None,
    "look-alike: a rule of the router drops one server's answers, strict filters or not",
)
def rp_filter_router(lab: Lab) -> list[Case]:
    """Answers are lost on the return path, and the node's filter counts none of them."""
    star = lab.star(servers=2)
    star.serve()
    star.node.sysctl(ipv4__conf__eth0__rp_filter=1)
    rule(
        star.router,
        "back",
        f"ip saddr {star.server_addresses[1]} tcp flags & (syn | ack) == syn | ack",
        "drop",
    )
    calls = [replace(call, timeout_s=TIMEOUT_S) for call in star.calls(30, 3)]
    with lab.recorded(star):
        lab.calls = make_calls(calls)
    lab.truth["dropped"] = counted(star.router, "back")
    back = ("return-path-loss", "target-unresponsive", "path-loss", "firewall-drop")
    return [Case("all", EVERYTHING, allowed=back), Case("listings", ("*.txt",))]


@incident(
    "rp-filter-spoofed",
    None,
    "look-alike: strict filters drop a stranger's packets, connections are not affected",
)
def rp_filter_spoofed(lab: Lab) -> list[Case]:
    """IPReversePathFilter rises by packets of a source that no connection of the captures has."""
    star = lab.star(servers=2)
    star.serve()
    star.node.sysctl(ipv4__conf__eth0__rp_filter=1)
    stranger = f"{star.pod_network.rpartition('.')[0]}.{lab.random.randrange(2, 250)}"
    star.servers[0].ip(f"addr add {stranger}/32 dev lo")
    with lab.recorded(star):
        star.servers[0].start(_send, stranger, star.node_address).result()
        lab.calls = make_calls(star.calls(30, 3))
    lab.truth["IPReversePathFilter"] = lab.recording.nstat["node"].get("TcpExtIPReversePathFilter", 0)
    return nothing_wrong(("all", EVERYTHING), ("node", ("node.pcap",)))
