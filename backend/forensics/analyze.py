"""The whole chain: captures and dumps in, report out. Pure: the clock is the caller's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from backend.forensics.captures import Capture
from backend.forensics.check_results import agree_with_findings
from backend.forensics.counter_table import list_counter_sets
from backend.forensics.destination_table import list_destination_parts
from backend.forensics.detection.run import OnProgress, run_detectors
from backend.forensics.diagnosis.run import diagnose
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.isolation import REPORT, Isolation
from backend.forensics.lanes import list_lanes
from backend.forensics.naming.gather_names import gather_names
from backend.forensics.naming.report_names import list_names
from backend.forensics.outcomes import describe_outcomes
from backend.forensics.part_references import in_own_files
from backend.forensics.private_words import composed_texts
from backend.forensics.quality_strip import cautions_of_inputs, describe_quality
from backend.forensics.report import DiagnosisPart, FindingPart, InputPart, Report, ToolPart
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


class ReportLists:
    """What the report lists beside findings and causes; empty where making it broke."""

    def __init__(
        self,
        facts: Facts,
        findings: Sequence[FindingPart],
        diagnoses: Sequence[DiagnosisPart],
        isolation: Isolation,
    ) -> None:
        run = isolation.run
        self.outcomes = run(REPORT + "outcomes", lambda: describe_outcomes(facts), [])
        self.requests = run(REPORT + "requests", lambda: describe_served(facts), None)
        self.quality = run(REPORT + "quality", lambda: describe_quality(facts, findings, diagnoses), [])
        self.lanes = run(REPORT + "lanes", lambda: list_lanes(facts), [])
        self.destinations = run(REPORT + "destinations", lambda: list_destination_parts(facts), [])
        self.destinations_total = run(REPORT + "destinations", lambda: len(facts.waits), 0)
        self.counters = run(REPORT + "counters", lambda: list_counter_sets(facts.kernel.series), [])


def analyse_evidence(
    captures: Sequence[Capture],
    dumps: Sequence[DumpInput],
    inputs: Sequence[InputPart],
    *,
    label: str,
    created: str,
    tool_version: str,
    on_progress: OnProgress | None = None,
    isolation: Isolation | None = None,
) -> Analysis:
    """`inputs` describe every file, also those that could not be read. The order of the files does not
    matter. Timings are of the `isolation` that is given: without one the same evidence gives the same report."""
    joined = join_rotated(captures)
    facts = gather_facts(joined.captures, dumps)
    timed, isolation = isolation is not None, isolation or Isolation()
    detected = run_detectors(facts, on_progress, isolation)
    findings = detected.findings
    answer = diagnose(facts, detected.cases, isolation)
    lists = ReportLists(facts, findings, answer.diagnoses, isolation)
    report = Report(
        schema="stallscope.report/1",
        label=label,
        created=created,
        tool=ToolPart(version=tool_version),
        inputs=sorted(_with_interface_names(inputs, facts), key=lambda i: (i.name, i.sha256)),
        findings=findings,
        diagnoses=answer.diagnoses,
        checked=agree_with_findings([*detected.checked, *isolation.failed], findings, answer.diagnoses),
        account=answer.account,
        outcomes=lists.outcomes,
        requests=lists.requests,
        quality=[*lists.quality, *cautions_of_inputs(inputs)],
        lanes=lists.lanes,
        destinations=lists.destinations,
        destinations_total=lists.destinations_total,
        counters=lists.counters,
        timings=isolation.timings if timed else [],
    )
    report = _with_names(report, joined.captures, dumps, isolation)
    return Analysis(in_own_files(report, joined), facts, tuple(findings), joined)


def _with_names(
    report: Report, captures: Sequence[Capture], dumps: Sequence[DumpInput], isolation: Isolation
) -> Report:
    """The report with the names of the addresses in it; without any where looking for them broke."""
    texts = map(str, composed_texts([report.findings, report.diagnoses, report.quality]))
    names, total = isolation.run(
        REPORT + "names", lambda: list_names(gather_names(captures, dumps), captures, texts), ([], 0)
    )
    return report.model_copy(update={"names": names, "names_total": total})


def _with_interface_names(inputs: Sequence[InputPart], facts: Facts) -> list[InputPart]:
    """Vantage points are named where the files were read one by one; a listing of another file may name them."""
    names = {place.id: place.name for place in facts.attempts.places}
    return [
        each.model_copy(
            update={
                "vantage_points": [
                    point.model_copy(update={"name": names.get(point.id, point.name)})
                    for point in each.vantage_points
                ]
            }
        )
        for each in inputs
    ]
