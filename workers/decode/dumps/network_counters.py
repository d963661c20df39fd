"""`nstat -az`, `/proc/net/netstat`, `/proc/net/snmp` and `snmp6`: the network counters under the kernel's names.

    TcpExtListenOverflows           12                 0.0

    TcpExt: SyncookiesSent SyncookiesRecv ListenOverflows
    TcpExt: 0 0 12

    Ip6InReceives                   	1234

What `netstat -s` says in words is read by its own module into the same names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import CounterRow, Dump
from workers.decode.dumps.fields import numbered, whole_number
from workers.decode.dumps.formats import share_owned

KIND = "nstat"

_GROUP = (
    r"(?:Ip|IpExt|Ip6|Icmp|IcmpMsg|Icmp6|Tcp|TcpExt|Udp|Udp6|UdpLite|UdpLite6|MPTcpExt|Xfrm|Sctp|TipcExt|Tls)"
)
_NSTAT_LINE = re.compile(
    rf"(?P<name>{_GROUP}[A-Z0-9]\w{{1,60}})\s{{1,60}}(?P<value>-?\d{{1,20}})(?:\s{{1,40}}[\d.]{{1,20}})?\s*$"
)
_NSTAT_HEAD = re.compile(r"#(?:kernel|\d{1,12}\.\d{1,12}(?: sampling_interval=\S{1,40})?)\s*$")
_PAIR_LINE = re.compile(rf"(?P<group>{_GROUP}): (?P<rest>(?:[A-Z]\w{{1,60}}|-?\d{{1,20}})(?:\s.*)?)$")

GAUGES = frozenset(
    (
        "TcpCurrEstab", "TcpRtoAlgorithm", "TcpRtoMin", "TcpRtoMax", "TcpMaxConn", "IpForwarding", "IpDefaultTTL",
        "Ip6Forwarding", "MPTcpExtMPCurrEstab", "SctpCurrEstab", "SctpRtoAlgorithm", "SctpRtoMin", "SctpRtoMax",
        "SctpMaxAssocs", "SctpRtoInitial", "SctpValCookieLife", "SctpMaxInitRetr", "TlsCurrTxSw", "TlsCurrRxSw",
        "TlsCurrTxDevice", "TlsCurrRxDevice",
    )
)  # fmt: skip
"""Settings and sizes among the counters (RFC 4022, RFC 4293): they also fall."""


def recognise(head: Sequence[str]) -> float:
    """The share of lines that are counters."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """A counter of nstat, or a line of names or numbers."""
    return bool(_NSTAT_LINE.match(line) or _PAIR_LINE.match(line) or _NSTAT_HEAD.match(line))


def starts_anew(previous: str, line: str) -> bool:
    """nstat's head begins a listing; the two files in /proc each begin with their first group."""
    if not previous:
        return False
    begins = line.startswith(("TcpExt: S", "Ip: F"))
    return bool(_NSTAT_HEAD.match(line)) or (begins and not previous.startswith(line.split(" ", 1)[0]))


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """A row a counter; of the two-line form, a row a group, at the line of its numbers."""
    counters: list[CounterRow] = []
    gauges: list[CounterRow] = []
    not_understood: list[int] = []
    names: tuple[str, int, list[str]] | None = None
    for number, line in numbered(lines, first_line):
        pair = _PAIR_LINE.match(line)
        if pair is not None and pair["rest"][0].isalpha():
            not_understood += [] if names is None else [names[1]]
            names = pair["group"], number, pair["rest"].split()
            continue
        if names is not None and (pair is None or pair["group"] != names[0]):
            not_understood.append(names[1])
        values = _read_values(line, pair, names)
        names = None
        if values is None:
            not_understood += [] if _NSTAT_HEAD.match(line) else [number]
        else:
            add_values(values, number, counters, gauges)
    not_understood += [] if names is None else [names[1]]
    return Dump(
        KIND, len(lines), tuple(sorted(set(not_understood))), counters=tuple(counters), gauges=tuple(gauges)
    )


def add_values(
    values: dict[str, int], number: int, counters: list[CounterRow], gauges: list[CounterRow]
) -> None:
    """Values of one line, sorted into those that only grow and those that do not."""
    falling = {name: value for name, value in values.items() if name in GAUGES}
    growing = {name: value for name, value in values.items() if name not in GAUGES and value >= 0}
    counters += [CounterRow(number, None, growing)] if growing else []
    gauges += [CounterRow(number, None, falling)] if falling else []


def _read_values(
    line: str, pair: re.Match[str] | None, names: tuple[str, int, list[str]] | None
) -> dict[str, int] | None:
    single = _NSTAT_LINE.match(line)
    if single is not None:
        value = _signed(single["value"])
        return None if value is None else {single["name"]: value}
    if pair is None or names is None or pair["group"] != names[0]:
        return None
    numbers = [value for word in pair["rest"].split() if (value := _signed(word)) is not None]
    if len(numbers) != len(names[2]) or len(numbers) != len(pair["rest"].split()):
        return None
    return {names[0] + name: value for name, value in zip(names[2], numbers, strict=True)}


def _signed(text: str) -> int | None:
    number = whole_number(text.removeprefix("-"))
    return None if number is None else -number if text.startswith("-") else number
