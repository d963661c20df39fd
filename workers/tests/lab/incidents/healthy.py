"""Nothing is wrong, or something harmless looks as if it were."""

from __future__ import annotations

from workers.tests.lab.incident import EVERYTHING, Case, Lab, incident, nothing_wrong
from workers.tests.lab.programs import Call, Request, make_calls

SCANNED_PORTS = 60


@incident("healthy", None, "pods fetch pages through a node that masquerades", short=True)
def healthy(lab: Lab) -> list[Case]:
    """Plain traffic to several servers."""
    star = lab.star(pods=lab.random.randint(2, 4), servers=lab.random.randint(1, 3))
    star.serve()
    with lab.recorded(star):
        lab.calls = make_calls(star.calls(120, 3, [Request(f"/bytes/{lab.random.randrange(100, 9000)}")] * 3))
    return nothing_wrong()


@incident(
    "scan", None, "look-alike of a full queue or a filter: one pod asks many closed ports, each refused"
)
def scan(lab: Lab) -> list[Case]:
    """A port scan, answered by RST each time; the service itself works."""
    star = lab.star()
    star.serve()
    ports = lab.random.sample(range(1000, 9000), SCANNED_PORTS)
    probes = [
        Call(lab.random.uniform(0, 2), star.pods[0], star.server_addresses[0], port, ())
        for port in ports
        if port != star.port
    ]
    with lab.recorded(star):
        lab.calls = make_calls([*probes, *star.calls(40, 2)])
    return nothing_wrong()


@incident(
    "closed-port", None, "look-alike of a filter: the service of one server does not run, so it refuses"
)
def closed_port(lab: Lab) -> list[Case]:
    """One of two servers has no listener: RST at once."""
    star = lab.star(servers=2)
    servers = star.serve_on(star.servers[:1])
    with lab.recorded(star):
        lab.calls = make_calls(star.calls(80, 3))
    lab.truth["accepted"] = {server.host.name: len(server.accepted) for server in servers}
    return nothing_wrong()


@incident("slow-application", None, "look-alike of a stall: every answer of a kind takes the same long time")
def slow_application(lab: Lab) -> list[Case]:
    """An application that needs half a second for each request, always."""
    star = lab.star()
    star.serve()
    needs_ms = lab.random.randrange(300, 700)
    with lab.recorded(star):
        lab.calls = make_calls(star.calls(60, 3, [Request(f"/slow/{needs_ms}/300")] * 2))
    lab.truth["needs_ms"] = needs_ms
    return [
        Case("all", EVERYTHING, allowed=("slow-server",), findings={"syn-retransmission": (0, 0)}),
        Case("client", ("pod0.pcap",), allowed=("slow-server",), findings={"syn-retransmission": (0, 0)}),
    ]
