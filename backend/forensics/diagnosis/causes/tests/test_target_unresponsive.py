"""A dead host is told from a silent port by all that a living host would have said."""

from __future__ import annotations

import pytest

from backend.forensics.diagnosis.causes.target_unresponsive import SILENCE_CEILING
from backend.forensics.diagnosis.causes.tests.build_losses import (
    HOST,
    OTHER_HOST,
    OTHER_PORT,
    SERVER,
    Losses,
    confidence,
    diagnosis,
)
from backend.forensics.diagnosis.causes.tests.build_tracking import unreplied

CAUSE = "target-unresponsive"


def dead() -> Losses:
    return Losses().usual(OTHER_HOST, 20).silent(SERVER, 2)


def reported() -> Losses:
    """A router says that the host is unreachable."""
    return dead().told(SERVER, 1)


def test_a_host_that_says_nothing_may_be_down() -> None:
    found = diagnosis(CAUSE, dead().build())
    assert found is not None
    assert (found.verdict, found.confidence) == ("possible", SILENCE_CEILING)
    assert "down, unreachable or behind a rule that drops everything" in found.statement
    assert {r.cause: r.status for r in found.rivals}["firewall-drop"] == "possible"


def test_an_icmp_error_and_the_kernels_view_make_it_likely() -> None:
    told = reported().build()
    found = diagnosis(CAUSE, told, unreplied(SERVER))
    assert found is not None
    assert "seems down or unreachable" in found.statement
    assert found.verdict in ("likely", "confirmed")
    assert found.confidence > confidence(CAUSE, told)


@pytest.mark.parametrize("refused", [False, True], ids=["opened", "refused"])
def test_any_answer_of_the_host_refutes_it(refused: bool) -> None:
    assert confidence(CAUSE, dead().usual(OTHER_PORT, 1, refused=refused).build()) < 0.5
    assert confidence(CAUSE, dead().usual(SERVER, 1, refused=refused).build()) < 0.5


def test_a_host_heard_only_before_it_fell_silent_may_be_down() -> None:
    assert confidence(CAUSE, Losses().usual(SERVER, 3, client="10.0.0.9").silent(SERVER, 2).build()) == 0.0
    heard_before = Losses().usual(OTHER_PORT, 3).usual(OTHER_HOST, 9).silent(SERVER, 2)
    assert confidence(CAUSE, heard_before.build()) == SILENCE_CEILING
    assert confidence(CAUSE, heard_before.told(SERVER, 1).build()) > 0.5


def test_one_vantage_point_is_less_sure_and_says_what_to_ask() -> None:
    found = diagnosis(CAUSE, Losses("eth0").usual(OTHER_HOST, 20).silent(SERVER, 1).build())
    assert found is not None
    assert found.confidence <= 0.5
    assert any("ip neigh" in m.command for m in found.missing)


def test_without_any_answer_of_anyone_the_capture_may_show_one_direction() -> None:
    alone = Losses("eth0").silent(SERVER, 2).build()
    beside_others = Losses("eth0").usual(OTHER_HOST, 20).silent(SERVER, 2).build()
    assert confidence(CAUSE, alone) < confidence(CAUSE, beside_others)


def test_fewer_syns_and_attempts_count_less() -> None:
    many, one, short = (
        confidence(
            CAUSE, Losses("eth0").usual(OTHER_HOST, 20).silent(SERVER, attempts, gaps_s=gaps_s).build()
        )
        for attempts, gaps_s in ((2, (1, 2, 4)), (1, (1, 2, 4)), (1, (1,)))
    )
    assert short < one <= many


def test_a_lossy_capture_lowers_it() -> None:
    capture = dead().build()
    before = confidence(CAUSE, capture)
    capture.connections["lost_segments"][0] = 50
    assert confidence(CAUSE, capture) < before


def test_it_explains_the_time_of_its_attempts() -> None:
    found = diagnosis(CAUSE, dead().build())
    assert found is not None
    assert found.attempts_explained == 2
    assert found.time_lost_s == pytest.approx(14.0)
    assert HOST in found.statement
