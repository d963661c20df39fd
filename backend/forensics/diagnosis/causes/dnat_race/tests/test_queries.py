"""The race of two queries of one socket: what confirms it, what refutes it, what cannot be told."""

from __future__ import annotations

from dataclasses import replace

from backend.forensics.diagnosis.causes.dnat_race import CAUSE
from backend.forensics.diagnosis.causes.tests.build_lookups import (
    calm,
    counters,
    diagnoses,
    lost_pairs,
    rival,
)
from backend.forensics.tests.build_capture import MS, T0_NS, S
from backend.forensics.tests.build_dns import DnsBuilder


def test_counters_and_both_sides_confirm_it() -> None:
    found = diagnoses(lost_pairs(), counters(6))
    assert found[CAUSE].verdict == "confirmed"
    assert rival(found[CAUSE], "node-drop") == "ruled-out"
    assert next(iter(found)) == CAUSE
    assert found[CAUSE].time_lost_s > 29
    assert all(r.check and r.proof and r.undo and r.side_effect for r in found[CAUSE].remedies)


def test_flat_counters_leave_it_and_a_rule_possible() -> None:
    found = diagnoses(lost_pairs(), counters(0))
    assert found[CAUSE].verdict == "possible"
    assert found["node-drop"].verdict == "possible"
    assert rival(found[CAUSE], "node-drop") == rival(found["node-drop"], CAUSE) == "possible"


def test_one_vantage_point_leaves_it_possible_and_asks_for_more() -> None:
    found = diagnoses(lost_pairs(("pod",)))
    assert found[CAUSE].verdict == "possible"
    assert any("tcpdump" in m.command for m in found[CAUSE].missing)
    assert any("conntrack -S" in m.command for m in found[CAUSE].missing)
    assert "node-drop" not in found


def test_a_query_that_reached_the_resolver_refutes_it() -> None:
    found = diagnoses(lost_pairs(inside=False))
    assert found[CAUSE].verdict == "cannot-tell"


def test_an_address_that_nobody_rewrites_speaks_against_it() -> None:
    capture = lost_pairs()
    same = [row | {"ends": (*row["ends"][:3], "10.96.0.10")} for row in capture._messages]
    capture._messages = same
    found = diagnoses(capture)
    assert found[CAUSE].confidence < 0.5
    assert any("unchanged" in text for text in found[CAUSE].contradicting)


def test_single_lost_queries_are_no_race() -> None:
    capture = calm(DnsBuilder())
    for number in range(6):
        for again in (0, 5 * S):
            capture.query(T0_NS + number * 11 * S + again, 900 + number, number, f"one{number}.example")
        capture.answer(T0_NS + number * 11 * S + 5 * S + MS, 900 + number, number, f"one{number}.example")
    assert CAUSE not in diagnoses(capture)


def test_mostly_single_losses_make_it_less_likely() -> None:
    capture = lost_pairs(("pod",), 2)
    alone = diagnoses(capture)[CAUSE].confidence
    for number in range(6):
        for again in (0, 5 * S):
            capture.query(T0_NS + number * 11 * S + S + again, 900 + number, number, f"one{number}.example")
        capture.answer(T0_NS + number * 11 * S + 6 * S + MS, 900 + number, number, f"one{number}.example")
    assert diagnoses(capture)[CAUSE].confidence < alone


def test_a_capture_with_holes_is_less_sure() -> None:
    from backend.forensics.analyze import analyse_evidence

    built = lost_pairs().build()
    holes = replace(
        built, vantage_points=tuple(replace(p, dropped_by_capture=9) for p in built.vantage_points)
    )
    found = analyse_evidence([holes], counters(6), [], label="", created="", tool_version="")
    mine = next(d for d in found.report.diagnoses if d.cause == CAUSE)
    assert mine.verdict != "confirmed"
