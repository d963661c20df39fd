"""SYN-ACKs that leave for another host than the client: what makes it surer, what takes it away."""

from __future__ import annotations

import pytest

from backend.forensics.diagnosis.causes.nodeport_port_collision import CAUSE
from backend.forensics.diagnosis.causes.tests.build_losses import (
    SERVER,
    Losses,
    confidence,
    diagnosis,
    sysctl,
)

ENDPOINT = "10.0.0.9:8080"


def misdelivered(number: int = 4, *, first_port: int = 30_000) -> Losses:
    losses = Losses().usual(SERVER, 20)
    losses.first_port(first_port)
    return losses.unheard(SERVER, number, sent_to=ENDPOINT)


def test_answers_that_left_for_another_host_are_named_and_not_lost() -> None:
    capture = misdelivered().build()
    found = diagnosis(CAUSE, capture)
    assert found is not None
    assert (found.verdict, found.attempts_explained) == ("likely", 4)
    assert f"sent to {ENDPOINT} instead" in found.statement
    assert confidence("return-path-loss", capture) < 0.5


@pytest.mark.parametrize(("number", "named"), [(2, False), (3, True)])
def test_so_many_are_needed(number: int, named: bool) -> None:
    assert (diagnosis(CAUSE, misdelivered(number).build()) is not None) == named


@pytest.mark.parametrize(
    ("first_port", "surer"), [(29_999, False), (30_000, True), (32_764, True), (32_765, False)]
)
def test_ports_of_node_port_services_make_it_surer(first_port: int, surer: bool) -> None:
    base = confidence(CAUSE, misdelivered(first_port=20_000).build())
    assert (confidence(CAUSE, misdelivered(first_port=first_port).build()) > base) == surer


@pytest.mark.parametrize(("ports", "surer"), [("32767 60999", True), ("32768 60999", False)])
def test_a_range_of_the_node_that_reaches_into_them_makes_it_surer(ports: str, surer: bool) -> None:
    capture = misdelivered(first_port=20_000).build()
    setting = sysctl(**{"net.ipv4.ip_local_port_range": ports})
    assert (confidence(CAUSE, capture, setting) > confidence(CAUSE, capture)) == surer


def test_an_answer_that_is_seen_nowhere_again_is_lost() -> None:
    capture = Losses().usual(SERVER, 20).unheard(SERVER, 4).build()
    assert diagnosis(CAUSE, capture) is None
    assert confidence("return-path-loss", capture) > 0.5


def test_an_answer_of_another_connection_to_that_host_is_its_own() -> None:
    capture = Losses().usual(SERVER, 20).usual(SERVER, 5, client="10.0.0.9").unheard(SERVER, 4).build()
    assert diagnosis(CAUSE, capture) is None
