"""`ufw status`, with or without `verbose`: what Ubuntu's firewall does with packets that no rule names.

Status: active
Default: deny (incoming), allow (outgoing), deny (routed)
To                         Action      From
--                         ------      ----
22/tcp on eth1             ALLOW IN    Anywhere
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from backend.forensics.dumps import Dump, FilterRule
from workers.decode.dumps.fields import numbered
from workers.decode.dumps.formats import share_owned

KIND = "ufw-status"

_ACTION = r"(?:allow|deny|reject|limit|disabled)"
_DEFAULT = re.compile(
    rf"Default: (?P<each>{_ACTION} \((?:incoming|outgoing|routed)\)(?:, {_ACTION} \(\w{{6,8}}\)){{0,3}})\s*$"
)
_EACH = re.compile(rf"(?P<action>{_ACTION}) \((?P<way>incoming|outgoing|routed)\)")
_SAID = re.compile(
    r"Status: (?:active|inactive)\s*$|Logging: (?:on|off)(?: \(\w{3,8}\))?\s*$|New profiles: \w{3,8}\s*$"
)
_TITLE = re.compile(r"\s{0,8}To\s{2,60}Action\s{2,20}From\s*$|\s{0,8}--\s{2,60}-{6}\s{2,20}-{4}\s*$")
_RULE = re.compile(
    r"(?:\[\s?\d{1,4}\] )?(?P<to>\S.{0,80}?)\s{2,60}(?P<action>ALLOW|DENY|REJECT|LIMIT)(?: (?P<way>IN|OUT|FWD))?"
    r"\s{2,20}(?P<origin>\S.{0,120}?)\s*$"
)
_CHAINS: Final = {"incoming": "INPUT", "outgoing": "OUTPUT", "routed": "FORWARD"}
_RULE_CHAINS: Final = {"IN": "INPUT", "OUT": "OUTPUT", "FWD": "FORWARD"}
_VERDICTS: Final = {"allow": "ACCEPT", "deny": "DROP", "reject": "REJECT", "limit": "ACCEPT"}


def recognise(head: Sequence[str]) -> float:
    """The share of its lines."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """The default policies, the rules and their title."""
    return any(pattern.match(line) for pattern in (_DEFAULT, _SAID, _TITLE, _RULE))


def starts_anew(previous: str, line: str) -> bool:
    """Its first line begins a listing."""
    return bool(previous) and line.startswith("Status: ")


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The default policies as those of iptables' chains (ufw(8)), and the rules."""
    rules: list[FilterRule] = []
    not_understood: list[int] = []
    for number, line in numbered(lines, first_line):
        default, rule = _DEFAULT.match(line), _RULE.match(line)
        if default is not None:
            rules += [
                _policy(each, number)
                for each in _EACH.finditer(default["each"])
                if each["action"] in _VERDICTS
            ]
        elif rule is not None:
            chain, verdict = _RULE_CHAINS[rule["way"] or "IN"], _VERDICTS[rule["action"].lower()]
            rules.append(FilterRule(number, " ".join(line.split()), "filter", chain, verdict))
        elif not (_SAID.match(line) or _TITLE.match(line)):
            not_understood.append(number)
    return Dump(KIND, len(lines), tuple(not_understood), filter_rules=tuple(rules))


def _policy(each: re.Match[str], number: int) -> FilterRule:
    chain, verdict = _CHAINS[each["way"]], _VERDICTS[each["action"]]
    return FilterRule(number, f":{chain} {verdict}", "filter", chain, verdict)
