"""JUnit XML: one test case for each thing that was looked for or compared; what is wrong is a failure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from xml.etree import ElementTree

from backend.forensics.cause_groups import headline_of
from backend.forensics.comparison.result import Comparison
from backend.forensics.report import CheckedPart, FindingPart, Report
from backend.services.comparison_words import (
    STATES,
    Change,
    all_changes,
    is_failure,
    kind_of,
    name_of,
    severity_of,
)
from backend.services.report_words import looked_for, plain_verdict

_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""XML 1.0 has no character for these, not even escaped."""


@dataclass(frozen=True)
class _Case:
    kind: str
    name: str
    state: Literal["passed", "failed", "skipped"]
    message: str = ""
    severity: str = ""


def render_comparison_junit(comparison: Comparison) -> str:
    """With a final line end. What cannot be determined is skipped, with the reason."""
    name = f"{comparison.candidate.label} against {comparison.base.label}"
    cases = [_of_change(change) for change in all_changes(comparison)]
    return _document("stallscope compare", name, comparison.created, cases, comparison.statement)


def render_report_junit(report: Report) -> str:
    """A case for each kind that was looked for, and one for each finding; notes (severity info) pass."""
    cases = [_of_finding(finding) for finding in report.findings]
    cases += [_of_checked(checked) for checked in looked_for(report) if checked.status != "found"]
    first = headline_of(report.diagnoses, report.destinations_total)
    message = first.statement if first else f"{plain_verdict(report)}."
    return _document("stallscope", report.label, report.created, cases, message)


def _of_change(change: Change) -> _Case:
    message = f"{STATES[change.state]}: {change.because}"
    if is_failure(change):
        return _Case(kind_of(change), name_of(change), "failed", message, severity_of(change))
    state: Literal["passed", "skipped"] = "skipped" if change.state == "cannot-tell" else "passed"
    return _Case(kind_of(change), name_of(change), state, message)


def _of_finding(finding: FindingPart) -> _Case:
    state: Literal["passed", "failed"] = "passed" if finding.severity == "info" else "failed"
    return _Case(finding.kind, finding.title, state, finding.summary, finding.severity)


def _of_checked(checked: CheckedPart) -> _Case:
    return _Case(
        checked.kind,
        checked.kind,
        "passed" if checked.status in ("clear", "harmless") else "skipped",
        checked.why,
    )


def _document(tool: str, name: str, created: str, cases: Sequence[_Case], sentence: str) -> str:
    counts = {
        "tests": str(len(cases)),
        "failures": str(sum(case.state == "failed" for case in cases)),
        "errors": "0",
    }
    # The root has no count of skipped cases in Jenkins' schema.
    suites = ElementTree.Element("testsuites", {"name": tool, **counts})
    skipped = str(sum(case.state == "skipped" for case in cases))
    about = {"name": _clean(name), "timestamp": created.removesuffix("Z"), **counts, "skipped": skipped}
    suite = ElementTree.SubElement(suites, "testsuite", about)
    for case in cases:
        about = {"classname": f"stallscope.{case.kind}", "name": _clean(case.name), "time": "0"}
        element = ElementTree.SubElement(suite, "testcase", about)
        if case.state == "failed":
            message = {"message": _clean(case.message), "type": case.severity}
            ElementTree.SubElement(element, "failure", message).text = _clean(f"{case.name}: {case.message}")
        elif case.state == "skipped":
            ElementTree.SubElement(element, "skipped", {"message": _clean(case.message)})
    ElementTree.SubElement(suite, "system-out").text = _clean(sentence)
    ElementTree.indent(suites)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"
    )


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)
