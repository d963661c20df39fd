"""Listings that name a cause without a capture; the tests of all causes take them apart, too."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from backend.forensics.analyze import analyse_evidence
from backend.forensics.captures import Capture
from backend.forensics.dumps import (
    CounterRow,
    Dump,
    FilterRule,
    Interface,
    InterfaceAddress,
    KernelMessage,
    LogMessage,
    MetricValue,
    Neighbor,
    Setting,
)
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.tests.build_capture import T0_NS, S

NO_LOCAL = (
    '-A KUBE-EXTERNAL-SERVICES -d 192.0.2.10/32 -p tcp -m comment --comment "shop/web:http has no local endpoints" '
    "-m tcp --dport 80 -j DROP"
)
NO_ENDPOINT = (
    '-A KUBE-SERVICES -d 192.0.2.10/32 -p tcp -m comment --comment "shop/web:http has no endpoints" '
    "-m tcp --dport 80 -j REJECT --reject-with icmp-port-unreachable"
)


def rules(*texts_and_packets: tuple[str, int | None], number: int = 1) -> DumpInput:
    """iptables-save, with the counter of each rule; `number` tells listings of one host apart."""
    listed = tuple(
        FilterRule(line, text, "filter", text.split()[1], text.partition("-j ")[2].split()[0], packets)
        for line, (text, packets) in enumerate(texts_and_packets, 1)
    )
    at_ns = T0_NS + number * 60 * S
    return DumpInput(
        f"rules-{number}.txt", "node", Dump("iptables-save", 9, (), at_ns, "text", filter_rules=listed)
    )


def no_local_endpoint() -> Facts:
    """A rule that counts between two listings."""
    return gather_facts([], [rules((NO_LOCAL, 10)), rules((NO_LOCAL, 22), number=2)])


def counters(number: int, **values: int) -> DumpInput:
    """nstat; `number` tells listings of one host apart."""
    rows = tuple(
        CounterRow(line, None, {name: value}) for line, (name, value) in enumerate(values.items(), 1)
    )
    at_ns = T0_NS + number * 60 * S
    return DumpInput(f"nstat-{number}.txt", "node", Dump("nstat", 9, (), at_ns, "text", counters=rows))


def settings(**values: str) -> DumpInput:
    """sysctl; `__` in a name stands for a dot."""
    listed = tuple(
        Setting(n, key.replace("__", "."), value) for n, (key, value) in enumerate(values.items(), 1)
    )
    return DumpInput("sysctl.txt", "node", Dump("sysctl", 9, (), settings=listed))


def log(*texts: str) -> DumpInput:
    """dmesg."""
    messages = tuple(KernelMessage(n, 1.0 * n, None, text) for n, text in enumerate(texts, 1))
    return DumpInput("dmesg.txt", "node", Dump("kernel-log", 9, (), messages=messages))


RP_COUNTER = "TcpExtIPReversePathFilter"
MARTIAN = "IPv4: martian source 10.0.0.1 from 192.0.2.10, on dev eth1"


def filters(general: int, **of: int) -> DumpInput:
    """`sysctl -a | grep rp_filter`."""
    values = {
        f"net__ipv4__conf__{name}__rp_filter": str(value) for name, value in {"all": general, **of}.items()
    }
    return settings(**values)


def reverse_path_filter() -> Facts:
    """The counter rises, the log names packets, the filter is strict."""
    counted = (counters(1, **{RP_COUNTER: 5}), counters(2, **{RP_COUNTER: 45}))
    return gather_facts([], [*counted, log(MARTIAN, MARTIAN), filters(0, eth0=0, eth1=1)])


OVERFLOW = "neighbour: arp_cache: neighbor table overflow!"


def neighbors(number: int, *, state: str = "STALE") -> DumpInput:
    """ip neigh with so many entries."""
    listed = tuple(
        Neighbor(n, f"10.1.{n >> 8}.{n & 255}", "eth0", "02:00:00:00:00:01", state)
        for n in range(1, number + 1)
    )
    return DumpInput("neigh.txt", "node", Dump("ip-neigh", number, (), neighbors=listed))


def neighbor_table_overflow() -> Facts:
    """The log and a table at its limit."""
    return gather_facts(
        [], [log(OVERFLOW), neighbors(40), settings(net__ipv4__neigh__default__gc_thresh3="40")]
    )


def entry(link: str, *, state: str = "PERMANENT", address: str = "192.0.2.10") -> DumpInput:
    """ip neigh of the node, with one entry."""
    listed = (Neighbor(1, address, "flannel.1", link, state),)
    return DumpInput("neigh.txt", "node", Dump("ip-neigh", 1, (), neighbors=listed))


def owner(
    link: str, *, address: str = "192.0.2.10", interface: str = "flannel.1", host: str = "other"
) -> DumpInput:
    """ip addr of the host that has the address."""
    listed = Dump(
        "ip-addr",
        3,
        (),
        interfaces=(Interface(1, 4, interface, "", "vxlan", link_address=link),),
        addresses=(InterfaceAddress(3, interface, address, 32),),
    )
    return DumpInput(f"addr-{host}.txt", host, listed)


def stale_neighbor() -> Facts:
    """The entry of one host against the listing of another."""
    return gather_facts([], [entry("02:00:00:00:00:aa"), owner("02:00:00:00:00:bb")])


def softnet(number: int, *rows: tuple[int, int, int]) -> DumpInput:
    """/proc/net/softnet_stat: processed, dropped and time_squeeze by CPU."""
    names = ("processed", "dropped", "time_squeeze")
    listed = tuple(
        CounterRow(cpu + 1, cpu, dict(zip(names, row, strict=True))) for cpu, row in enumerate(rows)
    )
    at_ns = T0_NS + number * 60 * S
    return DumpInput(
        f"softnet-{number}.txt", "node", Dump("softnet-stat", 9, (), at_ns, "text", counters=listed)
    )


def backlog_drop() -> Facts:
    """One of four CPUs takes everything, stops with work left and drops."""
    idle = (1_000, 0, 0)
    return gather_facts(
        [],
        [softnet(1, (1_000, 0, 0), idle, idle, idle), softnet(2, (901_000, 1_500, 4_000), idle, idle, idle)],
    )


def ethtool(number: int, **values: int) -> DumpInput:
    """ethtool -S."""
    listed = tuple(CounterRow(n, None, {name: value}) for n, (name, value) in enumerate(values.items(), 2))
    at_ns = T0_NS + number * 60 * S
    return DumpInput(
        f"ethtool-{number}.txt", "node", Dump("ethtool-stats", 9, (), at_ns, "text", counters=listed)
    )


def cloud_allowance() -> Facts:
    """A counter of the driver rises."""
    return gather_facts([], [ethtool(1, pps_allowance_exceeded=7), ethtool(2, pps_allowance_exceeded=7_000)])


def overlay_bad_checksum() -> Facts:
    """The log, and a counter that rises."""
    bad = "UDP: bad checksum. From 10.0.0.5:41871 to 10.0.0.6:8472 ulen 110"
    return gather_facts([], [log(bad), counters(1, UdpInCsumErrors=1), counters(2, UdpInCsumErrors=9)])


def inner_checksum_drop() -> Facts:
    """The counter rises."""
    return gather_facts([], [counters(1, TcpInCsumErrors=1), counters(2, TcpInCsumErrors=91)])


def logged(component: str, text: str) -> DumpInput:
    """One line of a component's log."""
    messages = (LogMessage(1, component, "info", text),)
    return DumpInput("component.log", "node", Dump("component-log", 1, (), log_messages=messages))


