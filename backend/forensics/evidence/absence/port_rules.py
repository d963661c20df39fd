"""Rules that drop what goes to one port, with what they counted meanwhile: a packet that a rule counted had arrived."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from backend.forensics.dumps import FilterRule
from backend.forensics.evidence.counters import DumpInput
from backend.forensics.evidence.kernel_signs import Line

DROPPING = ("DROP", "REJECT")


@dataclass(frozen=True)
class PortRule:
    """One rule, in all dumps that list it. `packets`: by how much its counter rose between them; with one dump, what
    it shows."""

    rule: FilterRule
    packets: int
    lines: tuple[Line, ...]


def list_port_rules(dumps: Iterable[DumpInput], port: int) -> list[PortRule]:
    """Those of one host that drop and name the port, in the order of their lines."""
    found: dict[tuple[str, str, str], list[tuple[FilterRule, Line]]] = {}
    for each in dumps:
        for rule in each.dump.filter_rules:
            words = rule.text.replace(",", " ").replace("{", " ").replace("}", " ").split()
            if rule.verdict.upper() in DROPPING and str(port) in words:
                key = (rule.table, rule.chain, rule.text)
                found.setdefault(key, []).append((rule, (each.input, rule.line)))
    return [_joined(listed) for listed in found.values()]


def _joined(listed: list[tuple[FilterRule, Line]]) -> PortRule:
    counts = [rule.packets or 0 for rule, _ in listed]
    rise = max(counts) - min(counts) if len(counts) > 1 else counts[0]
    return PortRule(listed[-1][0], rise, tuple(line for _, line in listed))
