"""When a lost SYN found no port free, and which range it is measured against."""

from __future__ import annotations

import pytest

from backend.forensics.detectors.snat_port_exhaustion.detector import detect
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.evidence.nat import port_pools
from backend.forensics.tests.build_capture import T0_NS, S
from backend.forensics.tests.build_pool import (
    FIRST_PORT,
    HELD_NS,
    capture,
    events,
    facts,
    rule,
)

PORTS = 20


@pytest.mark.parametrize(("held", "full"), [(19, True), (18, False)])
def test_a_range_counts_as_used_up_from_95_percent(held: int, full: bool) -> None:
    (pool,) = gather_facts([], [rule(PORTS), events(held)]).port_pools
    assert pool.full_at(T0_NS + S) is full


@pytest.mark.parametrize(("held", "lost"), [(16, 5), (15, 0)])
def test_with_packets_alone_80_percent_suffice(held: int, lost: int) -> None:
    assert len(facts(capture(held, lost=5), rule(PORTS)).exhausted) == lost


def test_a_loss_while_ports_are_free_is_something_else(monkeypatch: pytest.MonkeyPatch) -> None:
    found = facts(capture(12, lost=5), rule(PORTS), events(12))
    assert sum(f.count for f in detect(found).findings) == 0
    monkeypatch.setattr(port_pools, "FULL_RATIO", 0.5)
    found = facts(capture(12, lost=5), rule(PORTS), events(12))
    assert sum(f.count for f in detect(found).findings) == 5


def test_a_range_is_free_again_when_its_connections_are_closed() -> None:
    (pool,) = facts(capture(16), rule(16), events(16)).port_pools
    assert pool.full_at(T0_NS + S)
    assert pool.in_use_at(T0_NS + HELD_NS + S) == 0


@pytest.mark.parametrize(("cycles", "basis"), [(3, "inferred"), (2, "default")])
def test_without_a_rule_the_ports_in_use_betray_the_range(cycles: int, basis: str) -> None:
    (pool,) = facts(capture(16, lost=2, cycles=cycles)).port_pools
    assert pool.range.basis == basis


def test_ports_that_the_client_chose_itself_betray_no_range() -> None:
    found = facts(capture(16, lost=2, cycles=1, first_port=40_000))
    assert [p.range.basis for p in found.port_pools] == ["default"]


def test_a_rule_without_a_range_means_the_default() -> None:
    found = facts(capture(16, lost=2, cycles=4), rule(None))
    (pool,) = found.port_pools
    assert (pool.range.first, pool.range.last, pool.range.ports) == (1024, 65535, 64_512)
    assert not found.exhausted


def test_a_rule_whose_range_does_not_hold_the_ports_is_of_other_traffic() -> None:
    (pool,) = facts(capture(16, lost=2, first_port=FIRST_PORT + 5_000), rule(16)).port_pools
    assert pool.range.basis == "default"


def test_one_connection_at_two_vantage_points_holds_one_port() -> None:
    (pool,) = facts(capture(16), rule(16), events(16)).port_pools
    assert pool.in_use_max == 16


def test_an_event_listing_that_lost_its_last_lines_does_not_hold_ports_for_ever() -> None:
    (pool,) = facts(capture(16), rule(16), events(16, destroyed=False)).port_pools
    usage = next(u for u in pool.usages if u.source == "dump")
    assert usage.ports[-1] == 0


def test_from_dumps_alone_it_is_a_forecast() -> None:
    detection = detect(gather_facts([], [rule(16), events(16)]))
    (finding,) = detection.findings
    assert (finding.severity, finding.count) == ("warning", 0)
    assert finding.measures["ports_available"] == 16
    assert finding.measures["ports_in_use_max"] == 16
    assert {p.input for p in finding.evidence} == {"iptables-save.txt", "conntrack-E.txt"}


def test_nothing_is_said_without_packets_or_listing() -> None:
    assert detect(gather_facts([], [rule(16)])).status == "not-checkable"
