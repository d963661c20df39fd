"""No report contradicts itself: findings, checks, warnings of the files, and the time lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.forensics.lost_time import total_lost_s
from backend.forensics.report import Report
from workers.tests.lab.evidence import Instance, instances_below, report_on

SHORT = ("healthy", "more-idle-drop")


def contradictions(report: Report) -> Iterator[str]:
    """What one part of the report denies of another, a line each."""
    yield from _of_checks(report)
    yield from _of_warnings(report)
    total = total_lost_s(report.diagnoses, report.findings)
    if report.diagnoses and total + 1e-6 < max(each.time_lost_s for each in report.diagnoses):
        yield f"{total} s lost, less than one of the diagnoses says"


def _of_checks(report: Report) -> Iterator[str]:
    kinds = {finding.kind for finding in report.findings}
    resting = {name for each in report.diagnoses if each.verdict != "cannot-tell" for name in each.findings}
    explained = {finding.kind for finding in report.findings if finding.id in resting}
    for check in report.checked:
        if (check.kind in kinds) != (check.status in ("found", "harmless")):
            yield f"{check.kind} is {check.status}, and {'has' if check.kind in kinds else 'has no'} findings"
        if check.kind in explained and check.status != "found":
            yield f"{check.kind} is {check.status}, and a diagnosis rests on it"


def _of_warnings(report: Report) -> Iterator[str]:
    cautions = [line.text for line in report.quality if line.status == "caution"]
    for part in report.inputs:
        own = " ".join(text for text in cautions if text.startswith(f"{part.name}: "))
        for warning in part.warnings:
            if warning.rstrip(".") not in own:
                yield f"{part.name}: {warning} is not under capture quality"


def broken_in(instance: Instance) -> list[str]:
    reports = ((case["name"], report_on(instance.files(case))) for case in instance.cases)
    return [
        f"{name}: {line}" for name, report in reports if report is not None for line in contradictions(report)
    ]


@pytest.mark.parametrize("name", SHORT)
def test_a_few_reports_do_not_contradict_themselves(extra_captures: Path, name: str) -> None:
    assert broken_in(Instance(extra_captures / "lab" / name)) == []


@pytest.mark.long
def test_no_report_on_recorded_incidents_contradicts_itself(extra_captures: Path) -> None:
    assert [line for each in instances_below(extra_captures / "lab") for line in broken_in(each)] == []
