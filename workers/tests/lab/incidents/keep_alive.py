"""Connections that rest, a server that closes them, and a path that takes time."""

from __future__ import annotations

from dataclasses import replace

from workers.tests.lab.incident import EVERYTHING, Case, Lab, incident, nothing_wrong
from workers.tests.lab.programs import Request, WebServer, make_calls
from workers.tests.lab.wire import carry, compute_checksums, wire_of_server

DELAY_S = 0.025
"""One way: the time in which a request and a FIN cross."""
IDLE_S = 1.0
CALLS = 36


def _run(lab: Lab, idle_s: float | None, delay_s: float = DELAY_S, jitter_s: float = 0) -> None:
    """Each client asks three times, then again when the server is about to close, or well before it does."""
    star = lab.star()
    compute_checksums(star.ends)
    carry(wire_of_server(star, 0), delay_s, jitter_s, lab.random.randrange(1 << 30))
    WebServer(star.servers[0], star.port, idle_s=idle_s).start()
    quick = (Request(), Request(silence_s=0.1), Request(silence_s=0.1))
    calls = []
    for number, call in enumerate(star.calls(CALLS, 5)):
        # The answer was under way for one delay already; a FIN needs as long, a request too.
        last = IDLE_S - DELAY_S if number % 3 == 0 else lab.random.uniform(0.2, 0.6)
        calls.append(replace(call, requests=(*quick, Request(silence_s=last))))
    with lab.recorded(star):
        lab.calls = make_calls(calls)
    lab.truth |= {"idle_s": idle_s, "delay_ms": delay_s * 1e3, "jitter_ms": jitter_s * 1e3}
    # A client that waits for its answer reads the FIN, which arrives before the RST.
    lab.truth["crossed"] = sum(call.outcome in ("ECONNRESET", "ENODATA") for call in lab.calls)


@incident(
    "keepalive-race",
    "keepalive-race",
    "the server closes connections that rest for 1 s; requests sent at that moment are reset",
)
def keepalive_race(lab: Lab) -> list[Case]:
    """Request and FIN cross on a path of 25 ms."""
    _run(lab, IDLE_S)
    if not lab.truth["crossed"]:
        return []
    crossed = ("keepalive-race",)
    return [
        Case("all", EVERYTHING, crossed, (), 0.5),
        Case("node", ("node.pcap",), crossed),
        Case("client", ("pod0.pcap",), crossed),
        Case("server", ("server0.pcap",), allowed=crossed),
    ]


@incident("keepalive-long", None, "twin of keepalive-race: the server keeps connections that rest")
def keepalive_long(lab: Lab) -> list[Case]:
    """The same requests at the same times over the same path."""
    _run(lab, None)
    return nothing_wrong()


@incident(
    "jitter", None, "look-alike of queues and stalls: each frame of the path is late by another 1 to 40 ms"
)
def jitter(lab: Lab) -> list[Case]:
    """A wireless or shared path: late by chance, and nothing is lost."""
    _run(lab, None, delay_s=0.001, jitter_s=0.04)
    return nothing_wrong()
