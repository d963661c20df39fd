"""`netstat -s`: the network counters in words, given the kernel's names.

Tcp:
    1234 active connection openings
TcpExt:
    12 times the listen queue of a socket overflowed
    TCPTimeouts: 8

Words and names as in net-tools' statistics.c; a sentence that is not among them is not understood.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import CounterRow, Dump
from workers.decode.dumps.fields import numbered, whole_number
from workers.decode.dumps.netstat_words import ONLY_ONE, SENTENCES
from workers.decode.dumps.network_counters import add_values

KIND = "nstat"

_SECTION = re.compile(
    r"(Ip|Ip6|Icmp|Icmp6|IcmpMsg|Tcp|Udp|Udp6|UdpLite|UdpLite6|TcpExt|IpExt|MPTcpExt|Sctp):\s*$"
)
_NAMED = re.compile(r"\s{1,12}([A-Z]\w{1,60}): (\d{1,20})\s*$")
_LONGEST = 120
"""Characters of a sentence."""
_NUMBER = re.compile(r"(?<![\w.])\d{1,20}(?![\w.])")
_HISTOGRAM = re.compile(r"\s{1,12}(?:(?:ICMP6? )?(?:input|output) histogram[:.]|(?:In|Out)Type\d{1,3}: \d)")
_ICMP_KIND = re.compile(r"\s{4,16}[a-z][a-z ]{2,40}: \d{1,20}\s*$")


def recognise(head: Sequence[str]) -> float:
    """Sure when a section begins."""
    return 1.0 if any(owns_line(line) for line in head) else 0.0


def owns_line(line: str) -> bool:
    """The title of a section, whose sentences follow it, and sentences that one section alone has: people grep them."""
    return bool(_SECTION.match(line)) or _alone(line) is not None


def starts_anew(previous: str, line: str) -> bool:
    """`Ip:` comes first in each listing."""
    return bool(previous) and line.rstrip() == "Ip:"


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """A row a sentence."""
    counters: list[CounterRow] = []
    gauges: list[CounterRow] = []
    not_understood: list[int] = []
    section = ""
    for number, line in numbered(lines, first_line):
        title = _SECTION.match(line)
        if title is not None:
            section = title[1]
            continue
        values = _read_sentence(section, line) if section else _alone(line)
        if values is None:
            not_understood.append(number)
        else:
            add_values(values, number, counters, gauges)
    return Dump(KIND, len(lines), tuple(not_understood), counters=tuple(counters), gauges=tuple(gauges))


def _alone(line: str) -> dict[str, int] | None:
    text = line.strip()
    if not text[:1].isalnum() or len(text) > _LONGEST or " " not in text:
        return None
    numbers = _NUMBER.findall(text)
    name = ONLY_ONE.get(_NUMBER.sub("#", text)) if len(numbers) == 1 else None
    value = whole_number(numbers[0]) if name else None
    return None if name is None or value is None else {name: value}


def _read_sentence(section: str, line: str) -> dict[str, int] | None:
    """The counter and its value; {} for the ICMP types, which are listed once more in numbers."""
    if not line[0].isspace() or not section:
        return None
    named = _NAMED.match(line)
    if named is not None and named[2]:
        value = whole_number(named[2])
        return None if value is None else {section + named[1]: value}
    if section.startswith("Icmp") and (_HISTOGRAM.match(line) or _ICMP_KIND.match(line)):
        return {}
    if section == "Ip" and line.strip().startswith("Forwarding:"):
        return {}
    numbers = _NUMBER.findall(line)
    name = SENTENCES.get((section, _NUMBER.sub("#", line.strip())))
    value = whole_number(numbers[0]) if len(numbers) == 1 else None
    return None if name is None or value is None else {name: value}
