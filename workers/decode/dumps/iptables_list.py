"""`iptables -L` and `-t nat -L`, with or without `-v`, `-n` and `--line-numbers`: rules as a table.

Chain KUBE-SERVICES (2 references)
 pkts bytes target     prot opt in     out     source               destination
   12   720 REJECT     tcp  --  *      *       0.0.0.0/0            10.96.0.10           /* default/web has no endpoints */ tcp dpt:80 reject-with icmp-port-unreachable
"""  # noqa: E501 - as printed

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from backend.forensics.dumps import Dump, FilterRule, NatRule
from workers.decode.dumps.fields import numbered, port_range
from workers.decode.dumps.formats import share_owned

KIND = "iptables-list"

_CHAIN = re.compile(
    r"Chain (?P<name>\S{1,64}) \((?:policy (?P<policy>[A-Z]{1,10})(?: (?P<packets>\d{1,20}[KMGT]?) packets, "
    r"(?P<bytes>\d{1,20}[KMGT]?) bytes)?|(?P<references>\d{1,9}) references?)\)"
)
_TITLE = re.compile(
    r"\s{0,4}(?:num\s+)?(?:pkts\s+bytes\s+)?target\s+prot\s+opt\s+(?:in\s+out\s+)?source\s+destination"
)
_PROTOCOL: Final = r"(?:all|tcp|udp|icmp|icmpv6|ipv6-icmp|sctp|esp|ah|gre|ipencap|ipip|vrrp|\d{1,3})"
_OPTIONS: Final = r"(?:--|-f|!f)"
_ROW = re.compile(
    r"\s{0,12}(?:(?P<number>\d{1,6})\s+(?=\d{1,20}[KMGT]?\s+\d|\S+\s+"
    + _PROTOCOL
    + r"\s))?(?:(?P<packets>\d{1,20}[KMGT]?)\s+(?P<bytes>\d{1,20}[KMGT]?)"
    r"\s+)?(?:(?P<target>[A-Za-z][\w.:+-]{0,63})\s+)??"
    rf"(?P<protocol>!?{_PROTOCOL})\s+{_OPTIONS}\s+"
    r"(?:(?!anywhere\s|!?[\w:]{1,40}[./:])(?P<in>\S{1,16})\s+(?!anywhere\s)(?P<out>\S{1,16})\s+(?=\S+\s+\S))?"
    r"(?P<source>!?[\w.:/-]{1,80})\s+(?P<destination>!?[\w.:/-]{1,80})(?:\s+(?P<rest>\S.{0,1500}))?\s*$"
)
_WARNING = re.compile(r"# Warning: ip6?tables-legacy tables present|#\s*$")
_TO = re.compile(r"\bto:(?P<to>\S{1,80})")
_PORTS = re.compile(r"\b(?P<side>dpts?|spts?|dports|sports):(?P<ports>[\w:,-]{1,80})")
_COMMENT = re.compile(r"/\* ?(?P<text>.{0,256}?) ?\*/")
_STATE = re.compile(r"\b(?:ctstate|state) (?P<states>[A-Z,]{3,60})")
_REJECT = re.compile(r"\breject-with (?P<how>[\w-]{1,40})")
_MASQUERADE_PORTS = re.compile(r"masq ports: (?P<ports>\d{1,5}(?:-\d{1,5})?)")
_NAT_TARGETS = frozenset(("MASQUERADE", "SNAT", "DNAT", "REDIRECT", "NETMAP"))
_SCALES: Final = {"K": 1_000, "M": 1_000_000, "G": 1_000_000_000, "T": 1_000_000_000_000}


