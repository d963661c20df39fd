"""Which answers are late, and what makes a spell of them."""

from __future__ import annotations

import numpy as np
import pytest

from backend.forensics.detection.contract import Detection
from backend.forensics.detectors.slow_answer.detector import detect
from backend.forensics.detectors.slow_answer.spells import find_spell
from backend.forensics.detectors.slow_answer.thresholds import DEFAULT
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.tests.build_http import HttpBuilder


def found(
    *, late: int = 10, late_ms: float = 2_000, quick: int = 60, quick_ms: float = 3, ack_ms: float | None = 0.1,
    path: str = "/users",
) -> Detection:  # fmt: skip
    """Quick answers, late ones in a row, and quick ones again."""
    http = HttpBuilder()
    for n in range(late + quick):
        slow = quick // 2 <= n < quick // 2 + late
        http.exchange(
            100 + 5_000 * n, f"10.2.0.1:{20_000 + n}", "10.1.0.7:80", f"GET {path}".format(n=n),
            took_ms=late_ms if slow else quick_ms, acknowledged_ms=ack_ms,
        )  # fmt: skip
    return detect(gather_facts([http.build()], []))


@pytest.mark.parametrize(("late", "severity"), [(2, None), (3, "info"), (7, "info"), (8, "warning")])
def test_a_spell_needs_late_answers(late: int, severity: str | None) -> None:
    assert [f.severity for f in found(late=late).findings] == ([severity] if severity else [])


@pytest.mark.parametrize(("quick", "severity"), [(19, "info"), (20, "warning")])
def test_and_quick_ones_around_it(quick: int, severity: str) -> None:
    assert [f.severity for f in found(quick=quick).findings] == [severity]


@pytest.mark.parametrize(
    ("late_ms", "quick_ms", "count"), [(499, 3, 0), (500, 3, 1), (999, 100, 0), (1_000, 100, 1)]
)
def test_late_is_half_a_second_and_ten_times_the_usual(late_ms: float, quick_ms: float, count: int) -> None:
    assert len(found(late_ms=late_ms, quick_ms=quick_ms).findings) == count


@pytest.mark.parametrize(("ack_ms", "count"), [(None, 0), (250, 1), (251, 0)])
def test_the_request_must_have_been_acknowledged_at_once(ack_ms: float | None, count: int) -> None:
    assert len(found(ack_ms=ack_ms).findings) == count


@pytest.mark.parametrize(("late_ms", "count"), [(800, 1), (799, 0)])
def test_an_acknowledgement_is_at_once_by_a_quarter_of_the_wait(late_ms: float, count: int) -> None:
    assert len(found(late_ms=late_ms, ack_ms=200).findings) == count


def test_numbers_in_the_path_make_no_other_request() -> None:
    (finding,) = found(path="/users/{n}").findings
    assert (finding.measures["request"], finding.measures["requests_total"]) == ("GET /users/*", 70)


def test_it_counts_what_was_lost_and_to_whom() -> None:
    (finding,) = found().findings
    assert (finding.count, finding.time_lost_s) == (10, 19.97)
    assert finding.affected == [{"protocol": "tcp", "source": "10.2.0.1", "destination": "10.1.0.7:80"}]
    assert finding.evidence[0].frames[:2] == [61, 62]
    assert len(finding.marks) == len(finding.events) == 10


@pytest.mark.parametrize(("late_together", "spell"), [(3, False), (5, True)])
def test_a_spell_is_nearly_all_late(late_together: int, spell: bool) -> None:
    """One quick answer after so many late ones: 75 % and 83 % late."""
    run = ([True] * late_together + [False]) * 6
    late = np.array([False] * 40 + run + [False] * 40)
    assert (find_spell(late, DEFAULT) is not None) == spell


@pytest.mark.parametrize(("others", "spell"), [(10, True), (12, False)])
def test_late_ones_elsewhere_are_no_quiet_around(others: int, spell: bool) -> None:
    around = np.zeros(110, np.bool_)
    around[: others * 5 : 5] = True
    late = np.concatenate([around, np.ones(9, np.bool_)])
    assert (find_spell(late, DEFAULT) is not None) == spell


def test_shuffled_late_answers_make_no_spell() -> None:
    rng = np.random.default_rng(5)
    for _ in range(500):
        late = np.zeros(300, np.bool_)
        late[rng.choice(300, rng.integers(8, 60), replace=False)] = True
        assert find_spell(late, DEFAULT) is None
