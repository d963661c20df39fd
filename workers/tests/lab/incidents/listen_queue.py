"""A server whose program takes connections too slowly."""

from __future__ import annotations

from dataclasses import replace

from workers.tests.lab.incident import EVERYTHING, Case, Lab, incident, nothing_wrong
from workers.tests.lab.programs import make_calls

BURSTS = 3


def _run(lab: Lab, backlog: int, accept_pause_s: float) -> None:
    star = lab.star()
    servers = star.serve(backlog=backlog, accept_pause_s=accept_pause_s)
    burst_size = lab.random.randint(12, 18)
    calls = []
    for burst in range(BURSTS):
        calls += [
            replace(call, at_s=burst * 2.5 + call.at_s, timeout_s=9) for call in star.calls(burst_size, 0.05)
        ]
    with lab.recorded(star):
        lab.calls = make_calls(calls)
    rose = lab.recording.nstat["server0"]
    lab.truth |= {"backlog": backlog, "accept_pause_s": accept_pause_s, "accepted": len(servers[0].accepted)}
    lab.truth["overflows"] = rose.get("TcpExtListenOverflows", 0)


@incident(
    "listen-overflow",
    "listen-overflow",
    "the accept queue holds 4, and the program takes one each 140 ms",
    short=True,
)
def listen_overflow(lab: Lab) -> list[Case]:
    """Bursts larger than the accept queue."""
    _run(lab, backlog=lab.random.randint(3, 6), accept_pause_s=lab.random.uniform(0.12, 0.2))
    full = ("listen-overflow",)
    server = ("node.pcap", "server0.pcap", "server-*.txt")
    return [
        Case("all", EVERYTHING, full, (), 0.7, lab.delayed_bounds()),
        Case("server-session", server, full, (), 0.7, lab.delayed_bounds()),
        Case("two-ends", ("node.pcap", "server0.pcap"), full, findings=lab.delayed_bounds()),
        Case("client", ("pod0.pcap",), allowed=full),
    ]


@incident("listen-queue-wide", None, "twin of listen-overflow: the same bursts and program, a queue of 512")
def listen_queue_wide(lab: Lab) -> list[Case]:
    """Nobody's SYN is dropped; answers come late because the program is slow."""
    _run(lab, backlog=512, accept_pause_s=lab.random.uniform(0.12, 0.2))
    slow = ("slow-server",)
    return [replace(case, allowed=slow) for case in nothing_wrong()]
