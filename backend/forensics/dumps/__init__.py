"""What a parsed kernel dump is: typed records, each with the 1-based line it came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from backend.forensics.dumps.activity import PacketProcess, StackSamples, SystemCall
from backend.forensics.dumps.conntrack import (
    CONNTRACK_DTYPE,
    ConntrackEntry,
    ConntrackTable,
    ConntrackTuple,
)
from backend.forensics.dumps.ipvs import (
    IPVS_CONNECTION_DTYPE,
    IpvsConnection,
    IpvsConnectionTable,
    IpvsTimeouts,
    IpvsTraffic,
    RealServer,
    VirtualService,
)
from backend.forensics.dumps.listed import (
    BridgePort,
    BridgeVlan,
    CardSetting,
    ClientStep,
    DropEvent,
    ForwardingEntry,
    HistogramBucket,
    KernelModule,
    LinkCounters,
    LogMessage,
    MetricValue,
    PathHop,
    PolicyRule,
    Route,
)
from backend.forensics.dumps.named import AddressName, NameSort
from backend.forensics.dumps.printed import PrintedTable
from backend.forensics.dumps.probes import PROBE_DTYPE, Probe, ProbeKind, ProbeSeries, ProbeTable
from backend.forensics.dumps.records import (
    ClusterNode,
    ComponentVersion,
    CounterRow,
    FilterRule,
    Interface,
    InterfaceAddress,
    KernelMessage,
    KernelVersion,
    ListenSocket,
    LoadFigure,
    LoadReport,
    NatRule,
    Neighbor,
    OffloadFeature,
    Setting,
    TcpSocket,
)

__all__ = [
    "CONNTRACK_DTYPE", "IPVS_CONNECTION_DTYPE", "PROBE_DTYPE", "AddressName", "BridgePort", "BridgeVlan",
    "CapturedAtBasis", "CardSetting", "ClientStep", "ClusterNode", "ComponentVersion", "ConntrackEntry",
    "ConntrackTable", "ConntrackTuple", "CounterRow", "DropEvent", "Dump", "FilterRule", "ForwardingEntry",
    "HistogramBucket", "Interface", "InterfaceAddress", "IpvsConnection", "IpvsConnectionTable", "IpvsTimeouts",
    "IpvsTraffic",
    "KernelMessage", "KernelModule", "KernelVersion", "LinkCounters", "ListenSocket", "LoadFigure", "LoadReport",
    "LogMessage", "MetricValue", "NameSort", "NatRule", "Neighbor", "OffloadFeature", "PacketProcess", "PathHop",
    "PolicyRule", "PrintedTable", "Probe", "ProbeKind", "ProbeSeries", "ProbeTable", "RealServer", "Route", "Setting",
    "StackSamples", "SystemCall", "TcpSocket", "VirtualService",
]  # fmt: skip

CapturedAtBasis = Literal["text", "given", "counters", "unknown"]


@dataclass(frozen=True)
class Dump:
    """One dump text, parsed. A pasted text with several dumps gives several of these."""

    kind: str
    """``conntrack-list``, ``conntrack-events``, ``conntrack-stats``, ``conntrack-count``, ``ipvs-services``,
    ``ipvs-connections``, ``ipvs-stats``, ``ipvs-timeouts``, ``sysctl``, ``nstat``, ``softnet-stat``, ``interrupts``,
    ``ss-listen``, ``ss-summary``, ``ss-sockets``, ``iptables-save``, ``nft-ruleset``, ``ip-link``, ``ip-addr``,
    ``ip-neigh``, ``ip-route``,
    ``offload``, ``uname``, ``kernel-log``, ``load-report``, ``hping3``, ``ping``, ``dig``, ``curl``,
    ``packet-processes``, ``strace``, ``collapsed-stacks``, ``cpu-stat``, ``ethtool-stats``,
    ``kubernetes-versions``, ``tcpdump-text``, ``iptables-list``, ``ip-rule``, ``bridge``, ``ethtool-card``, ``lsmod``,
    ``tc-qdisc``, ``ifconfig``, ``interface-table``, ``ovs-flows``,
    ``path-hops``, ``drops``, ``histogram``, ``component-log``, ``metrics``, ``client-steps``,
    ``kubernetes-objects``, ``container-inspect``, ``kubernetes-addresses``, ``hosts``, ``tls-key-log``, and
    ``text`` of one of which no line is recognized."""
    lines: int
    lines_not_understood: tuple[int, ...]
    """1-based numbers of the lines nobody understood: counted and shown, never dropped in silence."""
    captured_at_ns: int | None = None
    captured_at_basis: CapturedAtBasis = "unknown"
    host: str = ""
    """The machine that a shell prompt or ``uname -a`` in the text names, else ""."""
    subject: str = ""
    """Which of several things of the host its counters belong to: the control group of a ``cpu.stat``, by its path or
    by its place among those of one text; "" where there is one only."""
    entries: ConntrackTable = field(default_factory=ConntrackTable)
    counters: tuple[CounterRow, ...] = ()
    """Values that only grow while the machine runs."""
    gauges: tuple[CounterRow, ...] = ()
    """Sizes and rates, which also fall: entries in a table, sockets in a state, connections per second."""
    nat_rules: tuple[NatRule, ...] = ()
    filter_rules: tuple[FilterRule, ...] = ()
    interfaces: tuple[Interface, ...] = ()
    addresses: tuple[InterfaceAddress, ...] = ()
    neighbors: tuple[Neighbor, ...] = ()
    offloads: tuple[OffloadFeature, ...] = ()
    kernel: KernelVersion | None = None
    component_versions: tuple[ComponentVersion, ...] = ()
    cluster_nodes: tuple[ClusterNode, ...] = ()
    settings: tuple[Setting, ...] = ()
    services: tuple[VirtualService, ...] = ()
    ipvs_connections: IpvsConnectionTable = field(default_factory=IpvsConnectionTable)
    ipvs_timeouts: IpvsTimeouts | None = None
    listen_sockets: tuple[ListenSocket, ...] = ()
    tcp_sockets: tuple[TcpSocket, ...] = ()
    messages: tuple[KernelMessage, ...] = ()
    load: LoadReport | None = None
    probes: ProbeTable = field(default_factory=ProbeTable)
    """Round trips that a tool printed, each of one of the `probe_series`."""
    probe_series: tuple[ProbeSeries, ...] = ()
    printed: PrintedTable = field(default_factory=PrintedTable)
    """Packets that a tool printed, each a frame of a capture that was rebuilt from the text."""
    wrong_tunnel_checksums: tuple[int, ...] = ()
    """Lines (1-based) of printed packets whose outer UDP checksum, around VXLAN or Geneve, tcpdump calls wrong."""
    mixed_tunnel_checksums: tuple[int, ...] = ()
    """Those of them whose sender also sends such packets with a right one."""
    packet_processes: tuple[PacketProcess, ...] = ()
    system_calls: tuple[SystemCall, ...] = ()
    routes: tuple[Route, ...] = ()
    policy_rules: tuple[PolicyRule, ...] = ()
    forwarding: tuple[ForwardingEntry, ...] = ()
    bridge_ports: tuple[BridgePort, ...] = ()
    bridge_vlans: tuple[BridgeVlan, ...] = ()
    card_settings: tuple[CardSetting, ...] = ()
    modules: tuple[KernelModule, ...] = ()
    link_counters: tuple[LinkCounters, ...] = ()
    hops: tuple[PathHop, ...] = ()
    drops: tuple[DropEvent, ...] = ()
    histograms: tuple[HistogramBucket, ...] = ()
    log_messages: tuple[LogMessage, ...] = ()
    metrics: tuple[MetricValue, ...] = ()
    client_steps: tuple[ClientStep, ...] = ()
    stacks: tuple[StackSamples, ...] = ()
    address_names: tuple[AddressName, ...] = ()
    holds_credentials: bool = False
    """Whether it states keys, or values of environment variables or arguments that may be keys."""
    warnings: tuple[str, ...] = field(default=())
