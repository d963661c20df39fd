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
    name, title = "ipvs-stale-destination", "A dead or removed real server"
    total, passed = len(found.victims.attempts), found.victims.passed
    if passed > FAILS_RATIO * total:
        because = f"{passed} of {total} retries of the same SYN passed: a dead real server answers none"
        return RivalPart(cause=name, title=title, status="ruled-out", because=because)
    because = "retries were lost, too, as they are when their real server is gone"
    return RivalPart(
        cause=name, title=title, status="possible", because=because, command="ipvsadm -Ln; ipvsadm -Lnc"
    )


def _time_wait(found: Drops) -> RivalPart:
    name, title = "time-wait-collision", "The server still holds the tuple in TIME_WAIT"
    if found.located == len(found.losses):
        because = "these SYNs never reached the server"
    else:
        because = "the server would answer with an ACK; these SYNs were not answered at all"
    return RivalPart(cause=name, title=title, status="ruled-out", because=because)


def _race(facts: Facts, found: Drops) -> RivalPart:
    name, title = "snat-port-race", "SNAT tuple collision"
    delta = facts.node.delta
    if delta is not None and delta.deltas.get("insert_failed") == 0:
        because = "insert_failed did not rise"
        return RivalPart(cause=name, title=title, status="ruled-out", because=because)
    rivalled = sum(facts.losses[n].attempt.link in found.reused for n in facts.rivals)
    if rivalled * 2 < len(found.losses):
        because = f"{len(found.losses) - rivalled:,} of {len(found.losses):,} had no rival for their tuple"
        return RivalPart(cause=name, title=title, status="ruled-out", because=because)
    command = "conntrack -S; sleep 60; conntrack -S"
    because = "other sources used the same port at the same moment"
    return RivalPart(cause=name, title=title, status="possible", because=because, command=command)


def _rule(found: Drops) -> list[RivalPart]:
    """Only where the place of the loss is known to lie in the node: elsewhere nothing speaks of its rules."""
    if found.located < len(found.losses):
        return []
    name, title = "node-drop", "A rule or program in the node drops them"
    because = (
        f"{found.fresh_delayed:,} of {found.fresh_total:,} SYNs on fresh tuples were lost: "
        "a rule does not know what a tuple was used for before"
    )
    return [RivalPart(cause=name, title=title, status="ruled-out", because=because)]


def _beyond(facts: Facts, found: Drops) -> list[RivalPart]:
    names = (("path-loss", "Packets lost on the way"), ("listen-overflow", "Server's accept queue full"))
    if found.located == len(found.losses):
        because = "the lost SYNs were seen before IPVS and never behind it"
        return [RivalPart(cause=c, title=t, status="ruled-out", because=because) for c, t in names]
    because = (
        f"fresh tuples pass ({found.fresh_delayed:,} of {found.fresh_total:,} delayed), but "
        "with this side alone the place "
        "of the loss is unknown"
    )
    return [
        RivalPart(cause=c, title=t, status="possible", because=because, command=CAPTURE) for c, t in names
    ]
