"""A slow resolver: what shows it, what refutes it, what cannot be told."""

from __future__ import annotations

from typing import Any

import pytest

from backend.forensics.diagnosis.causes.slow_resolver import CAUSE
from backend.forensics.diagnosis.causes.tests.build_lookups import calm, diagnoses, lost_pairs, rival
from backend.forensics.tests.build_capture import MS, T0_NS, S
from backend.forensics.tests.build_dns import DnsBuilder


def slow(
    places: tuple[str, ...] = ("pod", "resolver"),
    *,
    on_the_way_ns: int = 0,
    leg: bool = False,
    number: int = 5,
) -> DnsBuilder:
    capture = calm(DnsBuilder(places=places))
    for n in range(number):
        at_ns, name = T0_NS + n * 5 * S, f"slow{n}.example"
        capture.query(at_ns, 900 + n, n, name)
        if leg:
            way: dict[str, Any] = {
                "client": "10.244.1.200",
                "server": "8.8.8.8",
                "behind": "8.8.8.8",
                "seen": ("resolver",),
            }
            for message, later_ns in ((capture.query, MS), (capture.answer, 3_900 * MS)):
                message(at_ns + later_ns, 700 + n, 99, name, **way)
        for place in places:
            early_ns = on_the_way_ns if place != "pod" else 0
            capture.answer(at_ns + 4 * S - early_ns, 900 + n, n, name, seen=(place,))
    return capture


def test_the_same_wait_at_the_resolver_shows_it() -> None:
    found = diagnoses(slow())[CAUSE]
    assert found.verdict == "likely"
    assert rival(found, "dnat-race") == rival(found, "path-loss") == "ruled-out"
    assert all(r.check and r.proof and r.undo and r.side_effect for r in found.remedies)


def test_a_resolver_that_waits_for_another_makes_it_sure() -> None:
    found = diagnoses(slow(leg=True))[CAUSE]
    assert found.verdict == "confirmed"
    assert any("waited for its upstream" in text for text in found.supporting)


def test_from_one_vantage_point_it_is_possible() -> None:
    found = diagnoses(slow(("pod",)))[CAUSE]
    assert found.verdict == "possible"
    assert any("resolver.pcap" in m.command for m in found.missing)


def test_a_wait_that_passes_on_the_way_refutes_it() -> None:
    assert diagnoses(slow(on_the_way_ns=3 * S))[CAUSE].verdict == "cannot-tell"


def test_answers_that_come_at_once_or_never_are_not_slow() -> None:
    assert CAUSE not in diagnoses(lost_pairs())


@pytest.mark.parametrize(("number", "sure"), [(1, False), (2, True)])
def test_one_lookup_is_an_accident_and_even_odds_at_most(number: int, sure: bool) -> None:
    found = diagnoses(slow(leg=True, number=number))[CAUSE]
    assert (found.confidence > 0.5) == sure
