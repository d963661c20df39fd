"""Whatever breaks loses its own answer: a line says so, and everything else is as without it."""

import logging
import resource
import signal
import time
from dataclasses import replace
from functools import cached_property
from typing import NoReturn

import pytest

from backend.forensics import analyze
from backend.forensics.detection import run as detection
from backend.forensics.detection.discovery import discover_detectors
from backend.forensics.diagnosis import run as diagnosis
from backend.forensics.diagnosis.causes.tests.build_losses import SERVER, Losses, report
from backend.forensics.evidence.facts import Facts
from backend.forensics.isolation import Isolation
from backend.forensics.part_budget import Budget
from backend.forensics.report import Report
from backend.forensics.tests.misbehaving import STOPPED, BrokenError

SECRET = "198.51.100.77"
LISTS = ("requests", "quality", "lanes", "destinations", "counters")


def broken(*_: object, **__: object) -> NoReturn:
    raise BrokenError(SECRET)


@pytest.fixture(autouse=True)
def _as_for_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Isolation, "strict", False)


def made() -> Report:
    return report([Losses().usual(SERVER, 40).late(SERVER, 6).silent("192.0.2.77:80", 3).build()])


def assert_only_line(found: Report, kind: str, log: pytest.LogCaptureFixture) -> None:
    failed = [each for each in found.checked if each.status == "failed"]
    assert [each.kind for each in failed] == [kind]
    assert "BrokenError" in failed[0].why
    assert "test_isolation.py" in log.text
    assert SECRET not in found.model_dump_json() + log.text
    log.clear()


def test_each_detector_may_break(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    whole, detectors = made(), discover_detectors()
    assert {each.kind for each in whole.checked} == {each.kind for each in detectors}
    for number, detector in enumerate(detectors):
        others = (*detectors[:number], replace(detector, detect=broken), *detectors[number + 1 :])
        monkeypatch.setattr(detection, "discover_detectors", lambda others=others: others)
        found = made()
        assert_only_line(found, detector.kind, caplog)
        kept = [each for each in whole.findings if each.kind != detector.kind]
        assert [each.id for each in found.findings] == [each.id for each in kept]
        assert [c for c in found.checked if c.kind != detector.kind] == [
            c for c in whole.checked if c.kind != detector.kind
        ]


def test_each_cause_may_break(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    whole, causes = made(), diagnosis.discover_causes()
    assert {each.cause for each in whole.diagnoses} - {"unknown"}
    for number, (name, _) in enumerate(causes):
        others = (*causes[:number], (name, broken), *causes[number + 1 :])
        monkeypatch.setattr(diagnosis, "discover_causes", lambda others=others: others)
        found = made()
        assert_only_line(found, f"cause:{name}", caplog)
        assert found.findings == whole.findings
        assert name not in {each.cause for each in found.diagnoses}


def test_the_rest_that_nobody_explains_may_break(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("backend.forensics.diagnosis.causes.unknown.assess_rest", broken)
    assert_only_line(made(), "cause:unknown", caplog)


@pytest.mark.parametrize("name", LISTS)
def test_each_list_of_the_report_may_break(
    name: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    makers = dict(
        zip(
            LISTS,
            (
                "describe_served",
                "describe_quality",
                "list_lanes",
                "list_destination_parts",
                "list_counter_sets",
            ),
            strict=True,
        )
    )
    whole = made()
    monkeypatch.setattr(analyze, makers[name], broken)
    found = made()
    assert_only_line(found, f"report:{name}", caplog)
    assert (found.findings, found.diagnoses) == (whole.findings, whole.diagnoses)


def test_a_fact_that_breaks_takes_only_those_that_ask_for_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(Facts, "stamped_syns", property(broken))
    assert_only_line(made(), "cause:paws-or-timestamp-drop", caplog)


@pytest.mark.parametrize(
    "name", [name for name, it in vars(Facts).items() if isinstance(it, cached_property)]
)
def test_each_fact_may_break(
    name: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    whole = made()
    monkeypatch.setattr(Facts, name, property(broken))
    found = made()
    failed = {each.kind for each in found.checked if each.status == "failed"}
    assert {each.kind for each in found.checked} >= {each.kind for each in whole.checked}
    kept = [each.id for each in whole.findings if each.kind not in failed]
    assert [each.id for each in found.findings] == kept
    assert all("BrokenError" in each.why for each in found.checked if each.status == "failed")
    assert SECRET not in found.model_dump_json() + caplog.text


def test_an_answer_that_no_report_can_hold_breaks_at_its_cause(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    whole = made()
    name = next(each.cause for each in whole.diagnoses if each.cause != "unknown")
    assess = dict(diagnosis.discover_causes())[name]

    def strange(*asked: object) -> list[object]:
        return [replace(each, title=None) for each in assess(*asked)]  # type: ignore[arg-type]

    others = tuple((n, strange if n == name else a) for n, a in diagnosis.discover_causes())
    monkeypatch.setattr(diagnosis, "discover_causes", lambda: others)
    assert [c.kind for c in made().checked if c.status == "failed"] == [f"cause:{name}"]
    assert "ValidationError" in caplog.text


def test_tests_are_strict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Isolation, "strict", True)
    monkeypatch.setattr(analyze, "list_lanes", broken)
    with pytest.raises(BrokenError):
        made()


def test_no_line_without_a_break(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        assert not [each for each in made().checked if each.status == "failed"]
    assert not caplog.records


@pytest.mark.parametrize("name", STOPPED)
def test_a_part_that_takes_too_much_is_stopped_and_the_next_one_runs(name: str) -> None:
    misbehave, said = STOPPED[name]
    limits = resource.getrlimit(resource.RLIMIT_DATA), signal.getsignal(signal.SIGPROF)
    # On a loaded machine also allocating takes its time.
    isolation = Isolation(Budget(cpu_s=0.3 if "part_cpu_s" in said else 60, memory_bytes=64 << 20))
    assert isolation.run("first", misbehave, "nothing") == "nothing"
    (failed,) = isolation.failed
    assert (failed.kind, failed.status) == ("first", "failed")
    assert said in failed.why
    assert "misbehaving.py" in isolation.broken[0].places
    assert (resource.getrlimit(resource.RLIMIT_DATA), signal.getsignal(signal.SIGPROF)) == limits
    assert signal.getitimer(signal.ITIMER_PROF) == signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert isolation.run("second", lambda: len(bytes(48 << 20)), 0) == 48 << 20
    assert [timing.kind for timing in isolation.timings] == ["first", "second"]
    assert all(timing.cpu_s > 0 for timing in isolation.timings)


def test_a_part_within_its_budget_is_not_stopped() -> None:
    isolation = Isolation(Budget(cpu_s=60, memory_bytes=256 << 20))

    def work() -> int:
        began = time.process_time()
        while time.process_time() < began + 0.3:
            pass
        return len(bytes(128 << 20))

    assert isolation.run("work", work, 0) == 128 << 20
    assert isolation.failed == ()


def test_a_part_that_is_left_out_is_not_run_and_said() -> None:
    begun: list[str] = []
    isolation = Isolation(without={"first": "it ended its process"}, begins=begun.append)
    assert isolation.run("first", broken, 0) == 0
    assert isolation.run("second", lambda: 1, 0) == 1
    assert [(each.kind, each.why) for each in isolation.failed] == [("first", "it ended its process")]
    assert begun == ["second", ""]
