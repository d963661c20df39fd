"""A comparison as JUnit XML: one test case for each thing that was compared; worse is a failure."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from backend.forensics.comparison.result import Comparison
from backend.services.comparison_words import STATES, all_changes, is_failure, kind_of, name_of, severity_of

_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""XML 1.0 has no character for these, not even escaped."""


def render_comparison_junit(comparison: Comparison) -> str:
    """With a final line end. What cannot be told is skipped, with the reason."""
    changes = all_changes(comparison)
    failures = sum(is_failure(change) for change in changes)
    skipped = sum(change.state == "cannot-tell" for change in changes)
    counts = {"tests": str(len(changes)), "failures": str(failures), "skipped": str(skipped), "errors": "0"}
    suites = ElementTree.Element("testsuites", {"name": "stallscope compare", **counts})
    suite = ElementTree.SubElement(
        suites,
        "testsuite",
        {
            "name": _clean(f"{comparison.candidate.label} against {comparison.base.label}"),
            "timestamp": comparison.created.removesuffix("Z"),
            **counts,
        },
    )
    for change in changes:
        about = {"classname": f"stallscope.{kind_of(change)}", "name": _clean(name_of(change)), "time": "0"}
        case = ElementTree.SubElement(suite, "testcase", about)
        message = _clean(f"{STATES[change.state]}: {change.because}")
        if is_failure(change):
            failure = ElementTree.SubElement(
                case, "failure", {"message": message, "type": severity_of(change)}
            )
            failure.text = _clean(f"{name_of(change)} is {STATES[change.state]}: {change.because}")
        elif change.state == "cannot-tell":
            ElementTree.SubElement(case, "skipped", {"message": message})
    ElementTree.SubElement(suite, "system-out").text = _clean(comparison.statement)
    ElementTree.indent(suites)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"
    )


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)
