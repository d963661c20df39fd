"""Losses that share a host or a vantage point are one verdict; others stay apart."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from backend.forensics.cases.case import Case, Flow, end_of
from backend.forensics.diagnosis.account import Settled
from backend.forensics.diagnosis.contract import Hypothesis, Weighed, weigh
from backend.forensics.diagnosis.shared_losses import merge_shared
from backend.forensics.findings import frame_evidence
from backend.forensics.report import ClaimPart
from backend.forensics.report_impact import ImpactPart

SURE, LIKELY, POSSIBLE = 3.0, 1.5, -0.3


def _finding(name: str, source: str, destination: str) -> Case:
    return Case(
        id=name,
        kind="syn-retransmission",
        severity="warning",
        confidence=0.9,
        summary="x",
        count=1,
        time_lost_s=1.0,
        flows=(Flow("tcp", end_of(source), end_of(destination)),),
        evidence=tuple(frame_evidence([("a.pcap", 1)])),
    )


def _settled(cause: str, finding: str, weight: float, *links: int, **more: Any) -> Settled:
    evidence = frame_evidence([("a.pcap", 1 + sum(links))])
    hypothesis = Hypothesis(
        cause=cause,
        title=cause,
        role="loss",
        statement=f"{finding} was hurt.",
        prior=0.0,
        steps=(ClaimPart(role="step", text="once", evidence=evidence),),
        weighed=(Weighed(weight, f"{finding} was seen", evidence, "r"),),
        both_sides=False,
        independent=False,
        signs=0,
        findings=(finding,),
        time_lost_s=float(len(links)),
        attempts=links,
        **more,
    )
    return Settled(hypothesis, frozenset(links))


FINDINGS = [
    _finding("one", "10.0.0.1:5", "192.0.2.1:80"),
    _finding("two", "10.0.0.1", "[2001:db8::2]:80"),
    _finding("far", "10.0.0.9", "192.0.2.9:80"),
]


@pytest.mark.parametrize(("other", "left"), [("one", 1), ("two", 1), ("far", 2)])
def test_losses_of_one_host_are_one_verdict(other: str, left: int) -> None:
    given = [_settled("path-loss", "one", SURE, 1, 2), _settled("path-loss", other, LIKELY, 3)]
    found = merge_shared(given, FINDINGS)
    assert len(found) == left
    if left == 1:
        merged = found[0].hypothesis
        assert (merged.time_lost_s, merged.attempts, found[0].taken) == (3.0, (1, 2, 3), frozenset((1, 2, 3)))
        shared = "the path between 10.0.0.1 and 192.0.2.1" if other == "one" else "the host 10.0.0.1"
        assert merged.statement == f"one was hurt. Losses of 2 findings share {shared}."
        assert [step.text for step in merged.steps] == [
            f"These losses share {shared}.",
            "once",
            f"{other} was hurt.",
        ]


@pytest.mark.parametrize(("place", "left"), [("eth0", 1), ("eth1", 2)])
def test_losses_before_one_vantage_point_are_one_verdict(place: str, left: int) -> None:
    given = [
        _settled("node-drop", "one", SURE, 1, places=frozenset(("eth0",))),
        _settled("node-drop", "far", LIKELY, 2, places=frozenset((place,))),
    ]
    found = merge_shared(given, FINDINGS)
    assert len(found) == left
    assert ("share the path at eth0" in found[0].hypothesis.statement) == (left == 1)


def test_causes_that_choose_ports_stay_apart() -> None:
    given = [_settled("firewall-drop", "one", SURE, 1), _settled("firewall-drop", "two", SURE, 2)]
    assert merge_shared(given, FINDINGS) == given


def test_what_cannot_be_told_is_left_alone() -> None:
    given = [_settled("path-loss", "one", SURE, 1), _settled("path-loss", "two", -2.0, 2)]
    assert merge_shared(given, FINDINGS) == given


@pytest.mark.parametrize(("returning", "lead"), [(True, "return-path-loss"), (False, "path-loss")])
def test_the_way_back_leads_where_all_that_is_lost_comes_back(returning: bool, lead: str) -> None:
    data = _settled("path-loss", "one", SURE, returning=returning)
    answers = _settled("return-path-loss", "one", LIKELY, 1, returning=True)
    (found,) = merge_shared([data, answers], FINDINGS)
    assert found.hypothesis.cause == lead


def test_an_alternative_for_the_same_attempts_adds_no_time() -> None:
    lead = _settled("path-loss", "one", SURE, 1, 2)
    same = replace(_settled("return-path-loss", "one", POSSIBLE, 1, returning=True), taken=frozenset())
    none = replace(same, hypothesis=replace(same.hypothesis, time_lost_s=0.0))
    (found,) = merge_shared([lead, none], FINDINGS)
    assert found.hypothesis.time_lost_s == 2.0
    assert weigh(found.hypothesis) == weigh(lead.hypothesis)


def _impact(destination: str, affected: int) -> ImpactPart:
    return ImpactPart(
        unit="connections", destination=destination, affected=affected, total=60, longest_s=affected / 2
    )


def test_the_impact_is_that_of_all_destinations() -> None:
    first = _settled("path-loss", "one", LIKELY, 1, 2, impact=_impact("192.0.2.1:80", 2))
    other = _settled("path-loss", "two", LIKELY, 3, 4, 5, impact=_impact("[2001:db8::2]:80", 3))
    (merged,) = merge_shared([first, other], FINDINGS)
    found = merged.hypothesis.impact
    assert found is not None
    assert found.affected == len(merged.hypothesis.attempts) == 5
    assert (found.destination, found.other_destinations, found.total, found.longest_s) == (
        "192.0.2.1:80",
        1,
        120,
        1.5,
    )


def test_what_is_shared_outranks_the_detail() -> None:
    long = _settled("path-loss", "one", LIKELY, 1)
    detail = f"3 of 60 waited: {'8 of 403 segments, ' * 7}and more."
    long = replace(long, hypothesis=replace(long.hypothesis, statement=detail))
    (merged,) = merge_shared([long, _settled("path-loss", "two", LIKELY, 2)], FINDINGS)
    assert merged.hypothesis.statement == "3 of 60 waited. Losses of 2 findings share the host 10.0.0.1."
