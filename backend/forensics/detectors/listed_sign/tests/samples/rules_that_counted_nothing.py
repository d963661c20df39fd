"""Negative. A rule that would reject counted nothing, all neighbors answer."""

from __future__ import annotations

from backend.forensics.detectors.listed_sign.thresholds import Thresholds
from backend.forensics.dumps import Dump, FilterRule, Neighbor
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.tests.samples import Expected

EXPECTED = Expected(None)
LOOSENED = Thresholds(rule_packets_least=0)
WRONG_CLAIM = "A rule rejects packets"


def build() -> Facts:
    rule = FilterRule(3, "-A INPUT -p tcp --dport 8089 -j REJECT", "", "INPUT", "REJECT", 0, 0)
    neighbor = Neighbor(1, "10.0.0.2", "eth0", "02:00:00:00:00:02", "REACHABLE")
    rules, neighbors = (
        Dump("iptables-list", 3, (), filter_rules=(rule,)),
        Dump("ip-neigh", 1, (), neighbors=(neighbor,)),
    )
    return gather_facts([], [DumpInput("rules.txt", None, rules), DumpInput("neigh.txt", None, neighbors)])
