"""What else loses SYNs at the NAT, and why it is or is not this."""

from __future__ import annotations

from backend.forensics.diagnosis.causes.snat_port_exhaustion.evidence import Shortage, WeighedShortage
from backend.forensics.diagnosis.loss_rivals import judge_table
from backend.forensics.evidence.facts import Facts
from backend.forensics.report import RivalPart

STATS_COMMAND = "conntrack -S; sleep 60; conntrack -S"


def list_rivals(facts: Facts, found: Shortage, weighed: WeighedShortage) -> list[RivalPart]:
    """Each with a status and its reason."""
    return [_race(found), _node_drop(weighed), _table_full(facts), *_beyond(found)]


def _race(found: Shortage) -> RivalPart:
    because = "no port was free: a race is not possible"
    return RivalPart(
        cause="snat-port-race", title="SNAT source-port collision", status="ruled-out", because=because
    )


def _node_drop(weighed: WeighedShortage) -> RivalPart:
    name, title = "node-drop", "Drop inside the node (firewall rule, policy or program)"
    if weighed.counters_agree:
        because = f"insert_failed rose by {weighed.counters}: it would be flat"
        return RivalPart(cause=name, title=title, status="ruled-out", because=because)
    if weighed.dumped and weighed.counters is None:
        because = "a rule does not depend on the ports in use"
        return RivalPart(cause=name, title=title, status="ruled-out", because=because)
    because = "without counters and conntrack entries a drop inside the node looks the same"
    return RivalPart(cause=name, title=title, status="possible", because=because, command=STATS_COMMAND)


def _table_full(facts: Facts) -> RivalPart:
    name, title = "conntrack-full", "Conntrack table full"
    delta = facts.node.delta
    if delta is not None and delta.deltas.get("early_drop") == 0:
        because = "early_drop did not rise"
        return RivalPart(cause=name, title=title, status="ruled-out", because=because)
    status, because, command = judge_table(facts.node)
    return RivalPart(cause=name, title=title, status=status, because=because, command=command)  # type: ignore[arg-type]


def _beyond(found: Shortage) -> list[RivalPart]:
    names = (("listen-overflow", "Accept queue overflow"), ("path-loss", "Packet loss on the path"))
    if found.located == len(found.losses):
        because = "the lost SYNs never left the node"
        return [RivalPart(cause=c, title=t, status="ruled-out", because=because) for c, t in names]
    because = "no vantage point behind the NAT shows whether the SYN left"
    command = "tcpdump -i any -y LINUX_SLL2 -s 96 -w any.pcap tcp"
    return [
        RivalPart(cause=c, title=t, status="possible", because=because, command=command) for c, t in names
    ]
