"""Reports made by hand, to render and to judge."""

from backend.forensics.report import (
    CalleePart,
    CheckedPart,
    ClaimPart,
    ColumnPart,
    DiagnosisPart,
    EvidencePart,
    FindingPart,
    InputPart,
    MissingPart,
    RemedyPart,
    Report,
    RequestShapePart,
    RivalPart,
    ServedRequestsPart,
    Severity,
    TablePart,
    ToolPart,
    Verdict,
)
from backend.forensics.report_text import FigurePart

CHECKED = [
    CheckedPart(kind="tuple-collision", status="found", why="2 lost SYNs had a rival."),
    CheckedPart(kind="syn-retransmission", status="clear", why="none of 600 was sent again"),
    CheckedPart(kind="rtt-backlog", status="not-checkable", why="no probes in the capture"),
    CheckedPart(kind="dns-delay", status="not-checkable", why="not in this version lookups yet"),
]
SAMPLES = EvidencePart(input="any.pcap", frames=[3130, 3131], lines=[])


def empty_report() -> Report:
    """Looked, and found nothing."""
    return Report(
        schema="stallscope.report/1",
        label="quiet",
        created="2026-11-21T00:00:00Z",
        tool=ToolPart(version="1"),
        inputs=[InputPart(name="any.pcap", sha256="ab", kind="capture", format="pcap", packets=1)],
        findings=[],
        diagnoses=[],
        checked=CHECKED[1:],
    )


def collision_report(
    *,
    severity: Severity = "critical",
    verdict: Verdict = "confirmed",
    hostile: str = "",
    against: bool = False,
) -> Report:
    """A lost SYN with everything a report can hold; `hostile` stands where a file's text can come through."""
    finding = FindingPart(
        id="f1",
        kind="tuple-collision",
        severity=severity,
        confidence=0.95,
        title=f"Two sources, one port{hostile}",
        summary=f"29 SYNs lost{hostile}",
        count=29,
        first="2026-11-21T00:00:00Z",
        last="2026-11-21T00:00:01Z",
        time_lost_s=29.5,
        measures={"rival_distance_median_us": 1.38},
        evidence=[SAMPLES],
        tables=[_table(hostile)],
    )
    return empty_report().model_copy(
        update={
            "label": f"incident{hostile}",
            "findings": [finding],
            "diagnoses": [_diagnosis(verdict, hostile, against=against)],
            "checked": CHECKED,
            "inputs": [
                InputPart(
                    name=f"any.pcap{hostile}",
                    sha256="ab",
                    kind="dump",
                    format="conntrack-list",
                    lines=9,
                    lines_not_understood=2,
                    warnings=[f"2 lines not understood{hostile}"],
                )
            ],
        }
    )


def _table(hostile: str) -> TablePart:
    columns = [ColumnPart(name="a", unit="s")]
    return TablePart(name="lost", columns=columns, rows=[[f"x{hostile}"]], rows_total=9)


def _diagnosis(verdict: Verdict, hostile: str, *, against: bool) -> DiagnosisPart:
    claims = [
        ClaimPart(role="step", text=f"Both sent a SYN{hostile}", evidence=[SAMPLES]),
        ClaimPart(role="for", text="insert_failed +29", evidence=[EvidencePart(input="S.txt", lines=[1, 2])]),
    ]
    if against:
        claims.append(ClaimPart(role="against", text="one SYN left after all", evidence=[SAMPLES]))
    return DiagnosisPart(
        cause="snat-port-race",
        title="SNAT source-port collision",
        confidence=0.95,
        verdict=verdict,
        statement=f"29 of 600 connections waited 1 s{hostile}",
        claims=claims,
        rivals=[
            RivalPart(
                cause="node-drop",
                status="cannot-tell",
                because=f"no dump{hostile}",
                command="nft list",
            )
        ],
        findings=["f1"],
        missing=[MissingPart(what="the counters", command="conntrack -S; sleep 60; conntrack -S")],
        remedies=[
            RemedyPart(
                what="Insert your rule again",
                command=f"iptables -t nat -I POSTROUTING -s 10.0.0.0/8 -j MASQUERADE --random-fully{hostile}",
                applies_to="plain iptables",
                check="iptables-save -t nat",
                undo="iptables -t nat -D POSTROUTING -j MASQUERADE",
                proof="insert_failed stops rising",
                versions="iptables ≥ 1.6.2",
            )
        ],
        refutation="it would be refuted by a lost SYN on eth0",
        figures=[FigurePart(name="worst", value="1,037 ms")],
    )


def served_report(*, hostile: str = "", shapes: int = 1) -> Report:
    """Requests that waited for the metadata service; `shapes` different ones, of 20 in all."""
    shape = RequestShapePart(
        request=f"GET /v1/ads{hostile}",
        basis="seen",
        callees=[CalleePart(kind="metadata", name="credentials", count=2)],
        count=53,
        total_p50_ms=70.9,
        total_p95_ms=1082.2,
        metadata_p50_ms=51.1,
        dns_p50_ms=0.0,
        calls_p50_ms=14.8,
        own_p50_ms=3.4,
        examples=[EvidencePart(input="any.pcap", frames=[7], note="68 ms")],
    )
    served = ServedRequestsPart(
        statement="Of the 3,865 ms that 60 served requests took, metadata calls cost most: 71 %.",
        count=60,
        inferred=0,
        total_s=3.865,
        metadata_s=2.7,
        dns_s=0.0,
        calls_s=0.8,
        own_s=0.3,
        shapes=[shape] * shapes,
        shapes_total=20,
    )
    return empty_report().model_copy(update={"requests": served})
