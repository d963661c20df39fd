import pytest

from backend.forensics.detection.discovery import discover_detectors, list_kinds
from backend.forensics.diagnosis.causes import list_causes
from backend.forensics.diagnosis.run import REST, discover_causes
from workers.cli.fail_on import FailOn, read_fail_on, reasons_to_fail
from workers.cli.tests.reports import collision_report, empty_report
from workers.cli.usage import WrongUsage


def test_nothing_asked_for_never_fails() -> None:
    assert read_fail_on("") == FailOn()
    assert reasons_to_fail(collision_report(), FailOn()) == []


@pytest.mark.parametrize(
    "text", ["critical", "warning", "info", "tuple-collision", "snat-port-race", "dns-delay, critical"]
)
def test_what_was_asked_for_and_found_fails(text: str) -> None:
    assert reasons_to_fail(collision_report(), read_fail_on(text)) != []


@pytest.mark.parametrize("text", ["dns-delay", "ipvs-port-reuse", "port-reuse,receive-queue-stall"])
def test_what_was_asked_for_and_not_found_passes(text: str) -> None:
    assert reasons_to_fail(collision_report(), read_fail_on(text)) == []


def test_a_severity_counts_from_there_on() -> None:
    report = collision_report(severity="warning")
    assert reasons_to_fail(report, read_fail_on("info")) != []
    assert reasons_to_fail(report, read_fail_on("critical")) == []


def test_a_cause_that_cannot_be_told_passes() -> None:
    report = collision_report(verdict="cannot-tell")
    assert reasons_to_fail(report, read_fail_on("snat-port-race")) == []


def test_a_clean_report_passes_everything() -> None:
    assert reasons_to_fail(empty_report(), read_fail_on("info,snat-port-race,tuple-collision")) == []


def test_an_unknown_word_is_wrong_usage_and_named() -> None:
    with pytest.raises(WrongUsage, match="“eror”"):
        read_fail_on("warning,eror")


@pytest.mark.parametrize(
    "word", ["unknown", "slow-server", "idle-timeout", "queue-buildup", "conntrack-invalid"]
)
def test_every_kind_and_cause_that_there_is_can_be_asked_for(word: str) -> None:
    asked = read_fail_on(word)
    assert asked.kinds | asked.causes == {word}


def test_the_names_are_those_that_detectors_and_causes_give_themselves() -> None:
    assert [d.kind for d in discover_detectors()] == list(list_kinds())
    assert {name for name, _ in discover_causes()} | {REST} == set(list_causes())
