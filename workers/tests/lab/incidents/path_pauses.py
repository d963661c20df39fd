"""A device of the path that stops for a moment, as a virtual switch or a router without CPU time does."""

from __future__ import annotations

from dataclasses import replace

from workers.tests.lab.incident import EVERYTHING, Case, Lab, incident
from workers.tests.lab.programs import Request, make_calls
from workers.tests.lab.wire import Pauses, carry, compute_checksums, wire_of_server

CALLS = 120
OVER_S = 9.0


@incident(
    "path-pauses",
    None,
    "look-alike of a stalled receive queue: a device of the path stops for up to 400 ms, in both directions",
)
def path_pauses(lab: Lab) -> list[Case]:
    """Neither host stands still: what was under way in both directions is late, and arrives together."""
    star = lab.star(pods=3)
    star.serve()
    compute_checksums(star.ends)
    delay_s = lab.random.choice((0.0, 0.002, 0.01, 0.025))
    pauses = Pauses(every_s=1.0, longest_s=lab.random.choice((0.12, 0.18, 0.4)))
    carry(wire_of_server(star, 0), delay_s, seed=lab.random.randrange(1 << 30), pauses=pauses)
    three = tuple(replace(Request(), silence_s=lab.random.uniform(0, 0.2)) for _ in range(3))
    with lab.recorded(star):
        lab.calls = make_calls(star.calls(CALLS, OVER_S, three))
    lab.truth |= {"delay_ms": delay_s * 1e3, "longest_pause_ms": pauses.longest_s * 1e3}
    return [
        Case("all", EVERYTHING),
        Case("client", ("pod0.pcap",)),
        Case("node", ("node.pcap",)),
        Case("server", ("server0.pcap",)),
        Case("both-ends", ("pod0.pcap", "server0.pcap")),
    ]
