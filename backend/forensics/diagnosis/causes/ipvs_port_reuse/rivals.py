"""What else loses SYNs on the way to a service address, and why it is or is not this."""

from __future__ import annotations

from backend.forensics.diagnosis.causes.ipvs_port_reuse.evidence import FAILS_RATIO, Drops
from backend.forensics.evidence.facts import Facts
from backend.forensics.report import RivalPart

CAPTURE = "tcpdump -i any -y LINUX_SLL2 -s 96 -w any.pcap tcp"


def list_rivals(facts: Facts, found: Drops) -> list[RivalPart]:
    """Each with a status and its reason."""
    return [_stale(found), _time_wait(found), _race(facts, found), *_rule(found), *_beyond(facts, found)]


def _stale(found: Drops) -> RivalPart:
    name, title = "ipvs-stale-destination", "Dead or removed real server"
    total, passed = len(found.victims.attempts), found.victims.passed
    if passed > FAILS_RATIO * total:
        because = (
            f"{passed} of {total} retransmissions of the same SYN passed: a dead real server answers none"
        )
        return RivalPart(cause=name, title=title, status="ruled-out", because=because)
    because = "retransmissions were lost, too, as with a removed real server"
    return RivalPart(
        cause=name, title=title, status="possible", because=because, command="ipvsadm -Ln; ipvsadm -Lnc"
    )


def _time_wait(found: Drops) -> RivalPart:
    name, title = "time-wait-collision", "Source port still in TIME_WAIT at the server"
    if found.located == len(found.losses):
        because = "these SYNs never reached the server"
    else:
        because = "the server would answer with an ACK; these SYNs were not answered at all"
    return RivalPart(cause=name, title=title, status="ruled-out", because=because)


def _race(facts: Facts, found: Drops) -> RivalPart:
    name, title = "snat-port-race", "SNAT source-port collision"
    delta = facts.node.delta
    if delta is not None and delta.deltas.get("insert_failed") == 0:
        because = "insert_failed did not rise"
        return RivalPart(cause=name, title=title, status="ruled-out", because=because)
    rivalled = sum(facts.losses[n].attempt.link in found.reused for n in facts.rivals)
    if rivalled * 2 < len(found.losses):
        because = f"{len(found.losses) - rivalled:,} of {len(found.losses):,} had no competing SYN"
        return RivalPart(cause=name, title=title, status="ruled-out", because=because)
    command = "conntrack -S; sleep 60; conntrack -S"
    because = "other sources used the same port at the same time"
    return RivalPart(cause=name, title=title, status="possible", because=because, command=command)


def _rule(found: Drops) -> list[RivalPart]:
    """Only where the place of the loss is known to lie in the node: elsewhere nothing speaks of its rules."""
    if found.located < len(found.losses):
        return []
    name, title = "node-drop", "Drop inside the node (firewall rule, policy or program)"
    because = (
        f"{found.fresh_delayed:,} of {found.fresh_total:,} SYNs on unused 5-tuples were lost: a rule "
        "does not know earlier uses of a 5-tuple"
    )
    return [RivalPart(cause=name, title=title, status="ruled-out", because=because)]


def _beyond(facts: Facts, found: Drops) -> list[RivalPart]:
    names = (("path-loss", "Packet loss on the path"), ("listen-overflow", "Accept queue overflow"))
    if found.located == len(found.losses):
        because = "the lost SYNs were captured before IPVS and are absent behind it"
        return [RivalPart(cause=c, title=t, status="ruled-out", because=because) for c, t in names]
    because = (
        f"unused 5-tuples pass ({found.fresh_delayed:,} of {found.fresh_total:,} delayed), but "
        "with one vantage point the location of the loss is unknown"
    )
    return [
        RivalPart(cause=c, title=t, status="possible", because=because, command=CAPTURE) for c, t in names
    ]
