"""A node that forgets silent connections, and drops what it then does not know."""

from __future__ import annotations

from dataclasses import replace

from workers.tests.lab.incident import EVERYTHING, Case, Lab, incident, nothing_wrong
from workers.tests.lab.programs import Request, make_calls

FORGETS_AFTER_S = 6
ANSWER_WITHIN_S = 5


def _run(lab: Lab, silence_s: float) -> None:
    star = lab.star()
    star.serve()
    star.node.sysctl(
        netfilter__nf_conntrack_tcp_loose=0, netfilter__nf_conntrack_tcp_timeout_established=FORGETS_AFTER_S
    )
    star.node.run("iptables", *["-A", "FORWARD", "-m", "conntrack", "--ctstate", "INVALID", "-j", "DROP"])
    short = star.calls(30, 8, [Request(), Request(silence_s=1)])
    rest = [Request(), Request(silence_s=1.5), Request(silence_s=silence_s)]
    long = [replace(call, timeout_s=ANSWER_WITHIN_S) for call in star.calls(6, 1, rest)]
    with lab.recorded(star):
        lab.calls = make_calls([*short, *long])
    lab.truth |= {"silence_s": silence_s, "forgets_after_s": FORGETS_AFTER_S}


@incident(
    "idle-timeout", "idle-timeout", "the node forgets a connection after 6 s of silence and drops its data"
)
def idle_timeout(lab: Lab) -> list[Case]:
    """The conntrack entry expires; tcp_loose = 0 and a rule for INVALID do the rest."""
    _run(lab, FORGETS_AFTER_S + lab.random.uniform(2, 4))
    silent = ("idle-timeout",)
    return [
        Case("all", EVERYTHING, silent, ("conntrack-invalid",), 0.5),
        Case("client", ("pod0.pcap",), allowed=silent),
        Case("server", ("server0.pcap",), allowed=silent),
    ]


@incident("idle-kept", None, "twin of idle-timeout: the silence is shorter than the node's memory")
def idle_kept(lab: Lab) -> list[Case]:
    """Every connection works after its silence."""
    _run(lab, FORGETS_AFTER_S - lab.random.uniform(2, 3))
    return nothing_wrong(("all", EVERYTHING), ("client", ("pod0.pcap",)))
