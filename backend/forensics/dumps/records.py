"""Records of the smaller dumps: counters, settings, rules, interfaces, sockets, messages, load reports."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class CounterRow:
    """One line of counters: a CPU of ``conntrack -S``, a name of ``nstat``, a total of ``/proc/net/ip_vs_stats``.

    Names are those of the kernel whatever tool printed them: ``TcpExtListenOverflows`` from ``nstat``,
    ``netstat -s`` and ``/proc/net/netstat`` alike.
    """

    line: int
    cpu: int | None
    """None for a value of the whole machine."""
    counters: dict[str, int]


@dataclass(frozen=True)
class Setting:
    """A line of ``sysctl``; the key with dots, ``net.ipv4.vs.conn_reuse_mode``."""

    line: int
    key: str
    value: str
    """As printed, blanks between several values made one."""


@dataclass(frozen=True)
class NatRule:
    """A rule of a nat table that rewrites addresses."""

    line: int
    text: str
    """The rule as dumped, without packet counters."""
    chain: str
    target: str
    """``MASQUERADE``, ``SNAT``, ``DNAT``, ``REDIRECT``, …"""
    fully_random: bool
    random: bool
    port_range: tuple[int, int] | None
    """``--to-ports`` or the ports of ``--to-source``."""
    syntax: Literal["iptables", "nft"] = "iptables"


@dataclass(frozen=True)
class FilterRule:
    """Every other rule of any table: it passes, drops, marks, jumps."""

    line: int
    text: str
    """The rule as dumped, without packet counters."""
    table: str
    chain: str
    verdict: str
    """``ACCEPT``, ``DROP``, ``REJECT``, ``NOTRACK``, …, the name of the chain it jumps to, or "" for none."""
    packets: int | None = None
    bytes: int | None = None
    syntax: Literal["iptables", "nft", "openflow"] = "iptables"


@dataclass(frozen=True)
class Interface:
    """A network interface of ``ip link`` or ``ip addr``; with ``-d`` its kind and what belongs to a tunnel."""

    line: int
    index: int
    name: str
    master: str
    """The bridge that it belongs to, or ""."""
    kind: str
    """``veth`` when it has a peer in another namespace, ``loopback``, ``vxlan``, ``bridge``, … or ""."""
    mtu_bytes: int | None = None
    vxlan_id: int | None = None
    vxlan_port: int | None = None
    """UDP destination port, 8472 by Linux habit, 4789 by RFC 7348."""
    vxlan_udp_checksum: bool | None = None
    """Whether the outer UDP checksum is computed (``udpcsum``); None when not shown."""
    detail_line: int | None = None
    """The line that shows the tunnel."""
    link_address: str = ""
    """``link/ether``, "" where none is shown."""


@dataclass(frozen=True)
class InterfaceAddress:
    """An address of ``ip addr``."""

    line: int
    interface: str
    address: str
    prefix_bits: int
    is_duplicate: bool = False
    """``dadfailed``: another host answered for it (RFC 4862 section 5.4), so the kernel does not use it."""


@dataclass(frozen=True)
class Neighbor:
    """An entry of ``ip neigh``: what ARP or NDP found, or failed to find."""

    line: int
    address: str
    interface: str
    link_address: str
    """"" where nobody answered."""
    state: str
    """``REACHABLE``, ``STALE``, ``FAILED``, ``INCOMPLETE``, …"""


@dataclass(frozen=True)
class OffloadFeature:
    """A line of ``ethtool -k``."""

    line: int
    interface: str
    name: str
    """``tx-checksum-ip-generic``, …"""
    enabled: bool
    fixed: bool


@dataclass(frozen=True)
class KernelVersion:
    """From ``uname -a`` or ``uname -r``."""

    line: int
    release: str


@dataclass(frozen=True)
class ComponentVersion:
    """A line of ``kubectl version``, or of ``kube-proxy --version`` and its sisters, which name themselves alike."""

    line: int
    component: str
    """``kubectl``, ``API server``, or ``node`` for what a program of a node says of itself."""
    version: str
    """``v1.29.3``, with what a vendor appends: ``v1.29.1-eks-508b6b3``."""


@dataclass(frozen=True)
class ClusterNode:
    """A row of ``kubectl get nodes``; what only ``-o wide`` shows is "" without it."""

    line: int
    name: str
    status: str
    version: str
    """Of its kubelet: ``v1.29.3``."""
    address: str = ""
    """Inside the cluster."""
    os_image: str = ""
    kernel: str = ""
    """As ``uname -r`` prints it."""
    container_runtime: str = ""
    """``containerd://1.7.2``."""


@dataclass(frozen=True)
class ListenSocket:
    """A listening TCP socket of ``ss -lnt``: its queue against its backlog."""

    line: int
    address: str
    """``*`` when it listens on every address of both families."""
    port: int
    receive_queue: int
    """Connections that wait for accept()."""
    send_queue: int
    """The backlog: how many may wait."""


@dataclass(frozen=True)
class TcpSocket:
    """A socket of ``ss -tin``, with the numbers of its second line."""

    line: int
    state: str
    receive_queue: int
    send_queue: int
    local: str
    local_port: int
    peer: str
    peer_port: int
    metrics: dict[str, float] = field(default_factory=dict)
    """``rto`` and ``rtt`` in ms, ``cwnd`` in segments, ``retrans`` (now) and ``retrans_total``, ``lost``,
    ``unacked``, … as ss names them."""
    words: tuple[str, ...] = ()
    """What has no number: ``ts``, ``sack``, ``cubic``, ``app_limited``."""


@dataclass(frozen=True)
class KernelMessage:
    """A line of ``dmesg`` or of the journal."""

    line: int
    time_s: float | None
    """Since boot, as in ``[  123.456789]``."""
    time_ns: int | None
    """UTC, as in ``dmesg -T`` or a journal."""
    text: str


@dataclass(frozen=True)
class LoadFigure:
    """One number of a load test, with the line it stands in."""

    line: int
    name: str
    value: float
    """In the unit that ends the name: ``total.p99_ms``, ``connect.max_ms``, ``requests``, ``failed.length``."""


@dataclass(frozen=True)
class LoadReport:
    """What a load generator (ab, wrk, hey, vegeta) printed at its end."""

    line: int
    tool: str
    target: str
    """Host and port, or URL; "" when not named."""
    figures: tuple[LoadFigure, ...]

    def figure(self, name: str) -> LoadFigure | None:
        """The number of that name, None when the report does not hold it."""
        return next((figure for figure in self.figures if figure.name == name), None)
