"""A pod that calls a service whose endpoint is a pod on its own bridge, or the pod itself."""

from __future__ import annotations

from dataclasses import replace

from workers.tests.lab.incident import EVERYTHING, Case, Lab, incident, nothing_wrong
from workers.tests.lab.programs import WebServer, make_calls
from workers.tests.lab.recording import session
from workers.tests.lab.star import Star

TIMEOUT_S = 4.5
CALLS = 24
SETTINGS = ("date -u", "sysctl net.bridge.bridge-nf-call-iptables", "bridge -d link show")


def _star(lab: Lab) -> Star:
    """Both pods serve, too."""
    star = lab.star()
    star.serve()
    for pod in star.pods:
        WebServer(pod, star.port).start()
    return star


def _service(lab: Lab, star: Star, endpoints: list[str]) -> str:
    """Translated to these endpoints in turn, by chance as kube-proxy does; the nodes' own masquerading stays."""
    service = f"10.96.{lab.random.randrange(250)}.{lab.random.randrange(2, 250)}"
    for index, endpoint in enumerate(endpoints):
        share = f"-m statistic --mode random --probability {1 / (len(endpoints) - index):.9f}"
        chance = share if index + 1 < len(endpoints) else ""
        match = f"-t nat -A PREROUTING -d {service}/32 -p tcp --dport {star.port}"
        star.node.run(
            "iptables", *f"{match} {chance} -j DNAT --to-destination {endpoint}:{star.port}".split()
        )
    lab.truth |= {"service": service, "endpoints": endpoints}
    return service


def _run(lab: Lab, star: Star, service: str) -> None:
    called = [
        replace(call, client=star.pods[0], address=service, timeout_s=TIMEOUT_S)
        for call in star.calls(CALLS, 3)
    ]
    with lab.recorded(star):
        lab.calls = make_calls([*called, *star.calls(30, 4)])
    (lab.folder / f"{star.node.prompt}-bridge.txt").write_text(session(star.node, SETTINGS))


def _port_of(star: Star, number: int) -> str:
    """The node's end of a pod's cable."""
    ports = star.node.run("ip", "-o", "link", "show", "master", "cni0").splitlines()
    return sorted(line.split()[1].partition("@")[0] for line in ports)[number]


def _masquerade_own(star: Star) -> None:
    match = f"-t nat -A POSTROUTING -s {star.pod_addresses[0]} -d {star.pod_addresses[0]} -j MASQUERADE"
    star.node.run("iptables", *match.split())


def _hairpin(lab: Lab, mode: str, masquerade: bool) -> None:
    star = _star(lab)
    service = _service(lab, star, [star.pod_addresses[0], star.server_addresses[0]])
    for number in range(len(star.pods)):
        star.node.run("bridge", "link", "set", "dev", _port_of(star, number), "hairpin", mode)
    if masquerade:
        _masquerade_own(star)
    _run(lab, star, service)


@incident("hairpin", "hairpin", "a pod's calls to its own service that are translated to itself are lost")
def hairpin(lab: Lab) -> list[Case]:
    """Hairpin mode is off: the bridge does not send the SYN back to the port that it came from."""
    _hairpin(lab, "off", masquerade=lab.random.random() < 0.5)
    own = ("hairpin",)
    return [
        Case("all", EVERYTHING, own, (), 0.7, lab.delayed_bounds()),
        Case("node", ("node.pcap",), own, (), 0.7, lab.delayed_bounds()),
        Case("client", ("pod0.pcap",), allowed=(*own, "firewall-drop", "path-loss", "listen-overflow")),
    ]


@incident(
    "hairpin-masquerade", "hairpin", "hairpin mode is on, and nobody masquerades what returns to the pod"
)
def hairpin_masquerade(lab: Lab) -> list[Case]:
    """The pod gets SYNs from its own address and drops them."""
    _hairpin(lab, "on", masquerade=False)
    own = ("hairpin",)
    return [
        Case("all", EVERYTHING, own, (), 0.7),
        Case("client", ("pod0.pcap",), allowed=(*own, "firewall-drop", "path-loss", "listen-overflow")),
    ]


@incident("hairpin-on", None, "twin of hairpin: hairpin mode is on, and the node masquerades")
def hairpin_on(lab: Lab) -> list[Case]:
    """The pod reaches itself."""
    _hairpin(lab, "on", masquerade=True)
    return nothing_wrong()


@incident(
    "hairpin-other",
    None,
    "look-alike: one of two endpoints of the service is silent, and it is not the caller",
)
def hairpin_other(lab: Lab) -> list[Case]:
    """Half of the calls fail, as they do where one endpoint is the caller."""
    star = _star(lab)
    _run(lab, star, _service(lab, star, [star.free_server_address(), star.server_addresses[0]]))
    silent = ("target-unresponsive", "firewall-drop", "path-loss")
    return [
        Case("all", EVERYTHING, allowed=silent),
        Case("node", ("node.pcap",), allowed=silent),
        Case("client", ("pod0.pcap",), allowed=(*silent, "dead-backend")),
    ]


def _same_bridge(lab: Lab, through_netfilter: int) -> None:
    star = _star(lab)
    star.node.run("sysctl", "-q", f"net.bridge.bridge-nf-call-iptables={through_netfilter}")
    _run(lab, star, _service(lab, star, [star.pod_addresses[1], star.server_addresses[0]]))


@incident(
    "bridge-netfilter-off",
    "bridge-netfilter-off",
    "answers of a pod on the same bridge reach the client past the translation",
)
def bridge_netfilter_off(lab: Lab) -> list[Case]:
    """net.bridge.bridge-nf-call-iptables is 0: SYN-ACKs come from the pod's own address."""
    _same_bridge(lab, 0)
    bypass = ("bridge-netfilter-off",)
    return [
        Case("all", EVERYTHING, bypass, (), 0.8),
        Case("node", ("node.pcap",), bypass, (), 0.6),
        Case("client", ("pod0.pcap",), bypass, (), 0.6),
    ]


@incident("bridge-netfilter-on", None, "twin of bridge-netfilter-off: bridged packets pass iptables")
def bridge_netfilter_on(lab: Lab) -> list[Case]:
    """Answers come from the service."""
    _same_bridge(lab, 1)
    return nothing_wrong(("all", EVERYTHING), ("node", ("node.pcap",)), ("client", ("pod0.pcap",)))
