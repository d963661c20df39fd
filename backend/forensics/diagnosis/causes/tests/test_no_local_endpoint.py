"""kube-proxy's own rule is the proof, by its counter; what was captured can take it back."""

from __future__ import annotations

import pytest

from backend.forensics.diagnosis.causes.tests.build_losses import (
    OTHER_HOST,
    SERVER,
    Losses,
    diagnosis,
    report,
)
from backend.forensics.diagnosis.causes.tests.dump_cases import NO_ENDPOINT, NO_LOCAL, rules
from backend.forensics.dumps import Dump, FilterRule
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.report import DiagnosisPart

CAUSE = "no-local-endpoint"


def alone(*dumps: DumpInput) -> DiagnosisPart | None:
    return next((d for d in report([], *dumps).diagnoses if d.cause == CAUSE), None)


def test_a_counted_rule_names_it_without_a_capture() -> None:
    found = alone(rules((NO_LOCAL, 12)))
    assert found is not None
    assert found.verdict == "likely"
    assert "shop/web" in found.statement
    assert "12 packets" in found.statement
    assert "Local policy" in found.statement


def test_only_what_rose_between_the_listings_counts() -> None:
    rose = alone(rules((NO_LOCAL, 10)), rules((NO_LOCAL, 22), number=2))
    assert rose is not None
    assert "12 packets" in rose.statement
    assert alone(rules((NO_LOCAL, 22)), rules((NO_LOCAL, 22), number=2)) is None


@pytest.mark.parametrize(("packets", "likely"), [(2, False), (3, True)])
def test_a_packet_or_two_are_those_of_a_rollout(packets: int, likely: bool) -> None:
    found = alone(rules((NO_ENDPOINT, packets)))
    assert found is not None
    assert (found.confidence > 0.5) is likely


def test_a_rule_that_nobody_met_is_no_cause() -> None:
    assert alone(rules((NO_LOCAL, 0))) is None


def test_without_counters_it_is_possible_and_asks_for_them() -> None:
    found = alone(rules((NO_LOCAL, None)))
    assert found is not None
    assert found.confidence < 0.5
    assert "iptables-save -c" in found.missing[0].command


def test_another_rule_that_drops_is_none() -> None:
    other = (
        '-A FORWARD -d 192.0.2.10/32 -p tcp -m comment --comment "old endpoints" -m tcp --dport 80 -j DROP'
    )
    assert alone(rules((other, 50))) is None


def test_connections_that_fail_confirm_it() -> None:
    capture = Losses().usual(OTHER_HOST, 5).silent(SERVER, 4, seen_at=1).build()
    found = diagnosis(CAUSE, capture, rules((NO_LOCAL, 10)), rules((NO_LOCAL, 26), number=2))
    assert found is not None
    assert found.confidence > 0.9
    assert found.attempts_explained == 4


def test_refused_connections_are_counted_by_their_errors() -> None:
    capture = Losses()
    for _ in range(4):
        capture.silent(SERVER, 1, gaps_s=()).told(SERVER, 3, reporter="10.0.0.254")
    found = diagnosis(CAUSE, capture.build(), rules((NO_ENDPOINT, 4)))
    assert found is not None
    assert any("ICMP" in text for text in found.supporting)


def test_connections_that_open_refute_it() -> None:
    found = diagnosis(CAUSE, Losses().usual(SERVER, 6).build(), rules((NO_LOCAL, 12)))
    assert found is not None
    assert found.confidence < 0.1


def test_a_capture_of_others_leaves_it_open() -> None:
    capture = Losses().usual(OTHER_HOST, 6).build()
    found = diagnosis(CAUSE, capture, rules((NO_LOCAL, 12)))
    assert found is not None
    assert found.confidence < 0.5
    assert diagnosis(CAUSE, capture, rules((NO_LOCAL, None))) is None


def test_an_element_of_the_map_of_nftables_is_read_as_a_rule() -> None:
    text = '192.0.2.10 . tcp . 80 comment "shop/web:http" : drop'
    rule = FilterRule(4, text, "ip kube-proxy", "no-endpoint-services", "DROP", syntax="nft")
    listed = DumpInput("nft.txt", "node", Dump("nft-ruleset", 9, (), filter_rules=(rule,)))
    silent = Losses().usual(OTHER_HOST, 5).silent(SERVER, 4, seen_at=1).build()
    found = diagnosis(CAUSE, silent, listed)
    assert found is not None
    assert found.confidence > 0.5
    assert "shop/web" in found.statement
