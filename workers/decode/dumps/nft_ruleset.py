"""`nft list ruleset`: the rules that rewrite addresses, and all others with what they decide.

table ip nat {
    chain POSTROUTING {
        type nat hook postrouting priority srcnat; policy accept;
        ip saddr 10.244.35.0/24 counter packets 0 bytes 0 masquerade to :20000-20063 fully-random
    }
}
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from backend.forensics.dumps import Dump, FilterRule, NatRule
from workers.decode.dumps.fields import numbered, port_range, port_range_of_source

KIND = "nft-ruleset"

_TABLE = re.compile(r"\s{0,8}(?:add )?table (?P<table>(?:ip|ip6|inet|arp|bridge|netdev) [\w.\-/]{1,128}) \{")
_CHAIN = re.compile(r"\s{0,64}chain ([\w.\-/]{1,128}) \{")
_MANAGED = re.compile(r"# Warning: table ip6? \w{1,32} is managed by iptables-nft")
_QUOTED = re.compile(r'"[^"]*"')
_COUNTER = re.compile(r" ?counter packets (\d{1,20}) bytes (\d{1,20})")
_OBJECT = re.compile(r"\s{0,64}counter ([\w.\-/]{1,128}) \{")
_COUNTED = re.compile(r"\s{0,64}packets (\d{1,20}) bytes (\d{1,20})")
# kube-proxy's maps of services without endpoints (pkg/proxy/nftables/proxier.go): an element is a rule of its own.
_MAP = re.compile(r"\s{0,64}map (no-endpoint-(?:services|nodeports)) \{")
_ELEMENT = re.compile(
    r'([\w.:]{1,45}(?: \. [\w.:]{1,45}){1,2}(?: comment "[^"]{0,256}")? : (drop|goto ([\w-]{1,64})))'
)
_BY_NAME = re.compile(r'counter name "?([\w.\-/]{1,128})"?')
_POLICY = re.compile(r"\s{0,64}type \w{1,16} hook (\w{1,32}) .{0,64}policy (\w{1,16});")
# iptables rules that nft cannot translate: it shows the target without its options.
_OPAQUE = re.compile(r'xt target "?(MASQUERADE|SNAT|DNAT|REDIRECT)"?|# xt_(MASQUERADE|SNAT|DNAT|REDIRECT)')
_NO_RULE = ("type ", "comment ", "flags ", "elements ", "policy ", "devices ", "}")
_STATEMENTS = ("masquerade", "snat", "dnat", "redirect")
_VERDICTS = frozenset(("accept", "drop", "reject", "return", "queue", "notrack", "continue"))
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


@dataclass
class _Ruleset:
    table: str = ""
    chain: str = ""
    depth: int = 0
    chain_depth: int = 0
    """The depth of the lines of the chain that is open; 0 outside of chains."""
    counter: str = ""
    """The counter object that is open."""
    map: str = ""
    """The map of services without endpoints that is open."""
    counters: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    """(packets, bytes) by table and name."""
    nat_rules: list[NatRule] = field(default_factory=list)
    filter_rules: list[FilterRule] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The rules of all chains, with the counters that they name; sets, maps and other objects are left out."""
    ruleset = _Ruleset()
    not_understood = [
        number for number, line in numbered(lines, first_line) if not _read(ruleset, line, number)
    ]
    if ruleset.depth:
        ruleset.warnings.append("the ruleset ends inside a table: the text is incomplete")
    return Dump(
        KIND,
        len(lines),
        tuple(not_understood),
        nat_rules=tuple(ruleset.nat_rules),
        filter_rules=_with_named_counters(ruleset),
        warnings=tuple(ruleset.warnings),
    )


def _read(ruleset: _Ruleset, line: str, number: int) -> bool:
    if not line or (ruleset.depth == 0 and not owns_line(line)):
        return False
    bare = _QUOTED.sub('""', line)
    table, chain = _TABLE.match(line), _CHAIN.match(line)
    before = ruleset.depth
    ruleset.depth = max(0, before + bare.count("{") - bare.count("}"))
    if table is not None:
        ruleset.table = table["table"]
    elif chain is not None:
        ruleset.chain, ruleset.chain_depth = chain[1], ruleset.depth
    elif ruleset.chain_depth and before == ruleset.chain_depth:
        _read_chain_line(ruleset, line, bare, number)
    else:
        _read_counter(ruleset, line)
        _read_map(ruleset, line, number, opens=before == 1)
    if ruleset.depth < ruleset.chain_depth:
        ruleset.chain_depth = 0
    return True


