"""A node that masquerades with a small range, made of packets, rules and conntrack events."""

from __future__ import annotations

from backend.forensics.dumps import ConntrackEntry, ConntrackTable, ConntrackTuple, Dump, NatRule
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.packets import ACK, FIN
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, Hop, S

HOST, NODE, PORT = "192.0.2.10", "198.51.100.1", 80
SERVER = f"{HOST}:{PORT}"
FIRST_PORT = 20_000
HELD_NS = 2 * S


def hops(inner_port: int, outer_port: int) -> list[Hop]:
    """Before and behind the NAT."""
    source = f"10.0.0.1:{inner_port}"
    return [Hop("cni0", 0, source, SERVER), Hop("eth0", 20_000, f"{NODE}:{outer_port}", SERVER)]


def rule(ports: int | None) -> DumpInput:
    """iptables-save with a masquerade rule; None leaves the range out."""
    allowed = None if ports is None else (FIRST_PORT, FIRST_PORT + ports - 1)
    text = "-A POSTROUTING -s 10.0.0.0/24 ! -o cni0 -p tcp -j MASQUERADE"
    text += "" if allowed is None else f" --to-ports {allowed[0]}-{allowed[1]}"
    found = NatRule(7, text, "POSTROUTING", "MASQUERADE", False, False, allowed)
    return DumpInput("iptables-save.txt", None, Dump("iptables-save", 9, (), nat_rules=(found,)))


def events(held: int, *, destroyed: bool = True) -> DumpInput:
    """conntrack -E: `held` entries from 0 to 49 ms on, destroyed when their connections close."""
    entries = []
    for number in range(held):
        original = ConntrackTuple("10.0.0.1", HOST, 40_000 + number, PORT)
        reply = ConntrackTuple(HOST, NODE, PORT, FIRST_PORT + number)
        at_ns = T0_NS + number * MS
        entries.append(
            ConntrackEntry(2 * number + 1, "tcp", "SYN_SENT", 120, original, reply, (), "NEW", at_ns)
        )
        if destroyed:
            end_ns = at_ns + HELD_NS
            entries.append(
                ConntrackEntry(2 * number + 2, "tcp", "", None, original, reply, (), "DESTROY", end_ns)
            )
    dump = Dump("conntrack-events", 99, (), entries=ConntrackTable.of(entries))
    return DumpInput("conntrack-E.txt", None, dump)


def capture(held: int, *, lost: int = 0, cycles: int = 1, first_port: int = FIRST_PORT) -> CaptureBuilder:
    """`held` ports taken for 2 s, `cycles` times one after the other; `lost` SYNs in the middle of the first time."""
    builder = CaptureBuilder()
    for cycle in range(cycles):
        for number in range(held):
            at_ns = T0_NS + cycle * (HELD_NS + S) + number * MS
            inner, isn = 40_000 + number + cycle * held, 10_000 * (number + 1) + cycle
            path = hops(inner, first_port + number)
            builder.connect(at_ns, path, isn=isn)
            for flags, source, destination in ((FIN | ACK, 0, 1), (FIN | ACK, 1, 0)):
                ends = (path[1].source, path[1].destination)
                builder.packet(
                    "eth0",
                    at_ns + HELD_NS,
                    ends[source],
                    ends[destination],
                    tcp_flags=flags,
                    sequence=isn + 1,
                )
    for number in range(lost):
        at_ns = T0_NS + S + number * MS
        again = hops(50_000 + number, first_port + number)
        builder.retry(
            at_ns, hops(50_000 + number, 0), isn=90_000_000 + number, seen_at=1, gap_ns=3 * S, again=again
        )
    return builder


def facts(builder: CaptureBuilder, *dumps: DumpInput) -> Facts:
    """What the detectors see."""
    return gather_facts([builder.build()], list(dumps))
