"""Rules that drop packets of a kind, with what they counted meanwhile: a packet that a rule counted had arrived."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from backend.forensics.dumps import FilterRule
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.evidence.kernel.kernel_signs import Line
from backend.forensics.evidence.kernel.rule_matches import Hop, drops_any

DROPPING = ("DROP", "REJECT")
NO_ENDPOINT_MAPS: Final = frozenset(("no-endpoint-services", "no-endpoint-nodeports"))
"""Of kube-proxy's nftables mode: their elements are read as rules whose chain is the map."""


@dataclass(frozen=True)
class DropRule:
    """One rule, in all dumps that list it. `packets`: by how much its counter rose between them; with one dump, what
    it shows."""

    rule: FilterRule
    packets: int
    lines: tuple[Line, ...]

    @property
    def counted(self) -> bool:
        """Whether the listing shows its counter."""
        return self.rule.packets is not None


def list_rules(
    dumps: Iterable[DumpInput], fits: Callable[[FilterRule], bool], verdicts: Sequence[str] = DROPPING
) -> list[DropRule]:
    """Those of one host that drop what fits, in the order of their lines."""
    found: dict[tuple[str, str, str], list[tuple[FilterRule, Line]]] = {}
    for each in dumps:
        for rule in each.dump.filter_rules:
            if rule.verdict.upper() in verdicts and fits(rule):
                key = (rule.table, rule.chain, rule.text)
                found.setdefault(key, []).append((rule, (each.input, rule.line)))
    return [_joined(listed) for listed in found.values()]


def list_syn_rules(dumps: Iterable[DumpInput], hops: Sequence[Hop]) -> list[DropRule]:
    """Those that name the port of one of these SYNs, and match its addresses."""
    return list_rules(dumps, lambda rule: rule.chain not in NO_ENDPOINT_MAPS and drops_any(rule.text, hops))


def _joined(listed: list[tuple[FilterRule, Line]]) -> DropRule:
    counts = [rule.packets or 0 for rule, _ in listed]
    rise = max(counts) - min(counts) if len(counts) > 1 else counts[0]
    return DropRule(listed[-1][0], rise, tuple(line for _, line in listed))
