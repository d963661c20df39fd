"""A source port is reused while the server still has the old connection; the SYN is answered by a bare ACK.

A server keeps a closed connection in TIME-WAIT (RFC 9293 section 3.6.1; 60 s on Linux, net/ipv4/tcp_minisocks.c). A SYN
on that tuple is answered with an ACK of the old numbers, the client sends a RST and retransmits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.causes.time_wait_collision.evidence import (
    Collisions,
    collect_collisions,
    weigh_collisions,
)
from backend.forensics.diagnosis.causes.time_wait_collision.remedies import list_remedies
from backend.forensics.diagnosis.causes.time_wait_collision.rivals import list_rivals
from backend.forensics.diagnosis.contract import Hypothesis
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import frame_evidence, seconds_text
from backend.forensics.report import ClaimPart, MissingPart

CAUSE = "time-wait-collision"
TITLE = "Source port still in TIME_WAIT at the server"
ALTERNATIVES: Final = (
    Alternative(
        "SNAT source-port collision",
        "two SYNs meet within a millisecond; here the earlier connection was closed up to 60 s before",
    ),
    Alternative(
        "Accept queue overflow",
        "ListenOverflows rises; here the server answers with an ACK of the earlier connection",
    ),
)
COLLECT: Final = (
    MissingPart(
        what="The server's sockets in TIME_WAIT, and what it counted",
        command="ss -tan state time-wait; nstat -az | grep -E 'PAWS|TW'",
    ),
)
PRIOR = -2.0
"""Rare among repeated SYNs, but its answer is so peculiar that little else looks like it."""

REFERENCES = (
    "RFC 9293 section 3.10.7.4: a SYN on a tuple in TIME-WAIT or synchronised is answered by an ACK",
    "RFC 9293 section 3.10.7.3: in SYN-SENT an ACK outside the window is answered by a reset",
    "net/ipv4/tcp_minisocks.c: tcp_timewait_state_process(), TCP_TIMEWAIT_LEN = 60 s",
    "net/netfilter/nf_nat_core.c: ports are unique per destination, and free again when the entry is gone",
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per destination that answered SYNs with ACKs of other connections."""
    return [_hypothesis(facts, found) for found in collect_collisions(facts, findings)]


def _hypothesis(facts: Facts, found: Collisions) -> Hypothesis:
    weighed = weigh_collisions(found)
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="loss",
        statement=_statement(found),
        prior=PRIOR,
        steps=tuple(_steps(found)),
        weighed=tuple(weighed.pieces),
        both_sides=bool(found.reused) and found.left_node,
        independent=weighed.rule_limits or weighed.listed,
        signs=int(bool(found.reused)) + int(weighed.rule_limits) + int(weighed.listed),
        findings=found.victims.findings,
        time_lost_s=found.victims.time_lost_s,
        rivals=tuple(list_rivals(found)),
        missing=tuple(_missing(found, weighed.listed)),
        remedies=tuple(list_remedies(facts)),
        references=REFERENCES,
        refutation=(
            "it would be refuted by a SYN-ACK to such a SYN, or by unused 5-tuples with the same response"
        ),
        figures=found.victims.figures,
        impact=found.victims.impact,
        attempts=found.victims.links,
    )


def _statement(found: Collisions) -> str:
    used = (
        f"reused a source port after {seconds_text(found.gap_median_s)}"
        if found.reused
        else "reused a source port that the server still holds"
    )
    return f"{found.victims.hurt} {used}: the server answered the SYN with an ACK of the old connection."


def _steps(found: Collisions) -> list[ClaimPart]:
    """One instance described in three steps: the one whose wait is nearest to the middle."""
    challenge, reused = found.example
    sent, again = challenge.attempt.transmissions[0], challenge.attempt.transmissions[1]
    steps = []
    if reused is not None and reused.frames:
        text = f"{reused.client} was in use towards {reused.server} until {seconds_text(reused.gap_ns / 1e9)} before."
        frames = [(reused.place.input, frame) for frame in reused.frames]
        steps.append(ClaimPart(role="step", text=text, evidence=frame_evidence(frames)))
    frames = [(s.place.input, s.frame) for s in sent.sightings] + [
        (p.input, f) for p, f in (*challenge.acks, *challenge.resets)
    ]
    reset = "; the client reset it" if challenge.resets else ""
    text = f"The SYN of {sent.first.source} was answered by an ACK that does not acknowledge it{reset}."
    steps.append(ClaimPart(role="step", text=text, evidence=frame_evidence(frames)))
    gap_s = (again.time_ns - sent.time_ns) / 1e9
    ports = f" from port {again.last.source.port}" if again.last.source != sent.last.source else ""
    text = f"{sent.first.source} retransmitted its SYN after {seconds_text(gap_s)}{ports}."
    frames = [(s.place.input, s.frame) for s in again.sightings]
    steps.append(ClaimPart(role="step", text=text, evidence=frame_evidence(frames)))
    return steps


def _missing(found: Collisions, listed: bool) -> list[MissingPart]:
    missing = []
    if not found.left_node:
        what = "A capture behind any NAT: it shows the source port that the server receives"
        missing.append(MissingPart(what=what, command="tcpdump -i any -y LINUX_SLL2 -s 96 -w any.pcap tcp"))
    if not listed:
        what = "The server's closed connections: the 5-tuple must be among those in TIME-WAIT"
        missing.append(MissingPart(what=what, command="ss -tan state time-wait"))
    if not found.rules:
        what = "The NAT rules: a short port range is reused too early"
        missing.append(MissingPart(what=what, command="iptables-save -t nat; nft list ruleset"))
    return missing
