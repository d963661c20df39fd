"""Data reaches the receiver's host each time it is sent, and is not acknowledged: the host drops it.

A packet socket sees frames before the IP layer does. Between it and the application's socket a segment can be dropped
by a rule, by rp_filter, for its checksum, or by TCP itself for want of memory: the backlog of a socket that its process
holds (TcpExtTCPBacklogDrop), a receive queue out of memory (TcpExtTCPRcvQDrop, PruneCalled)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.dropped_syns import CHECKSUMS, counted_drops, dropped_syns
from backend.forensics.diagnosis.given_listings import ListingRequest
from backend.forensics.diagnosis.segment_cases import (
    RECEIVER_COUNTERS,
    SegmentCase,
    fate_frames,
    places,
    segment_cases,
    where,
)
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.kernel_signs import counter_rise
from backend.forensics.findings import line_evidence
from backend.forensics.report import RemedyPart, RivalPart

CAUSE = "receiver-drop"
TITLE = "Data dropped by the receiving host"
ALTERNATIVES: Final = (
    Alternative("Packet loss on the path", "the receiver's capture does not have the packet"),
    Alternative(
        "Accept queue overflow",
        "it concerns SYNs and last ACKs of handshakes alone, and ListenOverflows rises",
    ),
)
PRIOR = -1.6
"""Rarer than loss on the way, and a vantage point near the receiver need not be its last."""
COUNTERS = (
    "TcpExtTCPBacklogDrop", "TcpExtTCPRcvQDrop", "TcpExtPruneCalled", "TcpExtRcvPruned", "TcpExtOfoPruned",
    "TcpInCsumErrors", "TcpExtIPReversePathFilter",
)  # fmt: skip

REFERENCES = (
    "Linux Documentation/networking/snmp_counter.rst: TCPBacklogDrop, PruneCalled, RcvPruned, OfoPruned",
    "Linux net/packet/af_packet.c: packet sockets see a frame before the IP layer does",
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per server to or from which data reached its receiver's side and was sent again all the same, and
    one per endpoint whose host counted the SYNs that it dropped."""
    refused = [
        dropped_syns(facts, findings, d, CAUSE, REFERENCES)
        for d in facts.destinations
        if counted_drops(facts, d)
    ]
    cases = segment_cases(facts, findings)
    return [*refused, *(_hypothesis(facts, case) for case in cases if case.of("arrived", "counted"))]


def _hypothesis(facts: Facts, case: SegmentCase) -> Hypothesis:
    arrived, counted = case.of("arrived"), _counters(facts, case)
    pieces = [*_there(case), *_counted(case), *_elsewhere(case), *counted]
    rest = (
        f"they had reached {places(arrived, 'far')} each time"
        if arrived
        else "the receiver's host dropped them"
    )
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="loss",
        statement=case.statement(rest),
        prior=PRIOR,
        steps=case.story(),
        weighed=tuple(pieces),
        both_sides=bool(arrived),
        independent=bool(counted) or case.counted is not None,
        signs=1,
        findings=(case.finding.id,),
        time_lost_s=case.lost_s,
        rivals=(_path_rival(case),),
        missing=(RECEIVER_COUNTERS, _RULES),
        remedies=_remedies(case),
        references=REFERENCES,
        refutation="it would be refuted by segments lost before they reach the receiver's host",
        figures=case.figures(),
        explains=case.frames_of("arrived", "counted"),
    )


def _there(case: SegmentCase) -> list[Weighed]:
    arrived = case.of("arrived")
    if not arrived:
        return []
    text = (
        f"{len(arrived):,} of {case.followed:,} segments reached {places(arrived, 'far')}, at the receiver's end of "
        "the path, each time, and were not acknowledged before they were retransmitted."
    )
    weight = 2.6 * len(arrived) / case.followed
    return [Weighed(weight, text, fate_frames(arrived), "the path up to there lost nothing")]


def _counted(case: SegmentCase) -> list[Weighed]:
    """What the receiver's host counted in place of a second vantage point."""
    counted, rise = case.of("counted"), case.counted
    if not counted or rise is None:
        return []
    sent_again = case.finding.count + case.finding.fast
    host = f"{case.finding.target}'s host"
    text = f"{rise.name} of {host} rose by {rise.by:,}; {sent_again:,} segments were retransmitted."
    weight = 3.2 * len(counted) / case.followed
    evidence = [*line_evidence(rise.lines), *fate_frames(counted)]
    return [Weighed(weight, text, evidence, "the kernel counts each packet that it drops for this reason")]


def _elsewhere(case: SegmentCase) -> list[Weighed]:
    lost = case.of("lost between", "in node", "answer lost")
    if not lost:
        return []
    text = f"{len(lost):,} of {case.followed:,} segments or their acknowledgements were lost {where(lost)}."
    return [
        Weighed(-3.0 * len(lost) / case.followed, text, fate_frames(lost), "the receiver did not drop these")
    ]


def _counters(facts: Facts, case: SegmentCase) -> list[Weighed]:
    kernel, pieces = facts.kernel_at(case.finding.server), []
    shown = case.counted.name if case.counted is not None and case.of("counted") else ""
    for name in COUNTERS:
        rise = counter_rise(kernel, "nstat", name)
        if rise is not None and rise.by and name != shown:
            text = f"{name} rose by {rise.by:,} {rise.between_dumps}."
            pieces.append(Weighed(1.2, text, line_evidence(rise.lines), "the kernel counts what it drops"))
    return pieces[:2]


def _path_rival(case: SegmentCase) -> RivalPart:
    title = "Packet loss on the path"
    lost = case.of("lost between", "in node", "answer lost")
    if lost:
        because = f"{len(lost):,} of {case.followed:,} were lost {where(lost)}"
        return RivalPart(
            cause="path-loss", title=title, status="possible", because=because, command="mtr -rwc 100 HOST"
        )
    because = "no segment was lost between the vantage points; behind the last one nothing was captured"
    return RivalPart(cause="path-loss", title=title, status="ruled-out", because=because)


def _remedies(case: SegmentCase) -> tuple[RemedyPart, ...]:
    """For wrong checksums their own; more memory does nothing about them."""
    damaged = case.counted is not None and case.counted.name == "TcpInCsumErrors"
    return (CHECKSUMS,) if damaged else _REMEDIES


_RULES = ListingRequest(
    what="Rules and filters on the receiving host for established connections, with their counters",
    command="iptables-save -c; nft list ruleset; sysctl net.ipv4.conf.all.rp_filter",
    at="server",
)
_REMEDIES = (
    RemedyPart(
        condition="TCPRcvQDrop or PruneCalled rises",
        what="Give TCP more memory; read sockets more often if TCPBacklogDrop rises instead",
        command="sysctl -w net.ipv4.tcp_rmem='4096 131072 33554432'",
        applies_to="the receiver's host (Linux)",
        check=RECEIVER_COUNTERS.command,
        proof="the counter stays flat under the same load, and no segment waits for the RTO",
        undo="sysctl -w net.ipv4.tcp_rmem='4096 131072 6291456'",
        side_effect="memory: each connection may use that much",
    ),
    RemedyPart(
        what="Change the rule whose counter rises with the retransmitted segments",
        applies_to="the receiver's host",
        check="iptables-save -c; nft list ruleset",
        proof="its counter stays flat",
        undo="Restore the previous rule",
        side_effect="traffic that the rule blocked is allowed",
    ),
)
