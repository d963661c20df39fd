"""`nft list ruleset`: the rules that rewrite addresses.

table ip nat {
    chain POSTROUTING {
        type nat hook postrouting priority srcnat; policy accept;
        ip saddr 10.244.35.0/24 counter packets 0 bytes 0 masquerade to :20000-20063 fully-random
    }
}
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import Dump, NatRule
from workers.decode.dumps.fields import LONGEST_LINE, port_range, port_range_of_source

KIND = "nft-ruleset"

_TABLE = re.compile(r"\s{0,8}(?:add )?table (?:ip|ip6|inet|arp|bridge|netdev) [\w.\-/]{1,128} \{")
_CHAIN = re.compile(r"\s{0,64}chain ([\w.\-/]{1,128}) \{")
_MANAGED = re.compile(r"# Warning: table ip6? \w{1,32} is managed by iptables-nft")
_QUOTED = re.compile(r'"[^"]*"')
_COUNTER = re.compile(r" ?counter packets \d{1,20} bytes \d{1,20}")
# iptables rules that nft cannot translate: it shows the target without its options.
_OPAQUE = re.compile(r'xt target "?(MASQUERADE|SNAT|DNAT|REDIRECT)"?|# xt_(MASQUERADE|SNAT|DNAT|REDIRECT)')
_STATEMENTS = ("masquerade", "snat", "dnat", "redirect")
_LONGEST_RULE = 4096


def recognise(head: Sequence[str]) -> float:
    """1 when a table begins in these lines."""
    return 1.0 if any(_TABLE.match(line) for line in head) else 0.0


def owns_line(line: str) -> bool:
    """The line that begins a table; those inside follow it as long as no other format owns them."""
    return bool(_TABLE.match(line) or _MANAGED.match(line))


def starts_anew(previous: str, line: str) -> bool:
    """The tables of one ruleset are kept together."""
    return False


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The rules with masquerade, snat, dnat or redirect; whatever else stands inside a table is left out."""
    rules: list[NatRule] = []
    not_understood: list[int] = []
    warnings: list[str] = []
    depth, chain = 0, ""
    for number, line in enumerate(lines, first_line):
        if not line.strip():
            continue
        if len(line) > LONGEST_LINE or (depth == 0 and not owns_line(line)):
            not_understood.append(number)
            continue
        bare = _QUOTED.sub('""', line)
        named = _CHAIN.match(line)
        chain = named[1] if named else chain
        depth = max(0, depth + bare.count("{") - bare.count("}"))
        opaque = _OPAQUE.search(line)
        if opaque:
            target = opaque[1] or opaque[2]
            warnings.append(f"line {number}: nft hides the options of this {target} rule; use iptables-save")
        rule = _read_rule(line, bare, number, chain)
        if rule is not None:
            rules.append(rule)
    if depth:
        warnings.append("the ruleset ends inside a table: it is not the whole listing")
    return Dump(KIND, len(lines), tuple(not_understood), nat_rules=tuple(rules), warnings=tuple(warnings))


def _read_rule(line: str, bare: str, number: int, chain: str) -> NatRule | None:
    """`bare` is the line without what stands in quotes: interface names and comments say what they like."""
    if len(line) > _LONGEST_RULE or bare.rstrip().endswith("{"):
        return None
    words = bare.split("#", 1)[0].replace(",", " ").replace(";", " ").split()
    statement = next((word for word in _STATEMENTS if word in words), None)
    if statement is None:
        return None
    after = words[words.index(statement) + 1 :]
    return NatRule(
        line=number,
        text=_COUNTER.sub("", line.strip()).strip(),
        chain=chain,
        target=statement.upper(),
        fully_random="fully-random" in after,
        random="random" in after,
        port_range=_ports_of(after),
        syntax="nft",
    )


def _ports_of(after: Sequence[str]) -> tuple[int, int] | None:
    """The ports of ``to :1-2``, ``to 10.0.0.1:1-2`` and ``ip to 10.0.0.1``."""
    if "to" not in after[:2]:
        return None
    rest = after[after.index("to") + 1 :]
    if not rest:
        return None
    return port_range(rest[0][1:]) if rest[0].startswith(":") else port_range_of_source(rest[0])
