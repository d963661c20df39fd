"""Both sides of what makes a wait or a share worth naming."""

from dataclasses import replace

import numpy as np
import pytest

from backend.forensics.comparison.result import ShareChangePart, WaitChangePart
from backend.forensics.comparison.tests.build_report import SERVER, compare, destination, report
from backend.forensics.comparison.thresholds import Thresholds

LIMITS = Thresholds()
USUAL_MS = np.random.default_rng(7).gamma(8, 0.5, 500)
AGAIN_MS = np.random.default_rng(8).gamma(8, 0.5, 500)


def _wait(
    base: "np.ndarray[tuple[int], np.dtype[np.float64]]", candidate: object, **limits: float
) -> WaitChangePart:
    sides = [report(destination(service_ms=np.asarray(each))) for each in (base, candidate)]
    [part] = compare(*sides, thresholds=replace(LIMITS, **limits)).waits  # type: ignore[arg-type]
    return part


def _share(base: int, candidate: int, out_of: int = 2000) -> ShareChangePart:
    sides = [report(destination(attempts=out_of, sent_again=each)) for each in (base, candidate)]
    [part] = compare(*sides).shares
    return part


@pytest.mark.parametrize(("added_ms", "state"), [(0.9, "same"), (2.0, "worse")])
def test_a_shift_must_exceed_a_millisecond(added_ms: float, state: str) -> None:
    part = _wait(USUAL_MS, AGAIN_MS + added_ms)
    assert (part.state, part.p_adjusted is not None and part.p_adjusted < LIMITS.p_max) == (state, True)
    assert _wait(AGAIN_MS + added_ms, USUAL_MS).state == {"same": "same", "worse": "better"}[state]


@pytest.mark.parametrize(("factor", "state"), [(1.05, "same"), (1.3, "worse")])
def test_a_shift_must_exceed_a_tenth_of_the_median(factor: float, state: str) -> None:
    part = _wait(USUAL_MS + 100, (AGAIN_MS + 100) * factor)
    assert part.shift_ms > LIMITS.shift_min_ms
    assert part.state == state


def test_a_shift_below_the_smallest_would_be_named_with_a_looser_limit() -> None:
    assert _wait(USUAL_MS, AGAIN_MS + 0.9, shift_min_ms=0.1, shift_min_ratio=0.01).state == "worse"


@pytest.mark.parametrize(("slow", "state"), [(4, "same"), (40, "worse")])
def test_a_few_slow_ones_among_many_are_a_tail(slow: int, state: str) -> None:
    tail = AGAIN_MS.copy()
    tail[:slow] += 200
    part = _wait(USUAL_MS, tail)
    assert abs(part.shift_ms) < LIMITS.shift_min_ms
    assert part.state == state


@pytest.mark.parametrize(("added_ms", "state"), [(8, "same"), (30, "worse")])
def test_a_tail_must_move_by_ten_milliseconds(added_ms: float, state: str) -> None:
    tail = AGAIN_MS.copy()
    tail[:60] += added_ms
    assert _wait(USUAL_MS, tail).state == state


@pytest.mark.parametrize(("samples", "parts"), [(9, 0), (10, 1)])
def test_too_few_samples_are_not_tested_and_that_is_said(samples: int, parts: int) -> None:
    sides = [report(destination(service_ms=USUAL_MS[:n])) for n in (500, samples)]
    found = compare(*sides)
    assert len(found.waits) == parts
    assert any("too few" in sentence for sentence in found.not_compared) == (parts == 0)


def test_ten_against_ten_are_enough_for_what_lies_far_apart() -> None:
    assert _wait(USUAL_MS[:10], AGAIN_MS[:10] + 100).state == "worse"


@pytest.mark.parametrize(("count", "state"), [(8, "same"), (60, "worse")])
def test_a_share_must_grow_by_half_a_percent_and_beyond_chance(count: int, state: str) -> None:
    assert _share(0, count).state == state
    assert _share(count, 0).state == {"same": "same", "worse": "better"}[state]


@pytest.mark.parametrize(("candidate", "state"), [(8600, "same"), (9900, "worse")])
def test_a_share_must_grow_by_half(candidate: int, state: str) -> None:
    part = _share(6000, candidate, out_of=100_000)
    assert part.p_adjusted is not None
    assert part.p_adjusted < LIMITS.p_max
    assert part.state == state


def test_a_service_with_a_new_address_is_found_by_its_port() -> None:
    base = report(destination("10.0.0.2:80", service_ms=USUAL_MS), destination("10.0.0.2:443"))
    found = compare(base, report(destination("10.9.0.7:80", service_ms=AGAIN_MS + 50)))
    [part] = found.waits
    assert (part.state, part.destination, part.base_destination) == ("worse", "10.9.0.7:80", "10.0.0.2:80")
    assert "Only the base has traffic to 10.0.0.2:443." in found.not_compared


def test_two_services_with_one_port_are_not_told_apart_by_it() -> None:
    base = report(destination("10.0.0.2:80", service_ms=USUAL_MS), destination("10.0.0.3:80"))
    assert compare(base, report(destination("10.9.0.7:80", service_ms=AGAIN_MS))).waits == []


def test_more_destinations_raise_what_each_must_show() -> None:
    far = [report(*(destination(f"10.0.0.{n}:80", service_ms=USUAL_MS) for n in range(20)))]
    far.append(report(*(destination(f"10.0.0.{n}:80", service_ms=AGAIN_MS) for n in range(20))))
    found = compare(*far)
    assert len(found.waits) == 20
    assert all(part.p_adjusted is not None and part.p_adjusted >= part.p_value for part in found.waits)


def test_the_statement_names_the_difference() -> None:
    sides = [report(destination(service_ms=each)) for each in (USUAL_MS, AGAIN_MS + 50)]
    found = compare(*sides)
    assert found.verdict == "worse"
    assert f"service time of {SERVER}" in found.statement
    assert len(found.statement) <= 160