def _read_counter(ruleset: _Ruleset, line: str) -> None:
    """A line outside of chains: of a counter object, or of something that is left out."""
    opened, counted = _OBJECT.match(line), _COUNTED.match(line)
    if counted is not None and ruleset.counter:
        ruleset.counters[ruleset.table, ruleset.counter] = int(counted[1]), int(counted[2])
    ruleset.counter = opened[1] if opened is not None else ""


def _read_map(ruleset: _Ruleset, line: str, number: int, *, opens: bool) -> None:
    """A line outside of chains: of a map whose elements drop or reject, or of something that is left out."""
    if opens:
        opened = _MAP.match(line)
        ruleset.map = opened[1] if opened is not None else ""
    elif ruleset.map and len(line) <= _LONGEST_RULE:
        for text, verdict, chain in _ELEMENT.findall(line):
            rule = FilterRule(
                number, text, ruleset.table, ruleset.map, chain or verdict.upper(), syntax="nft"
            )
            ruleset.filter_rules.append(rule)


def _with_named_counters(ruleset: _Ruleset) -> tuple[FilterRule, ...]:
    """Rules that name a counter object have its numbers, unless several rules share it."""
    names = [_BY_NAME.search(rule.text) for rule in ruleset.filter_rules]
    keys = [
        (rule.table, name[1]) if name else None
        for rule, name in zip(ruleset.filter_rules, names, strict=True)
    ]
    users = Counter(keys)
    found = []
    for rule, key in zip(ruleset.filter_rules, keys, strict=True):
        if key in ruleset.counters and users[key] == 1:
            packets, size = ruleset.counters[key]
            rule = replace(rule, packets=packets, bytes=size)
        found.append(rule)
    return tuple(found)


def _read_chain_line(ruleset: _Ruleset, line: str, bare: str, number: int) -> None:
    opaque = _OPAQUE.search(line)
    if opaque:
        target = opaque[1] or opaque[2]
        ruleset.warnings.append(
            f"line {number}: nft hides the options of this {target} rule; use iptables-save"
        )
    policy = _POLICY.match(line)
    if policy is not None:
        verdict = policy[2].upper()
        text = f"chain {ruleset.chain} hook {policy[1]} policy {policy[2]}"
        ruleset.filter_rules.append(
            FilterRule(number, text, ruleset.table, ruleset.chain, verdict, syntax="nft")
        )
        return
    if len(line) > _LONGEST_RULE or line.strip().startswith(_NO_RULE):
        return
    words = bare.split("#", 1)[0].replace(",", " ").replace(";", " ").split()
    statement = next((word for word in _STATEMENTS if word in words), None)
    if statement is not None:
        ruleset.nat_rules.append(_nat_rule(ruleset, line, words[words.index(statement) :], number))
    elif words:
        ruleset.filter_rules.append(_filter_rule(ruleset, line, words, number))


def _nat_rule(ruleset: _Ruleset, line: str, words: Sequence[str], number: int) -> NatRule:
    return NatRule(
        line=number,
        text=_COUNTER.sub("", line.strip()).strip(),
        chain=ruleset.chain,
        target=words[0].upper(),
        fully_random="fully-random" in words,
        random="random" in words,
        port_range=_ports_of(words[1:]),
        syntax="nft",
    )


def _filter_rule(ruleset: _Ruleset, line: str, words: Sequence[str], number: int) -> FilterRule:
    counter = _COUNTER.search(line)
    return FilterRule(
        line=number,
        text=_COUNTER.sub("", line.strip()).strip(),
        table=ruleset.table,
        chain=ruleset.chain,
        verdict=_verdict_of(words),
        packets=int(counter[1]) if counter else None,
        bytes=int(counter[2]) if counter else None,
        syntax="nft",
    )


def _verdict_of(words: Sequence[str]) -> str:
    """The last statement that decides; a map of verdicts decides packet by packet and gives none."""
    if "vmap" in words:
        return ""
    for before, word in zip(reversed(words[:-1]), reversed(words[1:]), strict=True):
        if before in ("jump", "goto"):
            return word
        if word in _VERDICTS:
            return word.upper()
    return words[0].upper() if words[0] in _VERDICTS else ""


def _ports_of(after: Sequence[str]) -> tuple[int, int] | None:
    """The ports of ``to :1-2``, ``to 10.0.0.1:1-2`` and ``ip to 10.0.0.1``."""
    if "to" not in after[:2]:
        return None
    rest = after[after.index("to") + 1 :]
    if not rest:
        return None
    return port_range(rest[0][1:]) if rest[0].startswith(":") else port_range_of_source(rest[0])
