"""SYNs that reached their host and were dropped there for a reason that its kernel counts."""

from __future__ import annotations

from collections.abc import Sequence

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.loss_rivals import list_rivals
from backend.forensics.diagnosis.lost_syns import (
    CAPTURE_BOTH_SIDES,
    about,
    figures_of,
    hurt,
    impact_of,
    life_of,
    loss_evidence,
    lossy,
    of_kind,
    one_instance,
)
from backend.forensics.evidence.absence.losses import ANSWERED
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.losses.destinations import Destination
from backend.forensics.findings import line_evidence
from backend.forensics.report import RemedyPart

TITLE = "SYNs dropped by the receiving host"
PRIOR = -1.6


def counted_drops(facts: Facts, d: Destination) -> bool:
    """Whether the host of a silent endpoint counted as many drops as SYNs are missing."""
    return d.silent and not of_kind(d, *ANSWERED) and bool(life_of(facts, d).dropped)


def dropped_syns(
    facts: Facts, findings: Sequence[Case], d: Destination, cause: str, references: tuple[str, ...]
) -> Hypothesis:
    """The counters say why."""
    signs = life_of(facts, d).dropped
    pieces = [
        Weighed(2.5, sign.text, line_evidence(sign.lines), "the kernel that drops them counts each")
        for sign in signs
    ]
    beyond = of_kind(d, "beyond")
    if beyond:
        text = f"{len(beyond):,} of {len(d.losses):,} SYNs were captured as far out as {d.outermost.word}."
        pieces.append(Weighed(0.6, text, loss_evidence(d, beyond), "they were sent to that host"))
    return Hypothesis(
        cause=cause,
        title=TITLE,
        role="loss",
        statement=f"{hurt(d)} got no response: the SYNs reached the host, and its kernel dropped them.",
        prior=PRIOR,
        steps=tuple(one_instance(d)),
        weighed=(*pieces, *lossy(facts, d)),
        both_sides=bool(beyond),
        independent=True,
        signs=1,
        findings=about(findings, d),
        time_lost_s=0.0,
        rivals=list_rivals(facts, d, "listen-overflow", "path-loss", "target-unresponsive"),
        missing=(CAPTURE_BOTH_SIDES,),
        remedies=_REMEDIES,
        references=references,
        refutation="it would be refuted by counters that stay flat while SYNs are retransmitted",
        figures=figures_of(facts, d),
        impact=impact_of(facts, d),
        attempts=d.links,
    )


CHECKSUMS = RemedyPart(
    condition="TcpInCsumErrors rises",
    what="Switch checksum offloading off at the sender that leaves checksums unfilled",
    command="ethtool -K eth0 tx off",
    applies_to="the sender's interface, or the virtual device in front of it",
    check="ethtool -k eth0 | grep checksum",
    proof="TcpInCsumErrors of the receiver stops rising under the same load",
    undo="ethtool -K eth0 tx on",
    side_effect="the CPU computes checksums",
)
_REMEDIES = (
    CHECKSUMS,
    RemedyPart(
        condition="TcpExtIPReversePathFilter rises",
        what="Loosen the reverse-path filter of the receiving interface",
        command="sysctl -w net.ipv4.conf.eth0.rp_filter=2",
        applies_to="hosts with several uplinks (asymmetric routes)",
        check="nstat -az TcpExtIPReversePathFilter",
        proof="the counter stops rising",
        undo="sysctl -w net.ipv4.conf.eth0.rp_filter=1",
        side_effect="loose mode lets spoofed sources pass that any route covers",
    ),
)
