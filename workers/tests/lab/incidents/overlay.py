"""Two nodes, VXLAN between them, and a routed underlay that loses packets.

The VLAN tags of the underlay are written into its captures: kernels of small virtual machines lack 802.1Q."""

from __future__ import annotations

from workers.tests.lab.hosts import Host, add_host, connect, counted, rule
from workers.tests.lab.incident import EVERYTHING, Case, Lab, each_share, incident, nothing_wrong
from workers.tests.lab.pcap_edits import tag
from workers.tests.lab.programs import Call, Request, WebServer, make_calls
from workers.tests.lab.recording import HOST_COMMANDS, NODE_COMMANDS, Listed, VantagePoint, recorded

LOSS = ("path-loss", "return-path-loss")
FILES = ("pod.pcap", "bridge.pcap", "underlay.pcap", "far-underlay.pcap", "far-pod.pcap")
CONNECTIONS = 140
OVER_S = 5
VXLAN_PORT = 8472


def _node(lab: Lab, number: int, router: Host) -> tuple[Host, Host]:
    """(node, its pod); the pods' network is 10.244.0.0/16, a /24 a node."""
    node = add_host(f"node{number}", f"node-{lab.random.randrange(90)}-{number}")
    pod = add_host(f"pod{number}", f"pod-{number}")
    connect(node, "eth0", router, f"in{number}")
    node.ip(f"addr add 10.{number}.0.2/24 dev eth0")
    router.ip(f"addr add 10.{number}.0.1/24 dev in{number}")
    connect(pod, "eth0", node, "veth0")
    other = 3 - number
    node.ip(
        f"route add default via 10.{number}.0.1",
        "link add cni0 type bridge",
        "link set cni0 up",
        "link set veth0 master cni0",
        f"addr add 10.244.{number}.1/24 dev cni0",
        f"link add flannel.1 type vxlan id 1 dev eth0 local 10.{number}.0.2 remote 10.{other}.0.2 "
        f"dstport {VXLAN_PORT}",
        "link set flannel.1 mtu 1400 up",
        f"addr add 10.244.255.{number}/24 dev flannel.1",
        f"route add 10.244.{other}.0/24 via 10.244.255.{other}",
    )
    pod.ip(f"addr add 10.244.{number}.2/24 dev eth0", f"route add default via 10.244.{number}.1")
    node.sysctl(ipv4__ip_forward=1, ipv4__conf__all__rp_filter=0)
    pod.ip("link set eth0 mtu 1400")
    return node, pod


def _run(lab: Lab, *, lossy: bool) -> list[Case]:
    router = add_host("router", "router")
    router.sysctl(ipv4__ip_forward=1, ipv4__conf__all__rp_filter=0)
    (near, pod), (far, far_pod) = (_node(lab, number, router) for number in (1, 2))
    port = lab.random.choice((80, 8080, 5432))
    WebServer(far_pod, port).start()
    if lossy:
        per_mille = lab.random.randint(25, 45)
        rule(router, "lost", f"udp dport {VXLAN_PORT} numgen random mod 1000 < {per_mille}", "drop")
    points = (
        VantagePoint(pod, "eth0", "pod.pcap"),
        VantagePoint(near, "cni0", "bridge.pcap"),
        VantagePoint(near, "eth0", "underlay.pcap"),
        VantagePoint(far, "eth0", "far-underlay.pcap"),
        VantagePoint(far_pod, "eth0", "far-pod.pcap"),
    )
    requests = (Request("/bytes/400"), Request("/bytes/15000"), Request("/up/9", upload_bytes=15000))
    calls = [
        Call(lab.random.uniform(0, OVER_S), pod, "10.244.2.2", port, requests) for _ in range(CONNECTIONS)
    ]
    listed = (Listed(near, NODE_COMMANDS), Listed(far, NODE_COMMANDS), Listed(far_pod, HOST_COMMANDS))
    with recorded(lab.folder, points, listed) as lab.recording:
        lab.calls = make_calls(calls)
    for name in ("underlay.pcap", "far-underlay.pcap"):
        tag(lab.folder / name, lab.random.randrange(100, 4000))
    if not lossy:
        return [*nothing_wrong(), *each_share(FILES, ())]
    lab.truth["dropped"] = counted(router, "lost")
    return [Case("all", EVERYTHING, LOSS, findings=lab.delayed_bounds()), *each_share(FILES, LOSS)]


@incident("overlay-loss", "path-loss", "VXLAN over a VLAN: the underlay's router drops 2.5 to 4.5 %")
def overlay_loss(lab: Lab) -> list[Case]:
    """Captured inside and outside the tunnel, at both nodes."""
    return _run(lab, lossy=True)


@incident("overlay-well", None, "twin of overlay-loss: nothing is lost")
def overlay_well(lab: Lab) -> list[Case]:
    """The same tunnel and calls."""
    return _run(lab, lossy=False)
