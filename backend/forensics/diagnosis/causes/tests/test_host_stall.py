"""A host that stands still: what shows it, what cannot be told; and a quota, which keeps the scheduler's period."""

from __future__ import annotations

import pytest

from backend.forensics.diagnosis.causes.cpu_quota_throttling import CAUSE as QUOTA
from backend.forensics.diagnosis.causes.cpu_quota_throttling import keeps_period
from backend.forensics.diagnosis.causes.host_stall import CAUSE, NEXT_TO_RESPONDER_US
from backend.forensics.diagnosis.causes.tests.build_held import both_ends, diagnoses, probes, rival
from backend.forensics.dumps import CounterRow, Dump
from backend.forensics.evidence.kernel.counters import DumpInput


def test_questions_that_arrived_in_time_and_were_answered_late_show_it() -> None:
    found = diagnoses(both_ends("beyond"))[CAUSE]
    assert found.verdict == "likely"
    assert "10.0.0.2 stalled 3 times" in found.statement
    assert rival(found, "receive-queue-stall") == "ruled-out"
    assert all(r.check and r.proof and r.undo and r.side_effect for r in found.remedies)


@pytest.mark.parametrize(("later_us", "verdict"), [(0.0, "likely"), (1.0, "possible")])
def test_only_a_capture_point_next_to_the_responder_shows_it(later_us: float, verdict: str) -> None:
    turnaround_ms = (NEXT_TO_RESPONDER_US + later_us) / 1000
    found = diagnoses(both_ends("beyond", turnaround_ms=turnaround_ms))[CAUSE]
    assert (found.verdict, found.confidence < 0.5) == (verdict, verdict == "possible")


def test_questions_held_before_the_capture_point_are_another_cause() -> None:
    assert CAUSE not in diagnoses(both_ends("forth"))


@pytest.mark.parametrize(
    ("period_s", "keeps"),
    [
        (0.1, True),
        (0.3, True),
        (0.304, True),
        (0.31, False),
        (1.0, True),
        (1.1, False),
        (0.05, False),
        (None, False),
    ],
)
def test_multiples_of_the_schedulers_period(period_s: float | None, keeps: bool) -> None:
    assert keeps_period(period_s) is keeps


def test_stalls_at_that_period_may_be_a_quota() -> None:
    stalls = tuple((1003.0 + 300 * n, 1083.0 + 300 * n) for n in range(12))
    found = diagnoses([probes(stalls=stalls).build()])
    assert found[QUOTA].verdict == "possible"
    assert any("multiple of the scheduler's period" in text for text in found[QUOTA].supporting)
    assert any("kernel's own" in text for text in found[QUOTA].contradicting)


def test_stalls_at_another_period_are_no_quota() -> None:
    stalls = tuple((1003.0 + 370 * n, 1083.0 + 370 * n) for n in range(12))
    assert QUOTA not in diagnoses([probes(stalls=stalls).build()])


@pytest.mark.parametrize(("rise", "verdict"), [(40, "likely"), (0, "cannot-tell")])
def test_the_kernels_count_of_throttled_periods_decides(rise: int, verdict: str) -> None:
    stalls = tuple((1003.0 + 300 * n, 1083.0 + 300 * n) for n in range(12))

    def read(number: int, value: int) -> DumpInput:
        row = CounterRow(1, 0, {"nr_throttled": value})
        dump = Dump("cpu-stat", 1, (), 10**18 + number, "text", counters=(row,))
        return DumpInput(f"cpu-stat-{number}", None, dump)

    found = diagnoses([probes(stalls=stalls).build()], read(0, 7), read(1, 7 + rise))
    assert found[QUOTA].verdict == verdict
