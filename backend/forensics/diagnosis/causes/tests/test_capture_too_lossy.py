"""A capture with holes is named as such, where absence is judged."""

from __future__ import annotations

from backend.forensics.captures import Capture
from backend.forensics.diagnosis.causes.tests.build_losses import SERVER, Losses, confidence, diagnosis

CAUSE = "capture-too-lossy"


def with_holes(holes: int, *, late: int = 2) -> Capture:
    capture = Losses().usual(SERVER, 20).late(SERVER, late).build(data=(1_000, 0))
    capture.connections["lost_segments"][0] = holes
    return capture


def test_a_percent_of_holes_is_sure_and_a_few_are_not() -> None:
    assert confidence(CAUSE, with_holes(200)) > confidence(CAUSE, with_holes(5)) > 0.3


def test_three_holes_are_none() -> None:
    assert diagnosis(CAUSE, with_holes(3)) is None


def test_without_a_lost_syn_nothing_rests_on_absence() -> None:
    assert diagnosis(CAUSE, with_holes(200, late=0)) is None


def test_it_explains_no_delay() -> None:
    found = diagnosis(CAUSE, with_holes(200))
    assert found is not None
    assert (found.attempts_explained, found.time_lost_s) == (0, 0.0)
