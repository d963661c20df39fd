"""A backend of a service ends during a rollout, and the node's rules follow before it or behind it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from workers.tests.lab.hosts import Host
from workers.tests.lab.incident import EVERYTHING, Case, Lab, incident, nothing_wrong
from workers.tests.lab.programs import make_calls
from workers.tests.lab.star import Star

CALLS = 260
OVER_S = 9.0
TIMEOUT_S = 4.5
CHAIN = "KUBE-SVC-ROLLOUT"


def _choose(node: Host, backends: list[str], port: int) -> None:
    """Spread new connections over these backends, as kube-proxy's chain of a service does; at once, as it does."""
    lines = ["*nat", f":{CHAIN} - [0:0]"]
    for index, backend in enumerate(backends):
        last = index + 1 == len(backends)
        share = "" if last else f"-m statistic --mode random --probability {1 / (len(backends) - index):.9f} "
        lines.append(f"-A {CHAIN} -p tcp {share}-j DNAT --to-destination {backend}:{port}")
    node.run("iptables-restore", "--noflush", stdin="\n".join([*lines, "COMMIT", ""]))


def _refuse(host: Host, port: int) -> None:
    """What a port without a program does (RST), while the server's sockets stay as they are."""
    host.run("iptables", *f"-I INPUT -p tcp --dport {port} --syn -j REJECT --reject-with tcp-reset".split())


def _accept(host: Host, port: int) -> None:
    host.run("iptables", *f"-D INPUT -p tcp --dport {port} --syn -j REJECT --reject-with tcp-reset".split())


def _silence(host: Host, port: int) -> None:
    host.run("iptables", *f"-I INPUT -p tcp --dport {port} -j DROP".split())


def _at(started: float, after_s: float) -> None:
    time.sleep(max(0.0, started + after_s - time.monotonic()))


def _rollout(
    lab: Lab, end_s: float, follow_s: float | None, *, silent: bool = False, back_s: float = 0
) -> Star:
    """One of three backends ends; `follow_s`: when the rules leave it out; `back_s`: when it serves again."""
    star = lab.star(servers=3)
    star.serve()
    service = f"10.96.{lab.random.randrange(250)}.{lab.random.randrange(2, 250)}"
    bad = lab.random.randrange(3)
    left = [address for n, address in enumerate(star.server_addresses) if n != bad]
    _choose(star.node, list(star.server_addresses), star.port)
    match = f"-t nat -A PREROUTING -d {service}/32 -p tcp --dport {star.port} -j {CHAIN}"
    star.node.run("iptables", *match.split())
    host = star.servers[bad]

    def change() -> None:
        started = time.monotonic()
        end = _silence if silent else _refuse
        steps: list[tuple[float, Callable[[], None]]] = [(end_s, partial(end, host, star.port))]
        if follow_s is not None:
            steps.append((follow_s, partial(_choose, star.node, left, star.port)))
        if back_s:
            steps.append((back_s, partial(_accept, host, star.port)))
        for after_s, step in sorted(steps, key=lambda each: each[0]):
            _at(started, after_s)
            step()

    calls = [replace(call, address=service, timeout_s=TIMEOUT_S) for call in star.calls(CALLS, OVER_S)]
    with lab.recorded(star):
        changing = star.router.start(change)
        lab.calls = make_calls(calls)
        changing.result()
    failed = sum(call.outcome.startswith("connect-") for call in lab.calls)
    lab.truth |= {"service": service, "removed": star.server_addresses[bad], "failed": failed}
    lab.truth |= {"ends_after_s": end_s, "rules_follow_after_s": follow_s}
    return star


@incident(
    "endpoint-gone", "endpoint-gone", "a removed backend refuses connections until the node's rules follow"
)
def endpoint_gone(lab: Lab) -> list[Case]:
    """Refused at once: nobody waits, and a share of the calls fails."""
    end_s = lab.random.uniform(2, 3)
    _rollout(lab, end_s, end_s + lab.random.uniform(1.2, 3))
    gone = ("endpoint-gone",)
    return [
        Case("all", EVERYTHING, gone, (), 0.7),
        Case("node", ("node.pcap",), gone, (), 0.7),
        Case("client", ("pod0.pcap",)),
    ]


@incident("endpoint-gone-silent", "endpoint-gone", "the same, and the removed backend does not answer")
def endpoint_gone_silent(lab: Lab) -> list[Case]:
    """SYNs and their retransmissions stay unanswered: conntrack keeps the choice of each connection."""
    end_s = lab.random.uniform(2, 3)
    _rollout(lab, end_s, end_s + lab.random.uniform(1.2, 3), silent=True)
    gone = ("endpoint-gone",)
    lost = ("firewall-drop", "target-unresponsive", "node-drop", "dead-backend")
    return [
        Case("all", EVERYTHING, (*gone, "firewall-drop"), lost, 0.5, named=gone),
        Case("node", ("node.pcap",), (*gone, "firewall-drop"), lost, 0.5, named=gone),
        Case("client", ("pod0.pcap",), allowed=lost),
    ]


@incident("rollout-graceful", None, "twin: the rules leave the backend out before it ends")
def rollout_graceful(lab: Lab) -> list[Case]:
    """As with a preStop hook that sleeps longer than the rules take."""
    follow_s = lab.random.uniform(2, 3)
    _rollout(lab, follow_s + 1.5, follow_s)
    return nothing_wrong(("all", EVERYTHING), ("node", ("node.pcap",)), ("client", ("pod0.pcap",)))


@incident("backend-ended", None, "look-alike: a backend ends and keeps its share of the connections")
def backend_ended(lab: Lab) -> list[Case]:
    """Nobody takes it out: it is dead, and not removed."""
    _rollout(lab, lab.random.uniform(3, 4), None)
    return nothing_wrong(("all", EVERYTHING), ("node", ("node.pcap",)), ("client", ("pod0.pcap",)))


@incident("backend-restarted", None, "look-alike: a backend refuses for a moment and serves again")
def backend_restarted(lab: Lab) -> list[Case]:
    """A restart in place; the rules never change."""
    end_s = lab.random.uniform(2, 3)
    _rollout(lab, end_s, None, back_s=end_s + lab.random.uniform(1.5, 2.5))
    return nothing_wrong(("all", EVERYTHING), ("node", ("node.pcap",)), ("client", ("pod0.pcap",)))
