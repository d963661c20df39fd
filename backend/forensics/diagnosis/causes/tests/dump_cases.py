"""Listings that name a cause without a capture; the tests of all causes take them apart, too."""

from __future__ import annotations

from collections.abc import Callable

from backend.forensics.dumps import CounterRow, Dump, FilterRule, KernelMessage, Setting
from backend.forensics.evidence.counters import DumpInput
from backend.forensics.evidence.facts import Facts, gather_facts
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


CASES: dict[str, Callable[[], Facts]] = {
    "no-local-endpoint": no_local_endpoint,
    "reverse-path-filter": reverse_path_filter,
}
"""By the cause that each names."""
