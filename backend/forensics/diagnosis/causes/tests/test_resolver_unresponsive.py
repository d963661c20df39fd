"""A mute resolver: what shows it, what refutes it, what cannot be told."""

from __future__ import annotations

import pytest

from backend.forensics.diagnosis.causes.resolver_unresponsive import CAUSE
from backend.forensics.diagnosis.causes.tests.build_lookups import (
    calm,
    counters,
    diagnoses,
    lost_pairs,
    rival,
)
from backend.forensics.tests.build_capture import MS, T0_NS, S
from backend.forensics.tests.build_dns import AAAA, A, DnsBuilder


def mute(places: tuple[str, ...] = ("pod", "resolver"), number: int = 6, *, quiet: bool = True) -> DnsBuilder:
    capture = calm(DnsBuilder(places=places)) if quiet else DnsBuilder(places=places)
    for n in range(number):
        capture.mute(T0_NS + n * 11 * S, "mute.lab.example")
    return capture


def test_queries_that_arrive_and_stay_unanswered_show_it() -> None:
    found = diagnoses(mute(), counters(0))
    assert next(iter(found)) == CAUSE
    assert found[CAUSE].verdict == "likely"
    assert {rival(found[CAUSE], name) for name in ("dnat-race", "node-drop", "path-loss")} == {"ruled-out"}
    assert all(r.check and r.proof and r.undo and r.side_effect for r in found[CAUSE].remedies)


def test_from_one_vantage_point_it_is_possible() -> None:
    found = diagnoses(mute(("pod",)))[CAUSE]
    assert found.verdict == "possible"
    assert any("resolver.pcap" in m.command for m in found.missing)


def test_queries_that_never_arrive_refute_it() -> None:
    capture = calm(DnsBuilder(places=("pod", "resolver")))
    for number in range(6):
        for again in (0, 5 * S):
            for kind in (A, AAAA):
                capture.query(
                    T0_NS + number * 11 * S + again, 900 + number, kind, "gone.example", kind, seen=("pod",)
                )
    assert diagnoses(capture)[CAUSE].verdict == "cannot-tell"


def test_what_is_answered_when_put_again_does_not_accuse_the_resolver() -> None:
    assert CAUSE not in diagnoses(lost_pairs())


def test_a_resolver_that_answers_nothing_at_all_is_named() -> None:
    found = diagnoses(mute(quiet=False))[CAUSE]
    assert found.confidence > 0.5
    assert rival(found, "firewall-drop") == "possible"


def test_questions_put_once_prove_nothing() -> None:
    capture = calm(DnsBuilder(places=("pod",)))
    for number in range(9):
        capture.query(T0_NS + number * S, 900 + number, A, f"{number}.tunnel.example", A)
    found = diagnoses(capture)[CAUSE]
    assert found.confidence <= 0.5
    assert "were not retried" in found.statement
    assert found.time_lost_s == 0


@pytest.mark.parametrize(("answered", "confident"), [(6, False), (3, True)])
def test_a_resolver_that_answers_the_other_query_of_each_socket_is_up(
    answered: int, *, confident: bool
) -> None:
    """What drops the queries of one type beyond the outermost capture looks like a resolver that ignores them."""
    capture = calm(DnsBuilder(places=("pod", "node")))
    for n in range(6):
        port, at_ns = 20_000 + n, T0_NS + n * 11 * S
        for again_ns in (0, 5 * S):
            capture.query(at_ns + again_ns, port, A, f"half{n}.example", A)
            if n < answered:
                capture.answer(at_ns + again_ns + 20 * MS, port, A, f"half{n}.example", A)
            capture.query(at_ns + again_ns, port, AAAA, f"half{n}.example", AAAA)
    found = diagnoses(capture)[CAUSE]
    assert (found.confidence >= 0.5) is confident
    firewall = "possible" if not confident else "ruled-out"
    assert rival(found, "firewall-drop") == firewall
    assert rival(found, "path-loss") == ("ruled-out" if confident else "cannot-tell")
