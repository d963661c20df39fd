"""Destinations that differ in nothing but the address are told as one once there are too many for a list."""

from __future__ import annotations

import pytest

from backend.forensics.detection.run import run_detectors
from backend.forensics.detectors.syn_retransmission.thresholds import Thresholds
from backend.forensics.diagnosis.causes.tests.build_losses import OTHER_HOST, Losses
from backend.forensics.diagnosis.run import diagnose
from backend.forensics.evidence.attempts.identical_targets import ANSWERED_APART_MOST, APART_MOST
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.evidence.losses.destinations import Destination


def scan(hosts: int, *, first: int = 1) -> Losses:
    capture = Losses().usual(OTHER_HOST, 5)
    for number in range(first, first + hosts):
        capture.silent(f"198.51.100.{number}:443", 1)
    return capture


def silent(facts: Facts) -> list[Destination]:
    return [d for d in facts.destinations if d.silent]


def test_as_many_as_a_list_may_hold_are_told_apart() -> None:
    found = silent(gather_facts([scan(APART_MOST).build()], []))
    assert [len(d.attempts) for d in found] == [1] * APART_MOST
    assert not any(d.others for d in found)


def test_one_more_makes_them_one_with_the_sum_of_all() -> None:
    facts = gather_facts([scan(APART_MOST + 1).build()], [])
    (found,) = silent(facts)
    assert (found.others, len(found.attempts), found.tried) == (APART_MOST, APART_MOST + 1, APART_MOST + 1)
    assert (len(found.losses), found.syns) == (4 * (APART_MOST + 1), 4 * (APART_MOST + 1))
    assert (found.attempts_each, found.syns_each, len(found.hosts)) == (1, 4, APART_MOST + 1)
    assert set(found.links) == set(facts.attempts.retried.link.tolist())


def test_their_answer_says_how_many_and_closes_the_account() -> None:
    facts = gather_facts([scan(APART_MOST + 1).build()], [])
    answer = diagnose(facts, [])
    (found,) = answer.diagnoses
    assert found.cause == "target-unresponsive"
    assert f"and {APART_MOST} other destinations got no response" in found.statement
    assert found.attempts_explained == APART_MOST + 1
    assert answer.account is not None
    assert answer.account.unexplained == 0


def test_what_nobody_explains_counts_those_without_a_finding_of_their_own() -> None:
    shown = Thresholds().findings_shown
    capture = Losses("eth0")
    for number in range(shown + 5):
        capture.silent(f"198.51.100.{number + 1}:443", 1)
    facts = gather_facts([capture.build()], [])
    detected = run_detectors(facts)
    assert sum(f.kind == "syn-retransmission" for f in detected.findings) == shown
    rest = diagnose(facts, detected.cases).diagnoses[0]
    assert (rest.cause, rest.attempts_explained) == ("unknown", shown + 5)


def test_many_are_as_sure_as_one_of_them() -> None:
    one, many = (diagnose(gather_facts([scan(n).build()], []), []) for n in (1, APART_MOST + 1))
    assert one.diagnoses[0].confidence == many.diagnoses[0].confidence


def test_the_one_that_was_asked_more_often_stays_apart() -> None:
    capture = scan(APART_MOST + 1).silent("198.51.100.250:443", 2)
    found = silent(gather_facts([capture.build()], []))
    assert sorted((len(d.attempts), d.others) for d in found) == [(2, 0), (APART_MOST + 1, APART_MOST)]


def test_a_host_that_lives_is_another_kind_than_a_mute_one() -> None:
    capture = scan(APART_MOST)
    capture.silent("198.51.100.200:443", 1).usual("198.51.100.200:80", 200)
    assert len(silent(gather_facts([capture.build()], []))) == APART_MOST + 1


@pytest.mark.parametrize("code", [1, 13], ids=["host", "prohibited"])
def test_what_a_router_says_of_one_is_said_of_that_one_only(code: int) -> None:
    capture = scan(APART_MOST + 1).silent("198.51.100.200:443", 1).told("198.51.100.200:443", code)
    found = silent(gather_facts([capture.build()], []))
    assert sorted(d.others for d in found) == [0, APART_MOST]


def answered_late(hosts: int, *, port: int = 443) -> Losses:
    """One lost SYN each, to hosts that opened other connections."""
    capture = Losses()
    for number in range(hosts):
        server = f"198.51.{100 + number // 200}.{number % 200 + 1}:{port}"
        capture.usual(server, 1).late(server, 1)
    return capture


def test_destinations_that_answer_at_times_are_told_apart_up_to_a_hundred() -> None:
    facts = gather_facts([answered_late(ANSWERED_APART_MOST).build()], [])
    assert [d.others for d in facts.destinations] == [0] * ANSWERED_APART_MOST


def test_one_more_that_answers_at_times_makes_them_one() -> None:
    total = ANSWERED_APART_MOST + 1
    facts = gather_facts([answered_late(total).build()], [])
    (found,) = facts.destinations
    assert (found.others, found.silent, len(found.losses)) == (total - 1, False, total)
    assert (found.tried, found.opened, len(found.hosts)) == (2 * total, 2 * total, total)
    answer = diagnose(facts, run_detectors(facts).cases)
    assert any(f"and {total - 1} other destinations" in d.statement for d in answer.diagnoses)
    assert answer.account is not None
    assert answer.account.delayed == total


def test_of_those_that_answer_at_times_the_worst_stays_apart() -> None:
    capture = answered_late(ANSWERED_APART_MOST + 2).late("198.51.100.1:443", 2)
    found = gather_facts([capture.build()], []).destinations
    assert sorted((len(d.losses), d.others) for d in found) == [
        (3, 0),
        (ANSWERED_APART_MOST + 1, ANSWERED_APART_MOST),
    ]


def test_listeners_on_other_ports_are_not_one() -> None:
    capture = answered_late(ANSWERED_APART_MOST + 1).usual("198.51.103.9:80", 1).late("198.51.103.9:80", 1)
    found = gather_facts([capture.build()], []).destinations
    assert sorted((d.endpoint.port, d.others) for d in found) == [(80, 0), (443, ANSWERED_APART_MOST)]
