"""A link with a smaller MTU than the hosts', and routers that keep it to themselves."""

from __future__ import annotations

from workers.tests.lab.hosts import counted, rule
from workers.tests.lab.incident import EVERYTHING, Case, Lab, incident, nothing_wrong
from workers.tests.lab.programs import Request, make_calls

TIMEOUT_S = 5
LARGE_CALLS = 8


def _run(lab: Lab, told: bool) -> None:
    """The router's cable to the servers' bridge is narrow; uploads and downloads above it can't pass."""
    star = lab.star()
    star.serve()
    mtu = lab.random.choice((1280, 1340, 1400, 1450))
    star.router.ip(f"route change {star.server_network} dev lan mtu lock {mtu}")
    for prefix in (star.pod_network, star.node_network):
        star.router.ip(
            f"route replace {prefix} {_way(star.router.run('ip', 'route', 'show', prefix))} mtu lock {mtu}"
        )
    if not told:
        rule(star.router, "untold", "icmp type destination-unreachable icmp code 4", "drop", hook="output")
    small = star.calls(40, 5, [Request("/bytes/300")])
    large = Request("/bytes/9000"), Request("/up/9", upload_bytes=9000)
    calls = [star.calls(1, 4, [large[index % 2]])[0] for index in range(LARGE_CALLS)]
    with lab.recorded(star):
        lab.calls = make_calls([*small, *calls])
    lab.truth["mtu"] = mtu
    if not told:
        lab.truth["icmp_dropped"] = counted(star.router, "untold")


def _way(route: str) -> str:
    """`via …` and `dev …` of a listed route."""
    words = route.split()
    ways = [f"{word} {words[words.index(word) + 1]}" for word in ("via", "dev") if word in words]
    return " ".join(ways)


@incident("path-mtu", "path-mtu", "a narrow link between routers; fragmentation-needed is dropped")
def path_mtu(lab: Lab) -> list[Case]:
    """Small answers pass, large ones hang, both ways."""
    _run(lab, told=False)
    hole = ("path-mtu",)
    return [
        Case("all", EVERYTHING, hole, (), 0.6, {"syn-retransmission": (0, 0)}),
        Case("client", ("pod0.pcap",), allowed=hole),
        Case("server", ("server0.pcap",), allowed=hole),
    ]


@incident("path-mtu-told", None, "twin of path-mtu: the ICMP errors pass, so senders learn at once")
def path_mtu_told(lab: Lab) -> list[Case]:
    """One segment is repeated at once in a smaller size."""
    _run(lab, told=True)
    return nothing_wrong()
