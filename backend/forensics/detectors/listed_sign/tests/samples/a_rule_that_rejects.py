"""Positive. One listing of `iptables -L -v`: a rule rejects, and counted 18 packets."""

from __future__ import annotations

from backend.forensics.dumps import Dump, FilterRule
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("warning", 18)


def build() -> Facts:
    text = "-A INPUT -p tcp --dport 8089 -j REJECT --reject-with icmp-port-unreachable"
    rule = FilterRule(3, text, "", "INPUT", "REJECT", 18, 1_080)
    return gather_facts(
        [], [DumpInput("iptables-L.txt", None, Dump("iptables-list", 3, (), filter_rules=(rule,)))]
    )
