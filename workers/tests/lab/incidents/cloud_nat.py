"""A network whose way out has few ports for each destination, and keeps each for a time after the close."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from workers.tests.lab.hosts import counted
from workers.tests.lab.incident import EVERYTHING, Case, Lab, incident, nothing_wrong
from workers.tests.lab.programs import Request, make_calls

if TYPE_CHECKING:
    from workers.tests.lab.star import Star

PORTS = 64
KEPT_S = 30
OVER_S = 70
TIMEOUT_S = 16
PUBLIC = ("34.107", "52.219", "151.101", "185.199")


def _way_out(star: Star, ports: int) -> None:
    """The router passes SYNs of so many tuples toward the server's port; each is free again `KEPT_S` after its last
    packet. Nobody captures or lists the router, as nobody can a cloud's NAT."""
    kept = f"flags dynamic,timeout ; timeout {KEPT_S}s ;"
    asked = f"add rule ip lab forward tcp dport {star.port}"
    star.router.nft(
        "add table ip lab",
        "add counter ip lab refused",
        f"add set ip lab tuples {{ type ipv4_addr . inet_service ; size {ports} ; {kept} }}",
        "add chain ip lab forward { type filter hook forward priority 0 ; }",
        f"{asked} update @tuples {{ ip saddr . tcp sport }} accept",
        f"{asked} counter name refused drop",
    )


def _run(lab: Lab, ports: int, calls: int) -> int:
    star = lab.star(server_prefix=f"{lab.random.choice(PUBLIC)}.{lab.random.randrange(1, 250)}")
    star.serve()
    _way_out(star, ports)
    made = [replace(call, timeout_s=TIMEOUT_S) for call in star.calls(calls, OVER_S, [Request()])]
    with lab.recorded(star):
        lab.calls = make_calls(made)
    refused = counted(star.router, "refused")
    lab.truth |= {"ports": ports, "kept_s": KEPT_S, "refused": refused}
    return refused


@incident(
    "cloud-nat-full",
    "cloud-snat-exhaustion",
    f"the way to a public address has {PORTS} ports, each kept {KEPT_S} s after the close (a set of a router's rule)",
)
def cloud_nat_full(lab: Lab) -> list[Case]:
    """More short connections than ports that become free: SYNs are dropped while all are in use."""
    _run(lab, PORTS, lab.random.randrange(230, 300))
    full = ("cloud-snat-exhaustion",)
    from_outside = (*full, "path-loss", "listen-overflow")
    return [
        Case("node and its listings", ("node.pcap", "node-*.txt"), full, (), 0.5, lab.delayed_bounds()),
        Case("node", ("node.pcap",), full, findings=lab.delayed_bounds()),
        Case("all", EVERYTHING, allowed=from_outside),
    ]


@incident("cloud-nat-free", None, "twin of cloud-nat-full: the same connections and enough ports")
def cloud_nat_free(lab: Lab) -> list[Case]:
    """Nothing is refused."""
    _run(lab, 4_096, lab.random.randrange(230, 300))
    return nothing_wrong()
