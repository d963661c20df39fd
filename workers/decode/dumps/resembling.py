"""What a text that no format knows looks like: the formats whose words it uses, what they look like, what to send."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_LOOKED_AT: Final = 2_000
"""Lines; a log of a million says no more."""
_LONGEST: Final = 1_024
_NAMED_AT_MOST: Final = 3


@dataclass(frozen=True)
class Resembled:
    """A format whose words a text uses. `line` is the first of them (1-based), `lines` how many."""

    name: str
    line: int
    lines: int
    expected: str
    command: str


@dataclass(frozen=True)
class _Look:
    name: str
    words: re.Pattern[str]
    expected: str
    """A line as the program prints it."""
    command: str


def _look(name: str, words: str, expected: str, command: str) -> _Look:
    return _Look(name, re.compile(words, re.IGNORECASE), expected, command)


_LOOKS: Final = (
    _look("tcpdump", r"\bflags \[|\bIP6? .{1,80}>|\bwho-has\b|\bseq \d+.*\back \d+",
          "12:00:01.000001 IP 10.0.0.1.40000 > 10.0.0.2.80: Flags [S], seq 1, win 64240, length 0",
          "tcpdump -i any -nn -s 96 -w out.pcap"),
    _look("conntrack", r"\bconntrack\b|\bsport=\d|\[UNREPLIED\]|\binsert_failed\b",
          "tcp 6 117 SYN_SENT src=10.0.0.1 dst=10.0.0.2 sport=40000 dport=80 [UNREPLIED] src=… dst=…",
          "conntrack -L; conntrack -S"),
    _look("iptables", r"\biptables\b|\bMASQUERADE\b|^chain \w|\bKUBE-\w+|\btarget\s+prot\b",
          "[12:720] -A FORWARD -j REJECT --reject-with icmp-port-unreachable", "iptables-save -c"),
    _look("ip", r"\blladdr\b|\bscope link\b|\bdev \w+ proto\b|\bmtu \d+ qdisc\b",
          "10.0.0.1 dev eth0 lladdr 02:00:00:00:00:01 REACHABLE", "ip neigh; ip route; ip -d link; ip rule"),
    _look("ss", r"\bRecv-Q\b|\bLISTEN\b|\bESTAB\b", "LISTEN 0 4096 0.0.0.0:80 0.0.0.0:*", "ss -lnt; ss -tin"),
    _look("kernel log", r"\bkernel:|^\[\s*\d+\.\d+\]|\bmartian\b|\btable overflow\b",
          "[   84.291095] nf_conntrack: nf_conntrack: table full, dropping packet", "dmesg -T"),
    _look("curl", r"\bcurl\b|\btime_(?:connect|total)\b|\bConnection (?:timed out|refused)\b",
          "time_connect: 1.004  time_total: 1.051",
          "curl -sv -o /dev/null -w '%{json}' URL"),
    _look("JSON", r"^\s*[\[{]\s*(?:\"|$)", '{"flow":{"verdict":"DROPPED","IP":{…}}}',
          "hubble observe -o jsonpb; the whole object, not a part of it"),
    _look("HTTP or program log", r"\b(?:error|warn(?:ing)?|fatal|exception|timed? ?out)\b",
          "a log says that something failed, not which packet was lost", "tcpdump -i any -nn -s 96 -w out.pcap"),
)  # fmt: skip


def resembled(lines: Sequence[str]) -> tuple[Resembled, ...]:
    """The formats whose words the lines use, those of most lines first; at most three."""
    found: list[Resembled] = []
    for look in _LOOKS:
        at = [n for n, line in enumerate(lines[:_LOOKED_AT], 1) if look.words.search(line[:_LONGEST])]
        if at:
            found.append(Resembled(look.name, at[0], len(at), look.expected, look.command))
    found.sort(key=lambda each: -each.lines)
    return tuple(found[:_NAMED_AT_MOST])


def describe_unknown(lines: Sequence[str]) -> tuple[str, ...]:
    """Sentences for a text of no known format: that, what it resembles, what was expected, what to send instead."""
    filled = sum(1 for line in lines if line.strip())
    hints = [
        f"No line of this text is of a format that is read ({filled:,} of {filled:,} lines not understood)."
    ]
    for each in resembled(lines):
        where = f"line {each.line:,}" + (f" and {each.lines - 1:,} more" if each.lines > 1 else "")
        hints.append(
            f"It resembles {each.name} ({where}); expected was a line like “{each.expected}”. "
            f"Send the output of: {each.command}"
        )
    if len(hints) == 1:
        hints.append(
            "It resembles no known format. Send a capture (tcpdump -i any -nn -s 96 -w out.pcap), or what tcpdump, "
            "conntrack, iptables-save, ip, ss, nstat or dmesg printed, unchanged and whole."
        )
    return tuple(hints)
