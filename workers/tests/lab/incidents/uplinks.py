"""A node with two uplinks and policy routing: which one a connection takes depends on its ports."""

from __future__ import annotations

from workers.tests.lab.hosts import connect
from workers.tests.lab.incident import Case, Lab, each_share, incident, nothing_wrong
from workers.tests.lab.programs import Request, make_calls
from workers.tests.lab.recording import VantagePoint, recorded

FILES = ("pod0.pcap", "uplink0.pcap", "uplink1.pcap", "server0.pcap")
LOW_PORTS = "32768-46500"


@incident(
    "two-uplinks",
    None,
    "healthy: policy routing sends some connections by another uplink than their answers",
)
def two_uplinks(lab: Lab) -> list[Case]:
    """Captures of both uplinks, a file each; neither holds all SYNs, and one holds every SYN-ACK."""
    star = lab.star(masquerade=None)
    star.serve()
    second = f"10.{lab.random.randrange(200, 250)}.{lab.random.randrange(250)}"
    connect(star.node, "eth1", star.router, "in2")
    star.router.ip(f"addr add {second}.1/24 dev in2")
    star.node.ip(
        f"addr add {second}.2/24 dev eth1",
        f"route add default via {second}.1 dev eth1 table 100",
        f"rule add iif cni0 ipproto tcp sport {LOW_PORTS} lookup 100",
    )
    points = (
        VantagePoint(star.pods[0], "eth0", "pod0.pcap"),
        VantagePoint(star.node, "eth0", "uplink0.pcap"),
        VantagePoint(star.node, "eth1", "uplink1.pcap"),
        VantagePoint(star.servers[0], star.uplink, "server0.pcap"),
    )
    requests = [Request("/bytes/400"), Request("/bytes/9000"), Request("/up/9", upload_bytes=9000)]
    with recorded(lab.folder, points, star.listed) as lab.recording:
        lab.calls = make_calls(star.calls(120, 5, requests))
    return [*nothing_wrong(("all", ("*.pcap", "*.txt"))), *each_share(FILES, ())]
