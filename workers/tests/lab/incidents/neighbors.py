"""A node whose neighbor entry for a pod has the MAC address that the pod had before."""

from __future__ import annotations

from dataclasses import replace

from workers.tests.lab.hosts import rule
from workers.tests.lab.incident import EVERYTHING, Case, Lab, incident, nothing_wrong
from workers.tests.lab.programs import WebServer, make_calls
from workers.tests.lab.recording import session
from workers.tests.lab.star import Star

TIMEOUT_S = 4.5
CALLS = 12
LISTINGS = ("*.txt",)


def _star(lab: Lab) -> Star:
    """The last pod serves; a server's host calls it through the node."""
    star = lab.star(pods=3)
    star.serve()
    WebServer(star.pods[2], star.port).start()
    lab.truth["pod"] = star.pod_addresses[2]
    return star


def _run(lab: Lab, star: Star) -> None:
    called = [
        replace(call, client=star.servers[0], address=star.pod_addresses[2], timeout_s=TIMEOUT_S)
        for call in star.calls(CALLS, 2)
    ]
    with lab.recorded(star):
        lab.calls = make_calls([*called, *star.calls(30, 4)])
    pod = star.pods[2]
    (lab.folder / f"{pod.prompt}.txt").write_text(session(pod, ("date -u", "ip addr", "ip neigh")))


def _keep(lab: Lab, star: Star, mac: str) -> None:
    """A static entry, as overlay plugins write them."""
    star.node.ip(f"neigh replace {star.pod_addresses[2]} lladdr {mac} dev cni0 nud permanent")
    lab.truth["entry"] = mac


def _own(star: Star) -> str:
    words = star.pods[2].run("ip", "-o", "link", "show", "eth0").split()
    return words[words.index("link/ether") + 1]


@incident(
    "stale-neighbor", "stale-neighbor", "the node's entry for a pod has another MAC address than the pod"
)
def stale_neighbor(lab: Lab) -> list[Case]:
    """Frames to the pod go to a MAC address that nobody has."""
    star = _star(lab)
    _keep(lab, star, ":".join(["02", *(f"{lab.random.randrange(256):02x}" for _ in range(5))]))
    _run(lab, star)
    wanted = ("stale-neighbor",)
    lost = ("target-unresponsive", "node-drop", "path-loss", "firewall-drop", "return-path-loss", "unknown")
    return [
        Case("all", EVERYTHING, wanted, (), 0.7, lab.delayed_bounds()),
        Case("listings", LISTINGS, wanted, (), 0.7),
        Case("node", ("node.pcap",), allowed=lost),
    ]


@incident("neighbor-right", None, "twin of stale-neighbor: the static entry has the pod's own MAC address")
def neighbor_right(lab: Lab) -> list[Case]:
    """Every connection opens."""
    star = _star(lab)
    _keep(lab, star, _own(star))
    _run(lab, star)
    return nothing_wrong(("all", EVERYTHING), ("listings", LISTINGS))


@incident("neighbor-filtered", None, "look-alike: the pod is silent, and the node's entry for it is right")
def neighbor_filtered(lab: Lab) -> list[Case]:
    """A rule of the pod drops the SYNs; ARP works."""
    star = _star(lab)
    rule(star.pods[2], "silent", f"tcp dport {star.port}", "drop", hook="input")
    _run(lab, star)
    silent = ("firewall-drop", "target-unresponsive", "path-loss")
    return [Case("all", EVERYTHING, allowed=silent), Case("listings", LISTINGS)]


@incident("neighbor-proxy", None, "look-alike: the router answers ARP for a server, with its own MAC address")
def neighbor_proxy(lab: Lab) -> list[Case]:
    """Proxy ARP: the node's entry for the server has the router's MAC address, and everything works."""
    star = lab.star()
    star.serve()
    star.router.sysctl(ipv4__conf__in__proxy_arp=1, ipv4__neigh__in__proxy_delay=0)
    star.node.ip(f"route add {star.server_addresses[0]}/32 dev eth0")
    with lab.recorded(star):
        lab.calls = make_calls(star.calls(40, 4))
    server = star.servers[0]
    (lab.folder / f"{server.prompt}.txt").write_text(session(server, ("date -u", "ip addr")))
    return nothing_wrong()
