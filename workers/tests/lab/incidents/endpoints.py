"""A service without endpoint: the rule that kube-proxy writes for it, and what looks similar."""

from __future__ import annotations

from dataclasses import replace

from workers.tests.lab.incident import EVERYTHING, Case, Lab, incident, nothing_wrong
from workers.tests.lab.programs import make_calls
from workers.tests.lab.star import Star

TIMEOUT_S = 4.5
CALLS = 14
LISTINGS = ("node-*.txt",)
NONE, NONE_HERE = (
    ("has no endpoints", "REJECT --reject-with icmp-port-unreachable"),
    (
        "has no local endpoints",
        "DROP",
    ),
)


def _address(lab: Lab) -> str:
    return f"10.96.{lab.random.randrange(250)}.{lab.random.randrange(2, 250)}"


def _without_endpoint(lab: Lab, star: Star, service: str, kind: tuple[str, str]) -> None:
    """The filter rule of kube-proxy (pkg/proxy/iptables/proxier.go), in the chain that it uses."""
    said, target = kind
    name = (
        f"{lab.random.choice(('shop', 'prod', 'default'))}/{lab.random.choice(('web', 'api', 'cart'))}:http"
    )
    chain = "KUBE-EXTERNAL-SERVICES"
    star.node.run("iptables", "-N", chain)
    star.node.run("iptables", *f"-A FORWARD -m conntrack --ctstate NEW -j {chain}".split())
    match = f"-A {chain} -d {service}/32 -p tcp -m comment --comment".split()
    rest = f"-m tcp --dport {star.port} -j {target}".split()
    star.node.run("iptables", *match, f"{name} {said}", *rest)
    lab.truth |= {"service": service, "name": name, "rule": said}


def _translate(star: Star, service: str, port: int) -> None:
    """The service's one endpoint is the first server, at this port."""
    match = f"-t nat -A PREROUTING -d {service}/32 -p tcp --dport {star.port}"
    star.node.run("iptables", *f"{match} -j DNAT --to-destination {star.server_addresses[0]}:{port}".split())


def _run(lab: Lab, star: Star, service: str) -> None:
    called = [replace(call, address=service, timeout_s=TIMEOUT_S) for call in star.calls(CALLS, 2)]
    with lab.recorded(star):
        lab.calls = make_calls([*called, *star.calls(30, 4)])


def _incident(lab: Lab, kind: tuple[str, str]) -> None:
    star = lab.star()
    star.serve()
    service = _address(lab)
    _without_endpoint(lab, star, service, kind)
    _run(lab, star, service)


@incident(
    "no-local-endpoint",
    "no-local-endpoint",
    "kube-proxy's rule drops what goes to a service without endpoint here",
)
def no_local_endpoint(lab: Lab) -> list[Case]:
    """DROP: every SYN to the service stays unanswered, with all its retransmissions."""
    _incident(lab, NONE_HERE)
    wanted = ("no-local-endpoint",)
    lost = (*wanted, "firewall-drop", "node-drop", "target-unresponsive")
    return [
        Case("all", EVERYTHING, wanted, (), 0.8, lab.delayed_bounds()),
        Case("listings", LISTINGS, wanted, (), 0.7),
        Case("node", ("node.pcap",), allowed=lost),
        Case("client", ("pod0.pcap",), allowed=lost),
    ]


@incident(
    "no-endpoint",
    "no-local-endpoint",
    "kube-proxy's rule rejects what goes to a service without any endpoint",
)
def no_endpoint(lab: Lab) -> list[Case]:
    """REJECT: refused at once by an ICMP error, nothing is lost."""
    _incident(lab, NONE)
    wanted = ("no-local-endpoint",)
    return [
        Case("all", EVERYTHING, wanted, (), 0.8, {"syn-retransmission": (0, 0)}),
        Case("listings", LISTINGS, wanted, (), 0.7),
        Case("client", ("pod0.pcap",), allowed=("firewall-drop",)),
    ]


@incident("endpoint-ready", None, "twin of no-local-endpoint: the same service with an endpoint")
def endpoint_ready(lab: Lab) -> list[Case]:
    """Translated to a server that answers."""
    star = lab.star()
    star.serve()
    service = _address(lab)
    _translate(star, service, star.port)
    _run(lab, star, service)
    return nothing_wrong(("all", EVERYTHING), ("listings", LISTINGS))


@incident("endpoint-refuses", None, "look-alike: the service has an endpoint, which does not listen")
def endpoint_refuses(lab: Lab) -> list[Case]:
    """Refused at once, as by REJECT, but by a RST of the endpoint."""
    star = lab.star()
    star.serve()
    service = _address(lab)
    _translate(star, service, star.port + 1)
    _run(lab, star, service)
    return nothing_wrong(("all", EVERYTHING), ("listings", LISTINGS))


@incident("endpoint-uncalled", None, "look-alike: a service without endpoint that nobody calls")
def endpoint_uncalled(lab: Lab) -> list[Case]:
    """Its rule stands in the listing and counts nothing, while calls to another service work."""
    star = lab.star()
    star.serve()
    service, idle = _address(lab), _address(lab)
    _without_endpoint(lab, star, idle, NONE_HERE)
    _translate(star, service, star.port)
    _run(lab, star, service)
    return nothing_wrong(("all", EVERYTHING), ("listings", LISTINGS))
