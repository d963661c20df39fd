"""A rule drops one combination always; the host lives."""

from __future__ import annotations

import pytest

from backend.forensics.diagnosis.causes.tests.build_losses import (
    OTHER_HOST,
    OTHER_PORT,
    SERVER,
    Losses,
    confidence,
    diagnosis,
    drop_rule,
)
from backend.forensics.dumps import DropEvent, Dump
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.tests.build_capture import T0_NS, S

CAUSE = "firewall-drop"
PORT = int(SERVER.rpartition(":")[2])


def filtered(attempts: int = 2) -> Losses:
    return Losses().silent(SERVER, attempts).usual(OTHER_PORT, 20)


def test_a_silent_port_of_a_living_host_is_filtered() -> None:
    found = diagnosis(CAUSE, filtered().build())
    assert found is not None
    assert 0.5 < found.confidence < 0.7
    assert {r.cause: r.status for r in found.rivals}["target-unresponsive"] == "ruled-out"


def test_an_icmp_error_that_names_the_rule_makes_it_sure() -> None:
    found = diagnosis(CAUSE, filtered().silent(SERVER, 1).told(SERVER, 13).build())
    assert found is not None
    assert found.verdict == "confirmed"
    assert "got ICMP errors" in found.statement


def test_a_dropping_rule_for_the_port_counts_and_one_for_another_port_does_not() -> None:
    capture = filtered(1).build()
    plain = diagnosis(CAUSE, capture)
    ours, others = diagnosis(CAUSE, capture, drop_rule(80)), diagnosis(CAUSE, capture, drop_rule(8080))
    assert plain is not None
    assert ours is not None
    assert others is not None
    assert len(ours.supporting) == len(plain.supporting) + 1
    assert others.supporting == plain.supporting


def test_a_rule_for_another_address_is_no_proof_and_one_that_counted_nothing_neither() -> None:
    capture = filtered(1).build()
    plain, host = diagnosis(CAUSE, capture), SERVER.rpartition(":")[0]
    ours = diagnosis(CAUSE, capture, drop_rule(PORT, destination=host))
    others = diagnosis(CAUSE, capture, drop_rule(PORT, destination="192.0.2.99"))
    unmet = diagnosis(CAUSE, capture, drop_rule(PORT, packets=0))
    assert plain is not None
    assert ours is not None
    assert others is not None
    assert unmet is not None
    assert len(ours.supporting) == len(plain.supporting) + 1
    assert others.supporting == plain.supporting
    assert unmet.supporting == plain.supporting


def test_one_connection_of_the_same_source_that_opens_refutes_it() -> None:
    assert confidence(CAUSE, filtered().usual(SERVER, 1).build()) < 0.5


def test_another_source_that_is_served_points_at_the_source() -> None:
    found = diagnosis(CAUSE, Losses().silent(SERVER, 2).usual(SERVER, 20, client="10.0.0.7").build())
    assert found is not None
    assert any("Other sources were answered" in text for text in found.supporting)


def test_a_source_that_the_host_never_answers_may_send_what_its_kernel_drops() -> None:
    """Wrong checksums and a reverse-path filter silence a host for one source on every port."""
    served = Losses().silent(SERVER, 3).usual(SERVER, 20, client="10.0.0.7")
    found = diagnosis(CAUSE, served.build())
    assert found is not None
    assert found.confidence < 0.5
    assert any("TcpInCsumErrors" in missing.command for missing in found.missing)
    assert confidence(CAUSE, served.build(), drop_rule(PORT)) > 0.5
    assert confidence(CAUSE, served.usual(OTHER_PORT, 1).build()) > 0.5


def test_few_syns_beside_others_served_are_as_likely_chance() -> None:
    capture = Losses().silent(SERVER, 1, gaps_s=(1,)).usual(SERVER, 20, client="10.0.0.7").build()
    assert confidence(CAUSE, capture) < 0.5


def test_a_host_that_was_never_heard_is_no_filtered_port() -> None:
    assert diagnosis(CAUSE, Losses().silent(SERVER, 2).usual(OTHER_HOST, 20).build()) is None


def test_one_vantage_point_cannot_tell() -> None:
    both = confidence(CAUSE, filtered(1).build())
    one = confidence(CAUSE, Losses("eth0").silent(SERVER, 1).usual(OTHER_PORT, 20).build())
    assert one < both


def unheard() -> Losses:
    """The host sends nothing at all; another one answers."""
    return Losses().silent(SERVER, 3).usual(OTHER_HOST, 20)


@pytest.mark.parametrize(
    ("counted", "named"), [((0, 6), True), ((0, 5), False), ((100, 106), True), ((100, 105), False)]
)
def test_a_rule_that_counted_the_syns_shows_that_they_arrived(counted: tuple[int, int], named: bool) -> None:
    capture = unheard().build()
    dumps = [drop_rule(PORT, packets) for packets in counted]
    assert (confidence(CAUSE, capture, *dumps) >= 0.6) == named
    assert (confidence("target-unresponsive", capture, *dumps) > 0) != named


def test_nobody_is_said_to_have_answered_who_was_not_heard() -> None:
    found = diagnosis(CAUSE, unheard().build(), drop_rule(PORT, 0), drop_rule(PORT, 12))
    assert found is not None
    assert "answered" not in found.statement
    assert found.statement.endswith("a rule drops this source, address and port.")


def traced(source: str, *, reason: str = "NETFILTER_DROP", time_ns: int | None = None) -> DumpInput:
    """pwru with a drop for every source port that the builder hands out."""
    host, port = SERVER.rpartition(":")[0], PORT
    drops = tuple(
        DropEvent(n, "pwru", reason, "nf_hook_slow", 1, time_ns, "tcp", source, 20_000 + n, host, port)
        for n in range(1, 60)
    )
    return DumpInput("pwru.txt", None, Dump("drops", 60, (), drops=drops))


def test_a_tracer_that_saw_these_syns_dropped_names_the_function() -> None:
    capture = filtered(1).build()
    plain, joined = diagnosis(CAUSE, capture), diagnosis(CAUSE, capture, traced("10.0.0.1"))
    others = diagnosis(CAUSE, capture, traced("10.0.0.77"))
    socket = diagnosis(CAUSE, capture, traced("10.0.0.1", reason="NO_SOCKET"))
    assert plain is not None
    assert joined is not None
    assert joined.confidence > max(0.7, plain.confidence)
    assert any("nf_hook_slow (NETFILTER_DROP)" in claim.text for claim in joined.claims)
    assert others is not None
    assert socket is not None
    assert others.confidence == socket.confidence == plain.confidence


@pytest.mark.parametrize(("after_s", "joins"), [(4, True), (3_600, False)])
def test_a_drop_of_another_time_is_another_packet(after_s: int, joins: bool) -> None:
    capture = filtered(1).build()
    plain = confidence(CAUSE, capture)
    late = confidence(CAUSE, capture, traced("10.0.0.1", time_ns=T0_NS + after_s * S))
    assert (late > plain) is joins
