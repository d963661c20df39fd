"""Listings that name a cause without a capture; the tests of all causes take them apart, too."""

from __future__ import annotations

from collections.abc import Callable

from backend.forensics.dumps import Dump, FilterRule
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


CASES: dict[str, Callable[[], Facts]] = {"no-local-endpoint": no_local_endpoint}
"""By the cause that each names."""