def recognise(head: Sequence[str]) -> float:
    """The share of chains, titles and rules."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """Any line of the table."""
    return bool(_CHAIN.match(line) or _TITLE.match(line) or ("  " in line and _ROW.match(line)))


def starts_anew(previous: str, line: str) -> bool:
    """Chains follow each other."""
    return False


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The rules, each as `iptables -S` would write it, with its counters."""
    rules: list[FilterRule] = []
    nat_rules: list[NatRule] = []
    not_understood: list[int] = []
    chain = ""
    for number, line in numbered(lines, first_line):
        begun, row = _CHAIN.match(line), _ROW.match(line)
        if begun is not None:
            chain = begun["name"]
            rules += _policy(begun, number)
        elif row is not None:
            rule = _rule(row, number, chain)
            (nat_rules if isinstance(rule, NatRule) else rules).append(rule)  # type: ignore[arg-type]
        elif not (_TITLE.match(line) or _WARNING.match(line)):
            not_understood.append(number)
    return Dump(
        KIND, len(lines), tuple(not_understood), filter_rules=tuple(rules), nat_rules=tuple(nat_rules)
    )


def _policy(begun: re.Match[str], number: int) -> list[FilterRule]:
    if begun["policy"] is None:
        return []
    counts = count(begun["packets"]), count(begun["bytes"])
    text = f":{begun['name']} {begun['policy']}"
    return [FilterRule(number, text, "", begun["name"], begun["policy"], *counts)]


def count(text: str | None) -> int | None:
    """``12``, ``34K``: a counter; rounded by the program where it is large."""
    if text is None:
        return None
    scale = _SCALES.get(text[-1], 1)
    return int(text.rstrip("KMGT")) * scale


def _rule(row: re.Match[str], number: int, chain: str) -> NatRule | FilterRule:
    target, rest = row["target"] or "", row["rest"] or ""
    text = _as_saved(row, chain, target, rest)
    if target in _NAT_TARGETS:
        to, masquerade = _TO.search(rest), _MASQUERADE_PORTS.search(rest)
        ports = None
        if masquerade:
            ports = port_range(masquerade["ports"])
        elif to and ":" in to["to"]:
            ports = port_range(to["to"].rpartition(":")[2])
        fully, random = "random-fully" in rest, bool(re.search(r"\brandom\b(?!-)", rest))
        return NatRule(number, text, chain, target, fully, random, ports)
    return FilterRule(number, text, "", chain, target, count(row["packets"]), count(row["bytes"]))


def _as_saved(row: re.Match[str], chain: str, target: str, rest: str) -> str:
    """The rule in the words of `iptables -S`, so that it reads the same wherever it came from."""
    words = [f"-A {chain}"]
    words += _address("-s", row["source"]) + _address("-d", row["destination"])
    words += [f"-i {row['in']}"] if row["in"] not in (None, "*", "any") else []
    words += [f"-o {row['out']}"] if row["out"] not in (None, "*", "any") else []
    words += [f"-p {row['protocol']}"] if row["protocol"] not in ("all", "0") else []
    comment, state, reject = _COMMENT.search(rest), _STATE.search(rest), _REJECT.search(rest)
    outside = _COMMENT.sub("", rest)
    words += [f'-m comment --comment "{comment["text"]}"'] if comment else []
    words += [f"-m conntrack --ctstate {state['states']}"] if state else []
    for side in _PORTS.finditer(outside):
        words.append(f"--{'d' if side['side'].startswith('d') else 's'}port {side['ports']}")
    if "src-type LOCAL" in outside or "dst-type LOCAL" in outside:
        words.append(f"-m addrtype --{'src' if 'src-type' in outside else 'dst'}-type LOCAL")
    words += [f"-j {target}"] if target else []
    words += [f"--reject-with {reject['how']}"] if reject else []
    to = _TO.search(outside)
    words += [f"--to-{'destination' if target == 'DNAT' else 'source'} {to['to']}"] if to else []
    return " ".join(words)


def _address(option: str, text: str) -> list[str]:
    if text in ("0.0.0.0/0", "anywhere", "::/0"):
        return []
    whole = text if "/" in text or not text[-1:].isdigit() else f"{text}/{128 if ':' in text else 32}"
    return [f"! {option} {whole[1:]}" if whole.startswith("!") else f"{option} {whole}"]
