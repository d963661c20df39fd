"""What else makes SYNs vanish inside a node, and why it is or is not this."""

from __future__ import annotations

from backend.forensics.diagnosis.causes.node_drop.evidence import NodeLosses, WeighedLosses
from backend.forensics.diagnosis.loss_rivals import judge_table
from backend.forensics.evidence.facts import Facts
from backend.forensics.report import RivalPart

STATS_COMMAND = "conntrack -S; sleep 60; conntrack -S"


def list_rivals(facts: Facts, found: NodeLosses, weighed: WeighedLosses) -> list[RivalPart]:
    """Each with a status and its reason."""
    return [
        _race(facts, weighed),
        _exhaustion(facts, found, weighed),
        _table_full(facts),
        _ipvs(found),
        *_beyond(),
    ]


def _race(facts: Facts, weighed: WeighedLosses) -> RivalPart:
    name, title = "snat-port-race", "SNAT source-port collision"
    delta = facts.node.delta
    if weighed.counters_rise and delta is not None and delta.deltas.get("insert_failed"):
        because = "conntrack counted failed insertions; the competing SYN may have passed another interface"
        command = "tcpdump -i any -y LINUX_SLL2 -s 96 -w any.pcap tcp"
        return RivalPart(cause=name, title=title, status="possible", because=because, command=command)
    flat = delta is not None and delta.deltas.get("insert_failed") == 0
    because = f"no other source's SYN used their port within 1 ms{', and insert_failed stayed flat' if flat else ''}"
    return RivalPart(cause=name, title=title, status="ruled-out", because=because)


def _exhaustion(facts: Facts, found: NodeLosses, weighed: WeighedLosses) -> RivalPart:
    name, title = "snat-port-exhaustion", "SNAT port exhaustion"
    ends = {(x.retry or x.transmission).last.destination for x in found.losses}
    pools = [p for p in facts.port_pools if p.destination in ends]
    if pools:
        fullest = max(pools, key=lambda p: p.in_use_max / p.range.ports)
        because = f"at most {fullest.in_use_max:,} of {fullest.range.ports:,} ports were in use"
        return RivalPart(cause=name, title=title, status="ruled-out", because=because)
    if weighed.counters_flat or not any(x.rewritten for x in found.losses):
        because = "insert_failed stayed flat" if weighed.counters_flat else "there is no SNAT on this path"
        return RivalPart(cause=name, title=title, status="ruled-out", because=because)
    because = "nothing shows how many ports were in use"
    command = "conntrack -L -p tcp | wc -l"
    return RivalPart(cause=name, title=title, status="cannot-tell", because=because, command=command)


def _table_full(facts: Facts) -> RivalPart:
    name, title = "conntrack-full", "Conntrack table full"
    status, because, command = judge_table(facts.node)
    return RivalPart(cause=name, title=title, status=status, because=because, command=command)  # type: ignore[arg-type]


def _ipvs(found: NodeLosses) -> RivalPart:
    name, title = "ipvs-port-reuse", "IPVS port reuse (conn_reuse_mode)"
    if not found.reused:
        because = "none of these SYNs was on a reused 5-tuple"
        return RivalPart(cause=name, title=title, status="ruled-out", because=because)
    status = "possible" if found.services else "cannot-tell"
    because = f"{found.reused:,} of {len(found.losses):,} were on reused 5-tuples"
    command = "ipvsadm -Ln; sysctl net.ipv4.vs"
    return RivalPart(cause=name, title=title, status=status, because=because, command=command)  # type: ignore[arg-type]


def _beyond() -> list[RivalPart]:
    names = (("path-loss", "Packet loss on the path"), ("listen-overflow", "Accept queue overflow"))
    because = "the lost SYNs never left the node"
    return [RivalPart(cause=c, title=t, status="ruled-out", because=because) for c, t in names]
