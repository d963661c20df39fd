"""A service address that the node translates to one of several backends, one of which is bad."""

from __future__ import annotations

import socket
import time
from dataclasses import replace

from workers.tests.lab.hosts import counted, rule
from workers.tests.lab.incident import EVERYTHING, Case, Lab, incident
from workers.tests.lab.programs import make_calls
from workers.tests.lab.recording import session
from workers.tests.lab.star import Star

TIMEOUT_S = 5.5
PROBES = 12


def _service(lab: Lab, star: Star, backends: list[str]) -> str:
    """Spread connections to a service address over the backends, as kube-proxy's rules do."""
    service = f"10.96.{lab.random.randrange(250)}.{lab.random.randrange(2, 250)}"
    for index, backend in enumerate(backends):
        share = f"-m statistic --mode random --probability {1 / (len(backends) - index):.9f}"
        target = f"-j DNAT --to-destination {backend}:{star.port}"
        chance = share if index + 1 < len(backends) else ""
        match = f"-t nat -A PREROUTING -d {service}/32 -p tcp --dport {star.port}"
        star.node.run("iptables", *f"{match} {chance} {target}".split())
    lab.truth |= {"service": service, "backends": backends}
    return service


def _run(lab: Lab, star: Star, service: str) -> None:
    calls = [replace(call, address=service, timeout_s=TIMEOUT_S) for call in star.calls(66, 4)]
    with lab.recorded(star):
        lab.calls = make_calls(calls)


def _ask_closed_port(address: str) -> None:
    """UDP to a port without a program: the host's own ICMP answer shows that it lives."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        for _ in range(PROBES):
            probe.sendto(b"alive?", (address, 9))
            time.sleep(0.5)


def _without_host(lab: Lab) -> Star:
    star = lab.star(servers=2)
    star.serve()
    bad = star.free_server_address()
    backends = [*star.server_addresses, bad]
    lab.random.shuffle(backends)
    _run(lab, star, _service(lab, star, backends))
    lab.truth["bad"] = bad
    return star


@incident("backend-dead-unseen", "dead-backend", "the same as backend-dead, seen by one of the clients alone")
def backend_dead_unseen(lab: Lab) -> list[Case]:
    """The client calls one address, and its connections open at once or never."""
    star = _without_host(lab)
    listed = session(star.node, ("date -u", "conntrack -L -p tcp"))
    (lab.folder / f"{star.node.prompt}-conntrack.txt").write_text(listed)
    dead = ("dead-backend",)
    return [
        Case("client", ("pod0.pcap",), dead, ("target-unresponsive",), 0.5),
        Case("conntrack", ("pod0.pcap", "*-conntrack.txt"), dead, ("target-unresponsive",), 0.7),
    ]


@incident("backend-dead", "target-unresponsive", "one of three backends has no host: no ARP answer")
def backend_dead(lab: Lab) -> list[Case]:
    """A removed backend: the router says host unreachable after its ARP requests."""
    _without_host(lab)
    return [
        Case("all", EVERYTHING, ("target-unresponsive",)),
        Case("node", ("node.pcap",), ("target-unresponsive",)),
        # A client knows the service's address alone, behind which one of several backends is silent.
        Case("client", ("pod0.pcap",), allowed=("target-unresponsive", "dead-backend")),
    ]


def _silent(lab: Lab, heard: bool) -> None:
    """One backend's own rule drops the SYNs; `heard`: it answers something else in the meantime."""
    star = lab.star(servers=3)
    star.serve()
    backends = list(star.server_addresses)
    bad = lab.random.randrange(3)
    rule(star.servers[bad], "silent", f"tcp dport {star.port}", "drop", hook="input")
    service = _service(lab, star, backends)
    alive = star.pods[0].start(_ask_closed_port, backends[bad]) if heard else None
    _run(lab, star, service)
    if alive:
        alive.result()
    lab.truth |= {"bad": backends[bad], "dropped": counted(star.servers[bad], "silent")}


@incident(
    "backend-silent", "firewall-drop", "one of three backends drops what comes to its port; the host lives"
)
def backend_silent(lab: Lab) -> list[Case]:
    """The host answers UDP to a closed port, so it is not down."""
    _silent(lab, heard=True)
    return _cases_of_a_silent_backend(lab)


@incident(
    "backend-unheard",
    "firewall-drop",
    "the same, and the host sends nothing; its own capture and rule are given",
)
def backend_unheard(lab: Lab) -> list[Case]:
    """Only the host's own capture and its rule's counter show that it lives."""
    _silent(lab, heard=False)
    return _cases_of_a_silent_backend(lab)


def _cases_of_a_silent_backend(lab: Lab) -> list[Case]:
    either = ("firewall-drop", "target-unresponsive")
    return [
        Case("all", EVERYTHING, ("firewall-drop",), findings=lab.delayed_bounds()),
        Case("node", ("node.pcap",), either, findings=lab.delayed_bounds()),
        Case("client", ("pod0.pcap",), allowed=either),
    ]


@incident(
    "backend-refuses", None, "one of three backends does not listen: a third of the calls is refused at once"
)
def backend_refuses(lab: Lab) -> list[Case]:
    """Nothing is lost and nobody waits."""
    star = lab.star(servers=3)
    star.serve_on(star.servers[:2])
    _run(lab, star, _service(lab, star, list(star.server_addresses)))
    refused = sum(call.outcome == "connect-ECONNREFUSED" for call in lab.calls)
    return (
        [Case("all", EVERYTHING, findings={"syn-retransmission": (0, 0)}), Case("client", ("pod0.pcap",))]
        if refused
        else []
    )


@incident("dead-host", "target-unresponsive", "a host in the node's own network does not answer ARP")
def dead_host(lab: Lab) -> list[Case]:
    """The node's neighbor entry fails, and the node says host unreachable."""
    star = lab.star()
    star.serve()
    used = {star.node_address, f"{star.node_network.rpartition('.')[0]}.1"}
    prefix = star.node_network.rpartition(".")[0]
    dead = lab.random.choice([a for a in (f"{prefix}.{n}" for n in range(2, 250)) if a not in used])
    lab.truth["dead"] = dead
    dead_calls = [replace(call, address=dead, timeout_s=TIMEOUT_S) for call in star.calls(14, 3)]
    with lab.recorded(star):
        lab.calls = make_calls([*dead_calls, *star.calls(50, 5)])
    return [
        Case("all", EVERYTHING, ("target-unresponsive",)),
        Case("node", ("node.pcap",), ("target-unresponsive",)),
        # A client knows the service's address alone, behind which one of several backends is silent.
        Case("client", ("pod0.pcap",), allowed=("target-unresponsive", "dead-backend")),
    ]
