"""Two hosts with one address on one segment, and what looks like it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from workers.tests.lab.hosts import Host, add_host, connect, rule
from workers.tests.lab.incident import EVERYTHING, Case, Lab, each_share, incident, nothing_wrong
from workers.tests.lab.programs import WebServer, make_calls
from workers.tests.lab.recording import VantagePoint, recorded

if TYPE_CHECKING:
    from workers.tests.lab.star import Star

CALLS = 30
TIMEOUT_S = 4.5
FILES = ("node.pcap", "server0.pcap", "pod2.pcap")


def _second_host(star: Star, *, silent: bool) -> Host:
    """Another host of the pods' segment with the third pod's address."""
    host = add_host("second", "second")
    connect(host, "eth0", star.node, "vethsecond")
    star.node.ip("link set vethsecond master cni0")
    gateway = f"{star.pod_network.rpartition('.')[0]}.1"
    host.ip(f"addr add {star.pod_addresses[2]}/24 dev eth0", f"route add default via {gateway}")
    if silent:
        rule(host, "silent", f"tcp dport {star.port}", "drop", hook="input")
    return host


def _run(lab: Lab, star: Star) -> None:
    """A server's host calls the third pod; the node forgets who has the address now and then."""
    called = [
        replace(call, client=star.servers[0], address=star.pod_addresses[2], timeout_s=TIMEOUT_S)
        for call in star.calls(CALLS, 6)
    ]
    points = (*star.points, VantagePoint(star.pods[2], "eth0", "pod2.pcap"))
    with recorded(lab.folder, points, star.listed) as lab.recording:
        forgetting = star.node.start(_forget, star)
        lab.calls = make_calls(called)
        forgetting.result()


def _forget(star: Star) -> None:
    for _ in range(12):
        star.node.shell("ip neigh flush dev cni0; sleep 0.5")


def _star(lab: Lab) -> Star:
    star = lab.star(pods=3, masquerade=None)
    star.serve()
    WebServer(star.pods[2], star.port).start()
    lab.truth["address"] = star.pod_addresses[2]
    return star


@incident(
    "duplicate-address",
    "stale-neighbor",
    "two hosts answer ARP for one address; one of them is silent otherwise",
)
def duplicate_address(lab: Lab) -> list[Case]:
    """Connections open or stay unanswered with the node's neighbor entry."""
    star = _star(lab)
    _second_host(star, silent=True)
    _run(lab, star)
    twice = ("stale-neighbor",)
    return [Case("all", EVERYTHING, allowed=twice, named=twice), *each_share(FILES, twice)]


@incident("duplicate-address-none", None, "twin of duplicate-address: one host has the address")
def duplicate_address_none(lab: Lab) -> list[Case]:
    """The node forgets its neighbors as often."""
    star = _star(lab)
    _run(lab, star)
    return [*nothing_wrong(), *each_share(FILES, ())]


@incident("two-interfaces", None, "look-alike of duplicate-address: one host answers ARP on two interfaces")
def two_interfaces(lab: Lab) -> list[Case]:
    """Linux answers for every address of the host on every interface (arp_ignore=0); both work."""
    star = _star(lab)
    pod = star.pods[2]
    connect(pod, "eth1", star.node, "vethsecond")
    star.node.ip("link set vethsecond master cni0")
    pod.ip("addr add 10.255.255.2/24 dev eth1")
    pod.sysctl(ipv4__conf__all__rp_filter=0, ipv4__conf__eth0__rp_filter=0, ipv4__conf__eth1__rp_filter=0)
    _run(lab, star)
    return [*nothing_wrong(), *each_share(FILES, ())]
