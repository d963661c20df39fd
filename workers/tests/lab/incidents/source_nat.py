"""A node that translates the pods' source ports: races for one port, and too few ports."""

from __future__ import annotations

import multiprocessing
import os
import re
import socket
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from workers.tests.lab.incident import EVERYTHING, Case, Lab, incident, nothing_wrong
from workers.tests.lab.programs import CallResult, Request, make_calls, retransmissions

if TYPE_CHECKING:
    from workers.tests.lab.hosts import Host
    from workers.tests.lab.star import Star

RULES_BEHIND_NAT = 4000
"""Rules that a packet walks between the choice of its port and the confirmation of its entry: they widen
the time in which two packets can choose alike (nf_nat_used_tuple to __nf_conntrack_confirm)."""
ROUNDS = 40
ROUND_S = 0.15
SPIN_S = 0.005
RETRIES_S = 3.5
POOL_PORTS = 40


def _widen(star: Star) -> None:
    star.node.nft(
        "add table ip walk",
        "add chain ip walk post { type filter hook postrouting priority 200 ; }",
        *(f"add rule ip walk post ip daddr 203.0.113.{n % 250} counter" for n in range(RULES_BEHIND_NAT)),
    )


def _service(lab: Lab, star: Star) -> str:
    """A service address that the node translates to the first server."""
    service = f"10.96.{lab.random.randrange(250)}.{lab.random.randrange(2, 250)}"
    match = f"-t nat -A PREROUTING -d {service}/32 -p tcp --dport {star.port}"
    star.node.run(
        "iptables", *f"{match} -j DNAT --to-destination {star.server_addresses[0]}:{star.port}".split()
    )
    lab.truth["service"] = service
    return service


def _run_race(lab: Lab, options: str, through_service: bool = False) -> None:
    star = lab.star(pods=2, masquerade=options)
    star.serve()
    _widen(star)
    address = _service(lab, star) if through_service else star.server_addresses[0]
    ports = lab.random.sample(range(33000, 60000), ROUNDS)
    with lab.recorded(star):
        lab.calls = _race(star, address, ports)
    lab.truth["insert_failed"] = _insert_failed(star)


def _insert_failed(star: Star) -> int:
    return sum(map(int, re.findall(r"insert_failed=(\d+)", star.node.run("conntrack", "-S"))))


def _race(star: Star, address: str, ports: list[int]) -> list[CallResult]:
    """Both pods connect from the same source port at the same moment, each on its own processor."""
    start = time.monotonic() + 1
    with multiprocessing.get_context("fork").Pool(len(star.pods)) as pool:
        jobs = [
            pool.apply_async(_connect_in_turn, (pod, index, (address, star.port), ports, start))
            for index, pod in enumerate(star.pods)
        ]
        return [result for job in jobs for result in job.get()]


def _connect_in_turn(
    pod: Host, index: int, server: tuple[str, int], ports: list[int], start: float
) -> list[CallResult]:
    """A process of one pod; it spins for the last moments so that both connect together."""
    pod.enter()
    os.sched_setaffinity(0, {index % (os.cpu_count() or 1)})
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    clients = []
    for number, port in enumerate(ports):
        client = socket.socket(socket.AF_INET, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        client.bind(("", port))
        moment = start + number * ROUND_S
        time.sleep(max(0, moment - SPIN_S - time.monotonic()))
        while time.monotonic() < moment:
            pass
        client.connect_ex(server)
        clients.append((client, time.time()))
    time.sleep(RETRIES_S)
    return [_result(pod, client, server, wall_s) for client, wall_s in clients]


def _result(pod: Host, client: socket.socket, server: tuple[str, int], wall_s: float) -> CallResult:
    result = CallResult(pod.name, *server, wall_s=wall_s, source_port=client.getsockname()[1])
    result.connect_retransmissions = retransmissions(client)
    try:
        client.getpeername()
    except OSError:
        result.outcome = "connect-timeout"
    return result


@incident(
    "snat-race",
    "snat-port-race",
    "two pods take one source port at once, and MASQUERADE keeps it for both",
)
def snat_race(lab: Lab) -> list[Case]:
    """The kernel's own race: the later of two equal translations is dropped when it is confirmed."""
    _run_race(lab, "")
    race = ("snat-port-race",)
    if not lab.delayed:
        return []
    return [
        Case("all", EVERYTHING, race, (), 0.6, lab.delayed_bounds()),
        Case("node", ("node.pcap",), race, findings=lab.delayed_bounds()),
        Case("client", ("pod0.pcap",)),
    ]


@incident("snat-race-random", None, "twin of snat-race: the same moments, MASQUERADE --random-fully")
def snat_race_random(lab: Lab) -> list[Case]:
    """Each translation takes a port by chance, so none is equal."""
    _run_race(lab, "--random-fully")
    return nothing_wrong() if not lab.delayed else []


@incident(
    "dnat-race",
    "dnat-race",
    "two pods call one service from one source port at once; both are translated to one tuple",
)
def dnat_race(lab: Lab) -> list[Case]:
    """The same race behind a rewritten destination."""
    _run_race(lab, "", through_service=True)
    race = ("dnat-race",)
    if not lab.delayed:
        return []
    return [
        Case("all", EVERYTHING, race, (), 0.6, lab.delayed_bounds()),
        Case("node", ("node.pcap",), race, findings=lab.delayed_bounds()),
        Case("client", ("pod0.pcap",)),
    ]


@incident(
    "dnat-race-random", None, "twin of dnat-race: the same moments and service, MASQUERADE --random-fully"
)
def dnat_race_random(lab: Lab) -> list[Case]:
    """Each translation takes a port by chance, so none is equal."""
    _run_race(lab, "--random-fully", through_service=True)
    return nothing_wrong() if not lab.delayed else []


@incident(
    "snat-exhaustion", "snat-port-exhaustion", "the rule may use 40 ports; more connections are held open"
)
def snat_exhaustion(lab: Lab) -> list[Case]:
    """When every port toward one destination is taken, new connections are dropped until one is free."""
    star = lab.star(pods=3, masquerade=None)
    first = lab.random.randrange(20_000, 60_000)
    rule = f"{star.masquerade} -p tcp -j MASQUERADE --to-ports {first}-{first + POOL_PORTS - 1}"
    star.node.run("iptables", *rule.split())
    star.node.sysctl(netfilter__nf_conntrack_tcp_timeout_time_wait=2)
    star.serve()
    held = [replace(call, timeout_s=9) for call in star.calls(POOL_PORTS * 2, 2, [Request("/slow/2500/300")])]
    with lab.recorded(star):
        lab.calls = make_calls(held)
    lab.truth |= {"pool_ports": POOL_PORTS, "insert_failed": _insert_failed(star)}
    full = ("snat-port-exhaustion",)
    return [
        Case("all", EVERYTHING, full, (), 0.6, lab.delayed_bounds()),
        Case("node", ("node.pcap",), (*full, "node-drop", "unknown"), findings=lab.delayed_bounds()),
        Case("client", ("pod0.pcap",), allowed=full),
    ]
