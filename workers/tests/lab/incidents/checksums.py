"""Checksums that nobody fills in, and an overlay whose outer checksum is damaged."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from workers.tests.lab.hosts import Host, counted
from workers.tests.lab.incident import EVERYTHING, Case, Lab, incident, nothing_wrong
from workers.tests.lab.programs import Request, WebServer, make_calls
from workers.tests.lab.wire import carry, compute_checksums, wire_of_pod, wire_of_server

if TYPE_CHECKING:
    from workers.tests.lab.star import Star

TIMEOUT_S = 5.5
VXLAN_PORT = 4789
OVER = "-t nat -A POSTROUTING -o vxlan.1 -j MASQUERADE --random-fully"


def _pod_behind_a_program(lab: Lab, offload: str) -> None:
    """The last pod's frames pass a program that copies them as they are."""
    star = lab.star(pods=3, masquerade=None)
    star.serve()
    compute_checksums(star.ends)
    star.pods[-1].run("ethtool", "-K", "eth0", "tx", offload)
    carry(wire_of_pod(star, len(star.pods) - 1))
    calls = [replace(call, timeout_s=TIMEOUT_S) for call in star.calls(60, 5)]
    with lab.recorded(star):
        lab.calls = make_calls(calls)
    errors = lab.recording.nstat["server0"].get("TcpInCsumErrors", 0)
    lab.truth |= {"affected": star.pod_addresses[-1], "checksum_errors_at_the_server": errors}


@incident(
    "checksums-unfilled",
    "inner-checksum-drop",
    "a pod leaves checksums to its card, and the program that carries its frames does not fill them in",
)
def checksums_unfilled(lab: Lab) -> list[Case]:
    """Every segment of that pod has the sum over the pseudo header alone: the server's kernel drops it."""
    _pod_behind_a_program(lab, "on")
    wanted = ("inner-checksum-drop", "receiver-drop")  # why, and where
    return [
        Case("all", EVERYTHING, wanted, (), 0.6, lab.delayed_bounds()),
        Case("client", ("pod0.pcap",)),
    ]


@incident("checksums-filled", None, "twin of checksums-unfilled: the pod's kernel computes its checksums")
def checksums_filled(lab: Lab) -> list[Case]:
    """The same program, the same calls."""
    _pod_behind_a_program(lab, "off")
    return nothing_wrong()


def _calls_to_servers(lab: Lab, flips_every: int) -> None:
    """The last cable before the first server flips bits, or all leave their checksums to their cards."""
    star = lab.star()
    star.serve()
    if flips_every:
        compute_checksums(star.ends)
        carry(wire_of_server(star, 0), seed=lab.random.randrange(1000), flips_every=flips_every)
    calls = [replace(call, timeout_s=TIMEOUT_S) for call in star.calls(60, 5)]
    with lab.recorded(star):
        lab.calls = make_calls(calls)
    errors = lab.recording.nstat["server0"].get("TcpInCsumErrors", 0)
    lab.truth |= {"checksum_errors_at_the_server": errors}


@incident(
    "checksums-damaged",
    "inner-checksum-drop",
    "the cable to the first server flips a bit of one TCP segment with data in six",
)
def checksums_damaged(lab: Lab) -> list[Case]:
    """Wrong at the server's capture alone: its kernel drops them, and their senders repeat them."""
    _calls_to_servers(lab, 6)
    wanted = ("inner-checksum-drop", "receiver-drop")
    return [
        Case("all", EVERYTHING, wanted, (), 0.6, lab.delayed_bounds()),
        Case("captures", ("pod0.pcap", "node.pcap", "server0.pcap"), wanted, ("path-loss",), 0.5),
        Case("client", ("pod0.pcap",), allowed=("path-loss",)),
    ]


@incident(
    "checksums-offloaded", None, "twin of checksums-damaged: all hosts leave their checksums to their cards"
)
def checksums_offloaded(lab: Lab) -> list[Case]:
    """Every segment has the sum over the pseudo header alone, and nothing is damaged."""
    _calls_to_servers(lab, 0)
    return nothing_wrong()


def _overlay(star: Star) -> tuple[str, str]:
    """A VXLAN between the node and the first server's host; their addresses in it, the server's last."""
    ends = (star.node, star.node_address, "eth0"), (star.servers[0], star.server_addresses[0], star.uplink)
    inner = f"10.42.{star.random.randrange(250)}"
    for number, (host, own, device) in enumerate(ends):
        _, remote, _ = ends[1 - number]
        host.ip(
            f"link add vxlan.1 type vxlan id 1 local {own} remote {remote} dstport {VXLAN_PORT} dev {device} udpcsum",
            f"addr add {inner}.{number + 1}/24 dev vxlan.1",
            "link set vxlan.1 up",
        )
        for name in ("vxlan.1", device):  # else no checksum is filled in, and none is looked at
            host.run("ethtool", "-K", name, "tx", "off")
    return f"{inner}.1", f"{inner}.2"


def _damage(router: Host, server: str) -> None:
    """What a card does that fills in the checksum of a packet which was translated twice."""
    match = f"ip daddr {server} udp dport {VXLAN_PORT} numgen random mod 4 == 1"
    router.nft(
        "add table ip lab",
        "add counter ip lab damaged",
        "add chain ip lab damaged { type filter hook forward priority 0 ; }",
        f"add rule ip lab damaged {match} @th,48,16 set 0x1234 counter name damaged",
    )


def _through_overlay(lab: Lab, damaged: bool) -> None:
    star = lab.star()
    compute_checksums(star.ends)
    own, address = _overlay(star)
    star.node.run("iptables", *OVER.split())
    WebServer(star.servers[0], star.port).start()
    if damaged:
        _damage(star.router, star.server_addresses[0])
    calls = [
        replace(call, address=address, requests=(Request(),) * 2, timeout_s=15) for call in star.calls(90, 6)
    ]
    with lab.recorded(star):
        lab.calls = make_calls(calls)
    errors = lab.recording.nstat["server0"].get("UdpInCsumErrors", 0)
    lab.truth |= {"overlay": [own, address], "checksum_errors_at_the_server": errors}
    lab.truth["damaged"] = counted(star.router, "damaged") if damaged else 0


@incident(
    "overlay-bad-checksum",
    "overlay-bad-checksum",
    "the outer UDP checksum of one VXLAN packet in four to the server's host is wrong",
)
def overlay_bad_checksum(lab: Lab) -> list[Case]:
    """The host drops them before it unpacks them."""
    _through_overlay(lab, damaged=True)
    wanted = ("overlay-bad-checksum",)
    lost = (*wanted, "path-loss", "return-path-loss", "receiver-drop")
    return [
        Case("all", EVERYTHING, wanted, (), 0.5, lab.delayed_bounds()),
        Case("client", ("pod0.pcap",), allowed=lost),
        Case("server", ("server0.pcap",), allowed=lost),
    ]


@incident("overlay-right-checksum", None, "twin of overlay-bad-checksum: the same VXLAN, nothing damaged")
def overlay_right_checksum(lab: Lab) -> list[Case]:
    """Outer checksums are computed by the kernel and right."""
    _through_overlay(lab, damaged=False)
    return nothing_wrong()