def rule_sync_delay() -> Facts:
    """kube-proxy's own line of one sync."""
    return gather_facts([], [logged("kube-proxy", '"SyncProxyRules complete" elapsed="58.2s"')])


def grpc_goaway() -> Facts:
    """What the client logs of the server's frame."""
    text = 'Received a GOAWAY with error code ENHANCE_YOUR_CALM and debug data equal to "too_many_pings"'
    return gather_facts([], [logged("", f"{text}. Current keepalive time (before throttling): 30000ms")])


def cloud_snat_exhaustion() -> Facts:
    """A NAT gateway's metric of refused allocations."""
    values = tuple(
        MetricValue(line, "ErrorPortAllocation", value) for line, value in ((2, 412.0), (3, 398.0))
    )
    return gather_facts([], [DumpInput("nat.csv", None, Dump("metrics", 3, (), metrics=values))])


CASES: dict[str, Callable[[], Facts]] = {
    "backlog-drop": backlog_drop,
    "cloud-allowance": cloud_allowance,
    "cloud-snat-exhaustion": cloud_snat_exhaustion,
    "grpc-goaway": grpc_goaway,
    "inner-checksum-drop": inner_checksum_drop,
    "neighbor-table-overflow": neighbor_table_overflow,
    "no-local-endpoint": no_local_endpoint,
    "overlay-bad-checksum": overlay_bad_checksum,
    "reverse-path-filter": reverse_path_filter,
    "rule-sync-delay": rule_sync_delay,
    "stale-neighbor": stale_neighbor,
}
"""By the cause that each names."""


def confidence(cause: str, dumps: Sequence[DumpInput], captures: Sequence[Capture] = ()) -> float:
    """Of the surest answer of that cause, 0 without one."""
    report = analyse_evidence(captures, dumps, [], label="x", created="2026", tool_version="0").report
    return max((d.confidence for d in report.diagnoses if d.cause == cause), default=0.0)
