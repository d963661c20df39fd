"""The server's answer is seen on one side and not on the other."""

from __future__ import annotations

from backend.forensics.diagnosis.causes.tests.build_losses import SERVER, Losses, confidence, diagnosis

CAUSE = "return-path-loss"


def unheard(number: int = 4) -> Losses:
    return Losses().usual(SERVER, 20).unheard(SERVER, number)


def test_an_answer_seen_outside_and_not_inside_makes_it_likely() -> None:
    found = diagnosis(CAUSE, unheard().build())
    assert found is not None
    assert (found.verdict, found.attempts_explained) == ("likely", 4)
    assert "between eth0 and cni0" in found.statement


def test_syns_without_any_answer_refute_it() -> None:
    capture = unheard(1).late(SERVER, 8).build()
    assert confidence(CAUSE, capture) < 0.5


def test_no_answer_no_such_cause() -> None:
    assert diagnosis(CAUSE, Losses().usual(SERVER, 20).late(SERVER, 4).build()) is None


def test_one_vantage_point_only_sees_that_the_answer_passed() -> None:
    capture = Losses("eth0").usual(SERVER, 20).unheard(SERVER, 4).build()
    assert 0.0 < confidence(CAUSE, capture) <= 0.5


def test_an_answer_that_reached_the_innermost_place_is_placed_less_surely() -> None:
    everywhere = Losses().usual(SERVER, 20).unheard(SERVER, 4, answer_seen_at=("cni0", "eth0")).build()
    assert confidence(CAUSE, everywhere) < confidence(CAUSE, unheard().build())
