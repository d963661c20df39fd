"""Packets lost at random by a router between node and servers, that nobody captures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workers.tests.lab.hosts import counted, rule
from workers.tests.lab.incident import EVERYTHING, Case, Lab, incident, nothing_wrong
from workers.tests.lab.programs import Request, make_calls

if TYPE_CHECKING:
    from workers.tests.lab.star import Star

CONNECTIONS = 140
OVER_S = 4


def _run(lab: Lab, lossy: tuple[str, ...]) -> Star:
    star = lab.star(pods=lab.random.randint(2, 3))
    star.serve()
    per_mille = lab.random.randint(25, 50)
    for inward in lossy:
        rule(star.router, inward, f"iifname {inward} numgen random mod 1000 < {per_mille}", "drop")
    sizes = [400, lab.random.randrange(8, 30) * 1000]
    with lab.recorded(star):
        requests = [Request(f"/bytes/{size}") for size in sizes] + [Request("/up/9", upload_bytes=sizes[1])]
        lab.calls = make_calls(star.calls(CONNECTIONS, OVER_S, requests))
    lab.truth |= {
        "dropped_per_mille": per_mille,
        "dropped": {inward: counted(star.router, inward) for inward in lossy},
    }
    lab.truth["data_retransmissions"] = sum(call.data_retransmissions for call in lab.calls)
    return star


@incident(
    "loss-both", "path-loss", "the router drops 2.5 to 5 % of all packets in both directions", short=True
)
def loss_both(lab: Lab) -> list[Case]:
    """Random loss, both ways: by chance, more time may be lost to SYN-ACKs than to the rest."""
    _run(lab, ("in", "lan"))
    loss, syns = ("path-loss", "return-path-loss"), lab.delayed_bounds()
    return [
        Case("all", EVERYTHING, loss, findings=syns, named=("path-loss",)),
        Case("two-ends", ("*.pcap",), loss, findings=syns, named=("path-loss",)),
        Case("client", ("pod0.pcap",), allowed=("path-loss", "return-path-loss")),
        Case("server", ("server0.pcap",), allowed=("path-loss", "return-path-loss")),
    ]


@incident("loss-to-server", "path-loss", "the router drops 2.5 to 5 % of what goes to the servers")
def loss_to_server(lab: Lab) -> list[Case]:
    """Random loss on the way there."""
    _run(lab, ("in",))
    return [
        Case("all", EVERYTHING, ("path-loss",), (), 0.6, lab.delayed_bounds()),
        Case("client", ("pod0.pcap",), allowed=("path-loss", "return-path-loss")),
        Case("server", ("server0.pcap",), allowed=("path-loss",)),
    ]


@incident("loss-to-client", "return-path-loss", "the router drops 2.5 to 5 % of what comes from the servers")
def loss_to_client(lab: Lab) -> list[Case]:
    """Random loss on the way back. Data lost that way is loss on the path, and may be called so."""
    _run(lab, ("lan",))
    both = ("path-loss", "return-path-loss")
    return [
        Case("all", EVERYTHING, both, (), 0.6, lab.delayed_bounds()),
        Case("client", ("pod0.pcap",), allowed=both),
        Case("server", ("server0.pcap",), allowed=both),
    ]


@incident("loss-none", None, "twin of loss-both: the same load, nothing dropped")
def loss_none(lab: Lab) -> list[Case]:
    """The same load on a path without loss."""
    _run(lab, ())
    return nothing_wrong()
