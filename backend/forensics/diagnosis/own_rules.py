"""Changes made from the user's own dump line: insert it again as it should be, then delete the old one.

Never by rule number: rule 1 is usually kube-proxy's. The text comes from an upload: every word is quoted again before
it becomes a command.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from backend.forensics.dumps import NatRule
from backend.forensics.evidence.facts import Facts

SOURCE_NAT = ("MASQUERADE", "SNAT")
RULES_SHOWN = 3
CHECK = "iptables-save -t nat | grep -E 'MASQUERADE|SNAT'"
CHECK_NFT = "nft list ruleset | grep -E 'masquerade|snat'"
NOT_KEPT = "lost at reboot or when the plugin rewrites its rules: set it there, too"
_PORT_OPTIONS = ("--to-ports",)


@dataclass(frozen=True)
class RuleChange:
    """Commands that replace one rule, and those that put it back."""

    command: str
    undo: str


def source_nat_rules(facts: Facts) -> list[NatRule]:
    """The user's source NAT rules, each once. One rule in both dump forms is one rule: iptables-save is the form that
    can be typed back."""
    own = [rule for _, rule in facts.node.nat_rules() if rule.target in SOURCE_NAT]
    unique = list({rule.text: rule for rule in own}.values())
    return [rule for rule in unique if rule.syntax == "iptables"] or unique


def with_flag(rule: NatRule, flag: str) -> RuleChange:
    """The rule with one more option at its end."""
    chain, words = _parts(rule)
    return _replace(chain, words, [*words, flag])


def without_port_range(rule: NatRule) -> RuleChange | None:
    """The rule with the kernel's default range; None when its ports are not an option of their own."""
    chain, words = _parts(rule)
    kept, following = [], iter(words)
    for word in following:
        if word in _PORT_OPTIONS:
            next(following, None)
        else:
            kept.append(word)
    return _replace(chain, words, kept) if len(kept) < len(words) else None


def _replace(chain: str, old: list[str], new: list[str]) -> RuleChange:
    before, after = " ".join(old), " ".join(new)
    swap = "iptables -t nat -I {chain} {new} && iptables -t nat -D {chain} {old}"
    return RuleChange(
        swap.format(chain=chain, new=after, old=before), swap.format(chain=chain, new=before, old=after)
    )


def _parts(rule: NatRule) -> tuple[str, list[str]]:
    """(chain, the words of the rule behind it), quoted."""
    words = [shlex.quote(word) if word != "!" else word for word in _words(rule.text)]
    return (words[1], words[2:]) if words[:1] == ["-A"] else (shlex.quote(rule.chain), words)


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()
