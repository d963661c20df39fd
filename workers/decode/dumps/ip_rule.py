"""`ip rule`: which routing table is asked for which packets.

0:      from all lookup local
512:    from all to 10.0.1.15 lookup main
1536:   from 10.0.1.15 lookup 2
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import Dump, PolicyRule
from workers.decode.dumps.fields import numbered
from workers.decode.dumps.formats import share_owned

KIND = "ip-rule"

_RULE = re.compile(
    r"(?P<priority>\d{1,10}):\s+(?P<selector>(?:not )?from \S{1,60}(?: .{1,300}?)??) "
    r"(?P<action>lookup \S{1,40}|blackhole|unreachable|prohibit|nop|goto \d{1,10}|realms \S{1,20})"
    r"(?: suppress_prefixlength \d{1,3}| proto \w{1,20}| \[detached\]| \[unresolved\])*\s*$"
)


def recognise(head: Sequence[str]) -> float:
    """The share of rules."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """One rule a line."""
    return _RULE.match(line) is not None


def starts_anew(previous: str, line: str) -> bool:
    """Priorities rise; where they fall, a second listing begins."""
    before, now = _RULE.match(previous), _RULE.match(line)
    return bool(before and now and int(now["priority"]) < int(before["priority"]))


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The rules."""
    rules: list[PolicyRule] = []
    not_understood: list[int] = []
    for number, line in numbered(lines, first_line):
        rule = _RULE.match(line)
        if rule is None:
            not_understood.append(number)
        else:
            rules.append(PolicyRule(number, int(rule["priority"]), rule["selector"], rule["action"]))
    return Dump(KIND, len(lines), tuple(not_understood), policy_rules=tuple(rules))
