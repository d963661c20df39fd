"""Queries that vanish inside the node: what confirms a rule, what refutes it, what cannot be told."""

from __future__ import annotations

import pytest

from backend.forensics.diagnosis.causes.node_drop import CAUSE
from backend.forensics.diagnosis.causes.tests.build_lookups import counters, diagnoses, lost_pairs
from backend.forensics.dumps import Dump, FilterRule
from backend.forensics.evidence.kernel.counters import DumpInput


def rules(text: str, packets: int | None = 6) -> list[DumpInput]:
    rule = FilterRule(3, text, "lab", "late", "DROP", packets, 0, "nft")
    return [DumpInput("rules.txt", None, Dump("nft-ruleset", 1, (), None, "unknown", filter_rules=(rule,)))]


def test_a_rule_that_counted_and_flat_counters_make_it_sure() -> None:
    found = diagnoses(lost_pairs(), counters(0) + rules("udp dport 53 numgen random mod 100 < 15 drop"))[
        CAUSE
    ]
    assert found.confidence >= 0.69
    assert any("udp dport 53" in text for text in found.supporting)
    assert any("Review your rule" in r.what for r in found.remedies)


@pytest.mark.parametrize("text", ["tcp dport 53 drop", "udp dport 5353 drop", "ip daddr 192.0.2.0/24 drop"])
def test_a_rule_that_these_queries_cannot_meet_is_not_named(text: str) -> None:
    if not text.startswith("ip"):
        text = f"ip protocol {text.split()[0]} {text}"
    found = diagnoses(lost_pairs(), counters(0) + rules(text))[CAUSE]
    assert not any("your rule" in r.what for r in found.remedies)


def test_counters_that_rise_refute_it() -> None:
    assert CAUSE not in diagnoses(lost_pairs(), counters(6)) or (
        diagnoses(lost_pairs(), counters(6))[CAUSE].verdict == "cannot-tell"
    )


def test_nothing_is_said_from_one_vantage_point() -> None:
    assert CAUSE not in diagnoses(lost_pairs(("pod",)))


def test_nothing_is_said_of_queries_that_reached_the_resolver() -> None:
    assert CAUSE not in diagnoses(lost_pairs(inside=False))
