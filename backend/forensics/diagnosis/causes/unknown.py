"""A delay is real and no cause stands: said as such, with what would decide."""

from __future__ import annotations

from collections.abc import Sequence

from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import seconds_text
from backend.forensics.report import ClaimPart, DiagnosisPart, FindingPart, MissingPart

CAUSE = "unknown"
TITLE = "Cause not established"
CEILING = 0.5
"""DETECTION section 10: `unknown` never claims more than even odds."""
EXPLAINED_ABOVE = 0.3

MISSING = (
    MissingPart(
        what=(
            "Captures at every vantage point of the path at once: they show between which two the "
            "packets vanish"
        ),
        command="tcpdump -i any -y LINUX_SLL2 -w any.pcap 'tcp[tcpflags] & (tcp-syn|tcp-rst) != 0'",
    ),
    MissingPart(
        what="Kernel counters before and after: a rising insert_failed points at NAT, flat ones elsewhere",
        command="conntrack -S; sleep 60; conntrack -S",
    ),
    MissingPart(
        what="Listen queue counters of the server: a rise says that it dropped SYNs",
        command="nstat -az TcpExtListenOverflows TcpExtListenDrops",
    ),
)


def assess_rest(
    facts: Facts, findings: Sequence[FindingPart], diagnoses: Sequence[DiagnosisPart]
) -> list[Hypothesis]:
    """One hypothesis for all findings that no diagnosis above 0.3 refers to: they share what is missing."""
    explained = {name for d in diagnoses if d.confidence > EXPLAINED_ABOVE for name in d.findings}
    loud = [f for f in findings if f.severity != "info" and f.time_lost_s > 0 and f.id not in explained]
    return [_hypothesis(loud)] if loud else []


def _places(finding: FindingPart) -> str:
    places = finding.measures.get("lost_at") or []
    return "; ".join(str(p) for p in places) if isinstance(places, list) else ""


def _hypothesis(findings: Sequence[FindingPart]) -> Hypothesis:
    worst = findings[0]
    more = f" {len(findings) - 1} more like it." if len(findings) > 1 else ""
    lost_s = sum(f.time_lost_s for f in findings)
    seen = Weighed(
        0.1,
        f"The delay is real. Where the packets were last seen: {_places(worst)}.",
        worst.evidence,
        "the delay itself, which says nothing about its cause",
    )
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="loss",
        statement=f"{worst.summary}{more} Why is not established by the evidence given.",
        prior=-0.2,
        steps=tuple(ClaimPart(role="step", text=f.summary, evidence=f.evidence) for f in findings),
        weighed=(seen,),
        both_sides=False,
        independent=False,
        signs=0,
        findings=tuple(f.id for f in findings),
        time_lost_s=lost_s,
        missing=MISSING,
        refutation="nothing seen; a cause that explains these frames would replace this answer",
        figures=(("time lost", seconds_text(lost_s)),),
        ceiling=CEILING,
    )
