"""One cause at many destinations is one answer."""

from __future__ import annotations

import pytest

from backend.forensics.cause_groups import answers_of, group_causes, headline_of
from backend.forensics.findings import lost_text
from backend.forensics.report import DiagnosisPart, Verdict
from backend.forensics.report_impact import ImpactPart


def one(
    number: int, destination: str, *, lost_s: float = 1.0, verdict: Verdict = "possible", others: int = 0
) -> DiagnosisPart:
    return DiagnosisPart(
        id=f"path-loss-{number}",
        cause="path-loss",
        title="Packet loss on the path",
        confidence=0.6,
        verdict=verdict,
        statement=f"3 of 60 connections to {destination} waited.",
        claims=[],
        findings=[f"syn-retransmission-{number}"],
        time_lost_s=lost_s,
        impact=ImpactPart(
            unit="connections",
            destination=destination,
            other_destinations=others,
            affected=3,
            total=60,
            longest_s=1.01,
        ),
    )


def test_equally_sure_diagnoses_of_one_cause_are_one_group() -> None:
    parts = [one(n, f"192.0.2.{n}:443", lost_s=float(n)) for n in range(1, 101)]
    (group,) = group_causes(parts, 190)
    assert group.statement == (
        "Packet loss on the path at 100 of 190 destinations: 300 of 6,000 connections, 5,050 s lost; "
        "they share port 443 in 192.0.2.0/25."
    )
    assert group.time_lost_s == sum(part.time_lost_s for part in parts)
    assert [row.time_lost_s for row in group.rows[:2]] == [100.0, 99.0]
    assert group.rows[0].finding == "syn-retransmission-100"
    assert answers_of(parts, [group]) == [(parts[0], group)]


def test_a_surer_one_and_one_without_a_destination_stand_alone() -> None:
    sure = one(1, "192.0.2.1:443", verdict="confirmed")
    bare = one(4, "192.0.2.4:443").model_copy(update={"impact": None})
    parts = [sure, one(2, "192.0.2.2:443"), one(3, "192.0.2.3:443"), bare]
    (group,) = group_causes(parts, 3)
    assert group.diagnoses == ["path-loss-2", "path-loss-3"]
    assert [(part.id, of) for part, of in answers_of(parts, [group])] == [
        ("path-loss-1", None),
        ("path-loss-2", group),
        ("path-loss-4", None),
    ]


def test_reports_of_before_there_were_ids_have_no_groups() -> None:
    old = [one(n, "192.0.2.1:443").model_copy(update={"id": ""}) for n in (1, 2)]
    assert group_causes(old, 2) == []
    assert len(answers_of(old, [])) == 2


@pytest.mark.parametrize(
    ("destinations", "shared"),
    [
        (["192.0.2.1:80", "192.0.2.1:443"], "the host 192.0.2.1"),
        (["192.0.2.1:80", "198.51.100.1:443"], ""),
        (["192.0.2.1:80", "198.51.100.1:80"], "port 80"),
        (["[2001:db8::1]:80", "[2001:db8::2]:80"], "port 80 in 2001:db8::/126"),
        (["192.0.2.1:80", "[2001:db8::2]:80"], "port 80"),
        (["host-1:80", "host-2:80"], "port 80"),
    ],
)
def test_what_destinations_share_is_named_where_it_is_known(destinations: list[str], shared: str) -> None:
    parts = [one(n, each) for n, each in enumerate(destinations)]
    assert group_causes(parts, 9)[0].shared == shared


def test_nothing_is_said_of_addresses_that_are_not_listed() -> None:
    parts = [one(1, "192.0.2.1:443", others=40), one(2, "192.0.2.9:443")]
    (group,) = group_causes(parts, 100)
    assert (group.destinations, group.shared) == (42, "")


def test_the_headline_of_a_group_is_the_group_s() -> None:
    parts = [one(n, f"192.0.2.{n}:443") for n in (1, 2)]
    found = headline_of(parts, 9)
    assert found is not None
    assert (found.diagnosis, found.time_lost_s) == (parts[0], 2.0)
    assert found.statement.startswith("Packet loss on the path at 2 of 9 destinations: 6 of 120 connections")
    alone = headline_of(parts[:1], 9)
    assert alone is not None
    assert alone.statement == parts[0].statement
    assert headline_of([], 9) is None


@pytest.mark.parametrize(
    ("lost_s", "words"),
    [(0.999, "999 ms"), (1.0, "1.0 s"), (6.0119, "6.0 s"), (99.9, "99.9 s"), (100.4, "100 s")],
)
def test_time_lost_in_all_is_in_seconds_from_one_on(lost_s: float, words: str) -> None:
    assert lost_text(lost_s) == words
