"""Reports with only what a comparison reads."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from backend.forensics.comparison.compare import Subject, compare_reports
from backend.forensics.comparison.result import Comparison
from backend.forensics.comparison.thresholds import Thresholds
from backend.forensics.destination_table import thinned
from backend.forensics.report import (
    CheckedPart,
    CounterSetPart,
    DestinationPart,
    DiagnosisPart,
    DistributionPart,
    EvidencePart,
    FindingPart,
    InputPart,
    Report,
    Severity,
    ToolPart,
    VantagePointPart,
)

SERVER = "10.0.0.2:80"
KINDS = ("syn-retransmission", "conntrack-pressure", "rtt-backlog")


def destination(
    name: str = SERVER,
    *,
    attempts: int = 500,
    sent_again: int = 0,
    unopened: int = 0,
    connect_ms: NDArray[np.float64] | None = None,
    service_ms: NDArray[np.float64] | None = None,
) -> DestinationPart:
    """A destination with what was measured there."""
    measured = {"connect_time": connect_ms, "service_time": service_ms}
    return DestinationPart(
        destination=name,
        attempts=attempts,
        sent_again=sent_again,
        unopened=unopened,
        distributions=[
            DistributionPart(quantity=quantity, samples=len(values), values=thinned(np.sort(values)))  # type: ignore[arg-type]
            for quantity, values in measured.items()
            if values is not None
        ],
    )


def finding(
    kind: str = "syn-retransmission",
    *,
    count: int,
    severity: Severity = "warning",
    at: str = SERVER,
    number: int = 1,
) -> FindingPart:
    """A finding of that kind at that destination."""
    return FindingPart(
        id=f"{kind}-{number}",
        kind=kind,
        severity=severity,
        confidence=0.9,
        title=f"{kind} at {at}",
        summary="",
        count=count,
        first=None,
        last=None,
        time_lost_s=1.0 * count,
        measures={},
        affected=[{"destination": at}] if at else [],
        evidence=[EvidencePart(input="a.pcap", frames=[1])],
    )


def counters(
    rises: dict[str, int], *, seconds: float | None = 30.0, host: str = "", kind: str = "conntrack-stats"
) -> CounterSetPart:
    """Counters that rose so far between two dumps."""
    lines = [EvidencePart(input=name, lines=[1]) for name in ("before.txt", "after.txt")]
    return CounterSetPart(kind=kind, host=host, subject="", seconds=seconds, rises=rises, evidence=lines)


def report(
    *destinations: DestinationPart,
    findings: Sequence[FindingPart] = (),
    diagnoses: Sequence[DiagnosisPart] = (),
    unchecked: Sequence[str] = (),
    seconds: int = 30,
    total: int | None = None,
    counters: Sequence[CounterSetPart] = (),
) -> Report:
    """A report of a capture of so many seconds; all KINDS were looked for, but those `unchecked`."""
    found = {each.kind for each in findings}
    return Report(
        schema="stallscope.report/1",
        label="run",
        created="2026-11-21T00:00:00Z",
        tool=ToolPart(version="1"),
        inputs=[
            InputPart(
                name="a.pcap",
                sha256="0" * 64,
                kind="capture",
                format="pcap",
                packets=1000,
                first="2026-11-21T00:00:00.000000000Z",
                last=f"2026-11-21T00:00:{seconds:02d}.500000000Z",
                vantage_points=[
                    VantagePointPart(id="a.pcap#0", name="eth0", link_type="EN10MB", packets=1000)
                ],
            )
        ],
        findings=list(findings),
        diagnoses=list(diagnoses),
        checked=[
            CheckedPart(
                kind=kind,
                status="not-checkable" if kind in unchecked else "found" if kind in found else "clear",
                why="no dump was given" if kind in unchecked else "",
            )
            for kind in KINDS
        ],
        destinations=list(destinations),
        destinations_total=len(destinations) if total is None else total,
        counters=list(counters),
    )


def compare(base: Report, candidate: Report, *, thresholds: Thresholds | None = None) -> Comparison:
    """The comparison of the two."""
    return compare_reports(
        Subject(base),
        Subject(candidate),
        created="2026-11-21T00:00:00Z",
        tool_version="1",
        thresholds=thresholds or Thresholds(),
    )
