"""The whole chain: captures and dumps in, report out. Pure: the clock is the caller's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from backend.forensics.captures import Capture
from backend.forensics.counter_table import list_counter_sets
from backend.forensics.destination_table import list_destination_parts
from backend.forensics.detection.run import Told, run_detectors
from backend.forensics.diagnosis.run import diagnose
from backend.forensics.evidence.counters import DumpInput
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.lanes import list_lanes
from backend.forensics.part_references import in_own_files
from backend.forensics.quality_strip import describe_quality
from backend.forensics.report import FindingPart, InputPart, Report, ToolPart
from backend.forensics.rotation.joined_captures import JoinedCaptures, join_rotated
from backend.forensics.served_requests import describe_served


@dataclass(frozen=True)
class Analysis:
    """The report, and the facts from which the connection table is written; there, rotated parts are joined."""

    report: Report
    facts: Facts
    findings: tuple[FindingPart, ...]
    """The report's, with frames as the facts number them."""
    joined: JoinedCaptures


def analyse_evidence(
    captures: Sequence[Capture],
    dumps: Sequence[DumpInput],
    inputs: Sequence[InputPart],
    *,
    label: str,
    created: str,
    tool_version: str,
    told: Told | None = None,
) -> Analysis:
    """`inputs` describe every file, also those that could not be read. The order of the files does not
    matter."""
    joined = join_rotated(captures)
    facts = gather_facts(joined.captures, dumps)
    findings, checked = run_detectors(facts, told)
    answer = diagnose(facts, findings)
    report = Report(
        schema="stallscope.report/1",
        label=label,
        created=created,
        tool=ToolPart(version=tool_version),
        inputs=sorted(inputs, key=lambda i: (i.name, i.sha256)),
        findings=findings,
        diagnoses=answer.diagnoses,
        checked=checked,
        account=answer.account,
        requests=describe_served(facts),
        quality=describe_quality(facts, findings),
        lanes=list_lanes(facts),
        destinations=list_destination_parts(facts),
        destinations_total=len(facts.waits),
        counters=list_counter_sets(facts.kernel.series),
    )
    return Analysis(in_own_files(report, joined), facts, tuple(findings), joined)
