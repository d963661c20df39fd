"""Reports and comparisons of many kinds, as JUnit and SARIF, against the published schemas."""

from __future__ import annotations

import json

import pytest

from backend.forensics.comparison.tests.build_report import compare, destination, finding, report
from backend.services.render_junit import render_comparison_junit, render_report_junit
from backend.services.render_sarif import render_comparison_sarif, render_report_sarif
from backend.services.tests.published_schemas import junit_violations, sarif_violations

HOSTILE = "\x00\x1b[2J]]>&<x> \ufffe %zz /../"

REPORTS = {
    "good": report(destination()),
    "bad": report(destination(sent_again=50), findings=[finding(count=50)]),
    "terrible": report(destination(sent_again=300), findings=[finding(count=300)]),
    "note": report(destination(), findings=[finding(count=1, severity="info")]),
    "critical": report(destination(), findings=[finding(count=500, severity="critical", at="")]),
    "silent": report(unchecked=("syn-retransmission",)),
    "hostile": report(destination(), findings=[finding(count=50, at=HOSTILE)]).model_copy(
        update={"label": HOSTILE}
    ),
}


@pytest.mark.parametrize("name", REPORTS)
def test_every_report_and_its_comparisons_are_valid(name: str) -> None:
    assert sarif_violations(render_report_sarif(REPORTS[name])) == []
    assert junit_violations(render_report_junit(REPORTS[name])) == []
    for base in REPORTS.values():
        compared = compare(base, REPORTS[name])
        assert sarif_violations(render_comparison_sarif(compared)) == []
        assert junit_violations(render_comparison_junit(compared)) == []


def test_every_state_of_a_change_is_among_them() -> None:
    both = [(base, candidate) for base in REPORTS.values() for candidate in REPORTS.values()]
    states = {change.state for base, candidate in both for change in compare(base, candidate).findings}
    assert states == {"new", "gone", "worse", "better", "same", "cannot-tell"}


def test_the_schemas_refuse_what_is_wrong() -> None:
    document = json.loads(render_report_sarif(REPORTS["bad"]))
    document["runs"][0]["results"][0]["level"] = "fatal"
    (told,) = sarif_violations(json.dumps(document))
    assert "'fatal' is not one of" in told
    text = render_report_junit(REPORTS["bad"])
    (told,) = junit_violations(text.replace("<testsuites ", '<testsuites rubbish="1" '))
    assert "rubbish" in told
