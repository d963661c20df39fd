"""A lossy path loses data as often as SYNs."""

from __future__ import annotations

import pytest

from backend.forensics.diagnosis.causes.tests.build_losses import (
    OTHER_PORT,
    SERVER,
    Losses,
    add_data,
    confidence,
    diagnosis,
    with_first_data,
)

CAUSE = "path-loss"


def lossy(late: int = 8, usual: int = 72) -> Losses:
    return Losses().usual(SERVER, usual).late(SERVER, late)


def test_data_lost_at_the_rate_of_the_syns_makes_it_likely() -> None:
    found = diagnosis(CAUSE, add_data(lossy().build(), 400, 40))
    assert found is not None
    assert (found.verdict, found.claims[0].role) == ("likely", "step")
    assert "Fisher" not in found.statement
    assert "40 of 400 data segments" in found.statement


def test_data_that_passes_where_syns_are_lost_refutes_it() -> None:
    capture = lossy(late=20).build()
    add_data(capture, 20_000, 4)
    assert confidence(CAUSE, capture) < 0.5


def test_syns_lost_inside_the_node_refute_it() -> None:
    capture = Losses().usual(SERVER, 50).late(SERVER, 6, seen_at=1).build()
    add_data(capture, 400, 40)
    assert confidence(CAUSE, capture) == 0.0


def test_few_losses_cannot_be_told_from_chance() -> None:
    one = Losses("eth0").usual(SERVER, 10).late(SERVER, 1).build()
    add_data(one, 100, 5)
    assert confidence(CAUSE, one) <= 0.5


@pytest.mark.parametrize(("number", "sure"), [(1, False), (2, True)])
def test_one_lost_syn_is_an_accident_and_even_odds_at_most(number: int, sure: bool) -> None:
    capture = Losses().usual(SERVER, 6).late(SERVER, number).late(OTHER_PORT, 1).build()
    add_data(capture, 400, 50)
    assert (confidence(CAUSE, capture) > 0.5) == sure


def test_first_data_alone_is_what_a_full_accept_queue_drops_as_well() -> None:
    """The queue drops what follows the third packet; a path loses the server's data and later data, too."""
    client = Losses("eth0").usual(SERVER, 16).late(SERVER, 16).build()
    first = with_first_data(client, again=4, later_again=0)
    later = with_first_data(client, again=4, later_again=6)
    assert confidence(CAUSE, first) < 0.5 < confidence(CAUSE, later)


@pytest.mark.parametrize(
    ("unheard", "late", "said"),
    [(0, 8, "their SYN was"), (2, 8, "SYN or the SYN-ACK was")],
)
def test_the_statement_says_what_was_lost(unheard: int, late: int, said: str) -> None:
    capture = Losses().usual(SERVER, 40).late(SERVER, late).unheard(SERVER, unheard).build()
    found = diagnosis(CAUSE, add_data(capture, 400, 40))
    assert found is not None
    assert said in found.statement


def test_without_the_data_the_number_falls() -> None:
    capture = lossy().build()
    plain = confidence(CAUSE, capture)
    add_data(capture, 400, 40)
    assert confidence(CAUSE, capture) > plain
