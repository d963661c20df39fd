"""A server that answers some requests late."""

from __future__ import annotations

from dataclasses import replace

from workers.tests.lab.incident import EVERYTHING, Case, Lab, incident
from workers.tests.lab.programs import Request, make_calls


@incident(
    "slow-server", "slow-server", "one request in twelve of the same kind is answered after 0.7 to 1.5 s"
)
def slow_server(lab: Lab) -> list[Case]:
    """The program sleeps before some of its answers; the network is well."""
    star = lab.star()
    star.serve()
    late = lab.random.randrange(700, 1500)
    calls = []
    for index, call in enumerate(star.calls(96, 5)):
        waits = late if index % 12 == 5 else lab.random.randrange(2, 9)
        calls.append(replace(call, requests=(Request(f"/slow/{waits:04}/300"),)))
    with lab.recorded(star):
        lab.calls = make_calls(calls)
    lab.truth |= {
        "late_ms": late,
        "late_requests": sum(max(call.request_ms, default=0) >= late for call in lab.calls),
    }
    slow = ("slow-server",)
    none = {"syn-retransmission": (0, 0)}
    return [
        Case("all", EVERYTHING, slow, (), 0, none),
        Case("client", ("pod0.pcap",), allowed=slow, findings=none),
        Case("server", ("server0.pcap",), allowed=slow, findings=none),
    ]
