"""Records of listings that people paste: routes, rules, bridges, modules, hops, drops, histograms, logs, metrics."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Route:
    """A line of ``ip route``, ``route -n`` or ``ip route get``."""

    line: int
    target: str
    """``default`` or a network; of ``ip route get`` the address that was asked for."""
    kind: str
    """``unicast``, ``blackhole``, ``unreachable``, ``prohibit``, ``local``, …"""
    via: str = ""
    interface: str = ""
    source: str = ""
    asked: bool = False
    """Whether it is the answer of ``ip route get``."""
    refused: str = ""
    """What the kernel answered instead of a route, e.g. ``Network is unreachable``."""


@dataclass(frozen=True)
class PolicyRule:
    """A line of ``ip rule``."""

    line: int
    priority: int
    selector: str
    action: str
    """``lookup main``, ``blackhole``, ``unreachable``, ``prohibit``."""


@dataclass(frozen=True)
class ForwardingEntry:
    """A line of ``bridge fdb``."""

    line: int
    link_address: str
    interface: str
    destination: str
    """The remote tunnel end of a VXLAN entry, or ""."""
    flags: str


@dataclass(frozen=True)
class BridgePort:
    """A port of ``bridge link``."""

    line: int
    interface: str
    master: str
    state: str
    """``forwarding``, ``blocking``, ``disabled``, … or ""."""
    hairpin: bool | None = None
    """None where the listing (without ``-d``) does not show it."""


@dataclass(frozen=True)
class BridgeVlan:
    """A line of ``bridge vlan``."""

    line: int
    interface: str
    vlans: str
    flags: str


@dataclass(frozen=True)
class CardSetting:
    """A line of ``ethtool -i``, ``-l`` or ``-g``."""

    line: int
    interface: str
    name: str
    """``driver``, ``maximum Combined``, ``current RX``, …"""
    value: str


@dataclass(frozen=True)
class LinkCounters:
    """What an interface or one of its queueing disciplines counted since it exists."""

    line: int
    interface: str
    queue: str
    """``fq_codel root``, ``htb parent 1:11`` of ``tc -s qdisc``; "" of the interface itself."""
    sent: int
    """Packets, where counted; else 0."""
    lost: dict[str, int]
    """Packets by what the program calls it: ``dropped``, ``RX errors``, ``TX overruns``; only those above 0."""


@dataclass(frozen=True)
class KernelModule:
    """A line of ``lsmod``."""

    line: int
    name: str
    size_bytes: int
    users: int
    used_by: str


@dataclass(frozen=True)
class PathHop:
    """A hop of ``mtr --report`` or ``traceroute``."""

    line: int
    tool: str
    hop: int
    host: str
    """"" where nobody answered."""
    loss_percent: float | None
    sent: int | None
    best_ms: float | None = None
    average_ms: float | None = None
    worst_ms: float | None = None
    mark: str = ""
    """What traceroute prints of an ICMP error: ``!H``, ``!X``, …"""


@dataclass(frozen=True)
class DropEvent:
    """A packet that a tracer saw freed or dropped, or several with one reason and place."""

    line: int
    tool: str
    """``perf``, ``pwru``, ``dropwatch``, ``bpftrace``, ``inspektor-gadget``, ``hubble``, ``cilium-monitor``,
    ``skbstat``, ``netfilter-log``."""
    reason: str
    """The kernel's or the program's name; "" where it is not shown (kernels before 5.17 have none)."""
    place: str
    """Function, program or node."""
    count: int = 1
    time_ns: int | None = None
    """UTC; of clocks since boot None."""
    protocol: str = ""
    source: str = ""
    source_port: int | None = None
    destination: str = ""
    destination_port: int | None = None
    dropped: bool = True
    """False of a step on the way, or of a flow that was passed on."""
    interface: str = ""
    process: str = ""


@dataclass(frozen=True)
class HistogramBucket:
    """A row of a histogram of bpftrace or bcc."""

    line: int
    name: str
    low: int
    high: int | None
    """Exclusive; None without end."""
    count: int
    unit: str = ""


@dataclass(frozen=True)
class LogMessage:
    """A line that a component of a cluster logged."""

    line: int
    component: str
    """``kube-proxy``, ``flannel``, ``calico``, ``cilium``, ``klog`` where the program does not name itself."""
    level: str
    """``info``, ``warning``, ``error``, ``fatal``, ``debug``."""
    text: str
    place: str = ""
    """Source file and line, where the log names it."""
    time_ns: int | None = None
    """UTC, only where the log shows a date with its year."""


@dataclass(frozen=True)
class MetricValue:
    """A value of a metrics file: of a NAT gateway, a load balancer."""

    line: int
    name: str
    value: float
    time_ns: int | None = None
    subject: str = ""


@dataclass(frozen=True)
class ClientStep:
    """What a client printed of its own connection: ``curl -v``, ``nc -v``, ``telnet``, ``wget``."""

    line: int
    tool: str
    what: str
    """``trying``, ``connected``, ``failed``, ``closed``, ``other``."""
    text: str
    address: str = ""
    port: int | None = None
    after_ms: int | None = None
    """How long it took until then, as the tool says."""
