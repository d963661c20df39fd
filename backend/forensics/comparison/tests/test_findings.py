"""What is new, gone, worse or better, and where chance or a missing check forbids to say so."""

import pytest

from backend.forensics.comparison.result import FindingChangePart
from backend.forensics.comparison.tests.build_report import SERVER, compare, destination, finding, report
from backend.forensics.report import ClaimPart, DiagnosisPart, EvidencePart, FindingPart, Report

PRESSURE = "conntrack-pressure"


def _with(*findings: FindingPart, attempts: int = 500, seconds: int = 30) -> Report:
    return report(destination(attempts=attempts), findings=findings, seconds=seconds)


def _only(base: Report, candidate: Report) -> FindingChangePart:
    [part] = compare(base, candidate).findings
    return part


def test_a_finding_on_one_side_is_new_or_gone() -> None:
    seen, nothing = _with(finding(count=29)), _with()
    assert _only(nothing, seen).state == "new"
    assert _only(seen, nothing).state == "gone"
    assert (compare(nothing, seen).verdict, compare(seen, nothing).verdict) == ("worse", "better")


@pytest.mark.parametrize(("count", "state"), [(7, "cannot-tell"), (8, "new")])
def test_what_chance_explains_is_not_new(count: int, state: str) -> None:
    part = _only(_with(), _with(finding(count=count)))
    assert (part.state, part.candidate and part.candidate.out_of) == (state, 500)


def test_what_happens_once_in_time_needs_no_count_to_be_new() -> None:
    assert _only(_with(), _with(finding(PRESSURE, count=1, severity="critical", at=""))).state == "new"


def test_what_the_other_side_could_not_be_checked_for_is_neither_new_nor_gone() -> None:
    blind = report(destination(), unchecked=[PRESSURE])
    seen = _with(finding(PRESSURE, count=3, severity="critical", at=""))
    part = _only(blind, seen)
    assert part.state == "cannot-tell"
    assert "no dump was given" in part.because
    assert _only(seen, blind).state == "cannot-tell"


@pytest.mark.parametrize(("count", "state"), [(40, "same"), (90, "worse")])
def test_a_finding_on_both_sides_is_worse_where_its_share_grew(count: int, state: str) -> None:
    assert _only(_with(finding(count=30)), _with(finding(count=count))).state == state


def test_twice_the_findings_of_twice_the_attempts_are_the_same() -> None:
    part = _only(_with(finding(count=30)), _with(finding(count=60), attempts=1000))
    assert part.state == "same"


def test_what_is_not_counted_in_attempts_is_counted_in_time() -> None:
    base = _with(finding("rtt-backlog", count=20), seconds=10)
    assert _only(base, _with(finding("rtt-backlog", count=60), seconds=30)).state == "same"
    assert _only(base, _with(finding("rtt-backlog", count=60), seconds=10)).state == "worse"


def test_a_note_that_became_a_warning_is_worse() -> None:
    note, warning = _with(finding(count=10, severity="info")), _with(finding(count=90, severity="warning"))
    assert _only(note, warning).state == "worse"
    assert _only(warning, note).state == "better"


def test_a_note_that_became_a_warning_by_chance_is_left_open() -> None:
    note, warning = _with(finding(count=29, severity="info")), _with(finding(count=31, severity="warning"))
    assert _only(note, warning).state == "cannot-tell"
    assert _only(warning, note).state == "cannot-tell"


def test_notes_decide_nothing() -> None:
    found = compare(_with(), _with(finding(count=300, severity="info")))
    assert [part.state for part in found.findings] == ["new"]
    assert found.verdict == "same"


def test_a_finding_follows_its_service_to_a_new_address() -> None:
    base = _with(finding(count=30))
    moved = report(destination("10.9.0.7:80"), findings=[finding(count=30, at="10.9.0.7:80")])
    assert _only(base, moved).state == "same"


def test_a_report_against_itself_is_the_same() -> None:
    one = _with(finding(count=30), finding(PRESSURE, count=1, at=""))
    found = compare(one, one)
    assert {part.state for part in found.findings} == {"same"}
    assert found.verdict == "same"


def _caused(report_part: Report, cause: str) -> Report:
    proof = EvidencePart(input="a.pcap", frames=[1])
    diagnosis = DiagnosisPart(
        cause=cause,
        title=cause,
        confidence=0.95,
        verdict="confirmed",
        statement="",
        claims=[ClaimPart(role="for", text="seen", evidence=[proof])],
        findings=[each.id for each in report_part.findings],
    )
    return report_part.model_copy(update={"diagnoses": [diagnosis]})


def test_a_cause_is_as_new_as_its_findings() -> None:
    seen, nothing = _caused(_with(finding(count=29)), "snat-port-race"), _with()
    [new] = compare(nothing, seen).causes
    [gone] = compare(seen, nothing).causes
    [same] = compare(seen, seen).causes
    assert (new.state, gone.state, same.state) == ("new", "gone", "same")
    assert (new.base, new.candidate) == (None, "confirmed")


def test_a_cause_that_only_more_evidence_named_is_not_new() -> None:
    bare = _with(finding(count=29))
    [part] = compare(bare, _caused(bare, "snat-port-race")).causes
    assert part.state == "cannot-tell"


def test_a_long_list_of_differences_is_counted_in_the_statement() -> None:
    many = [finding(count=50, at=f"fd00:1234:5678:9abc::{n}", number=n) for n in range(30)]
    found = compare(_with(), _with(*many))
    assert len(found.statement) <= 160
    assert (
        compare(_with(), _with(finding(count=50))).statement == f"Worse: syn-retransmission new at {SERVER}."
    )


def test_nothing_in_common_cannot_be_compared() -> None:
    blind = report(unchecked=["syn-retransmission", PRESSURE, "rtt-backlog"])
    assert compare(blind, blind).verdict == "cannot-tell"
