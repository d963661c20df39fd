"""`ping` of iputils, busybox and the BSDs: a line an answer, a closing account.

PING 10.0.0.7 (10.0.0.7) 56(84) bytes of data.
[1795222120.008962] 64 bytes from 10.0.0.7: icmp_seq=1 ttl=64 time=0.541 ms
64 bytes from 10.0.0.7: seq=0 ttl=64 time=0.541 ms
no answer yet for icmp_seq=2
--- 10.0.0.7 ping statistics ---
1000 packets transmitted, 1000 received, 0% packet loss, time 10002ms
rtt min/avg/max/mdev = 0.211/0.541/121.020/3.200 ms
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from backend.forensics.dumps import Dump, Probe, ProbeSeries, ProbeTable
from backend.forensics.dumps.probes import PROBE_REFUSED
from workers.decode.dumps.fields import canonical_address, numbered
from workers.decode.dumps.formats import share_owned
from workers.decode.dumps.stated_times import epoch_time_ns

KIND = "ping"

_TITLE = re.compile(
    r"PING (?P<target>[^\s(]{1,255}) ?\((?P<address>[^\s()]{1,255})(?: \((?P<inner>[^\s()]{2,64})\))?\)"
)
_STAMP = r"(?:\[(?P<time>\d{10}\.\d{6})\] )?"
_ANSWER = re.compile(
    _STAMP + r"\d{1,5} bytes from (?P<from>[^\s:(]{1,255}|[0-9a-fA-F:.]{2,64}(?:%\w{1,16})?)"
    r"(?: \((?P<address>[0-9a-fA-F:.%\w]{2,64})\))?: (?:icmp_seq|icmp_req|seq)=(?P<sequence>\d{1,9})"
    r"(?: (?:ttl|hlim)=\d{1,3})?(?: time[=<](?P<rtt>\d{1,9}(?:\.\d{1,3})?) ms)?(?P<rest>.{0,80})$"
)
_UNANSWERED = re.compile(
    _STAMP + r"(?:no answer yet for icmp_seq=|Request timeout for icmp_seq )(?P<sequence>\d{1,9})\s*$"
)
_REFUSED = re.compile(
    _STAMP
    + r"From (?P<from>\S{1,255})(?: \(\S{1,64}\))?:? icmp_seq=(?P<sequence>\d{1,9}) (?P<why>[A-Z].{2,80})$"
)
_MESSAGE = re.compile(r"ping6?: (?:local error: |sendmsg: |sendto: )?\S.{0,200}$")
_SIZE = re.compile(
    r"\) ?(?:from .{1,100}?)?: ?(?P<of_data>\d{1,6}) data bytes|"
    r"\) (?:from .{1,100}? )?(?P<data>\d{1,6})(?:\(\d{1,6}\))? (?:data )?bytes"
)
_MTU = re.compile(
    r"(?:[Ff]rag needed and DF set|[Mm]essage too long|Packet too big).{0,40}?\bmtu ?= ?(?P<mtu>\d{2,6})"
)
_ACCOUNT = re.compile(r"--- \S{1,255} ping statistics ---\s*$")
_SENT = re.compile(
    r"(?P<sent>\d{1,10}) packets transmitted, (?P<received>\d{1,10}) (?:packets )?received(?:, .{0,120}?)?"
    r"(?:, time (?P<time>\d{1,12}) ?ms)?\s*$"
)
_UNDERSTOOD = re.compile(
    r"(?:rtt|round-trip) min/avg/max|pipe \d{1,6}|ping: |PING |\d{1,10}/\d{1,10} packets, |\^C|"
    r"wrong data byte|#\d{1,5}\t|\d{1,5} bytes from \S{1,255}: (?:Destination|Redirect|Time to live)|"
    r"Vr HL TOS|\s{0,4}4\s{1,4}5\s"
)


def recognise(head: Sequence[str]) -> float:
    """Sure when title and answers, or the account, are there."""
    titled = any(_TITLE.match(line) or _ACCOUNT.match(line) for line in head)
    return 1.0 if titled else 0.9 * share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """The title, an answer or its absence, or the account's first line."""
    return any(shape.match(line) for shape in (_ANSWER, _TITLE, _UNANSWERED, _REFUSED, _ACCOUNT, _MESSAGE))


def starts_anew(previous: str, line: str) -> bool:
    """The title begins a run."""
    return bool(previous and _TITLE.match(line))


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The round trips; with `-D` the time is that of the answer, so a probe left one round trip before."""
    series: list[ProbeSeries] = []
    probes: dict[tuple[int, int], Probe] = {}
    not_understood: list[int] = []
    for number, line in numbered(lines, first_line):
        title = _TITLE.match(line)
        _take_mtu(line, series)
        probe = None if title is not None else _probe(line, number, max(0, len(series) - 1))
        if title is not None:
            series.append(_series(title, number))
        elif probe is not None:
            if not series:
                series.append(_untitled(line, number))
            # Answers that come twice, and late ones after "no answer yet": the first round trip counts.
            known = probes.get((probe.series, probe.sequence))
            if known is None or known.rtt_ms is None:
                probes[probe.series, probe.sequence] = probe
        elif not _take_account(line, series):
            not_understood.append(number)
    table = ProbeTable.of(sorted(probes.values(), key=lambda p: p.line))
    return Dump(KIND, len(lines), tuple(not_understood), probes=table, probe_series=tuple(series))


def _series(title: re.Match[str], number: int) -> ProbeSeries:
    address = canonical_address(title["inner"] or title["address"])
    size = _SIZE.search(title.string)
    data_bytes = int(size["data"] or size["of_data"]) if size else None
    return ProbeSeries(number, "ping", "icmp", title["target"], address or "", data_bytes=data_bytes)


def _take_mtu(line: str, series: list[ProbeSeries]) -> None:
    """The smallest MTU that a router, or this host itself, named for the target."""
    found = _MTU.search(line) if series else None
    if found is not None:
        known = series[-1].path_mtu
        mtu_bytes = min(int(found["mtu"]), known or int(found["mtu"]))
        series[-1] = replace(series[-1], path_mtu=mtu_bytes)


def _untitled(line: str, number: int) -> ProbeSeries:
    answer = _ANSWER.match(line)
    if answer is None:
        return ProbeSeries(number, "ping", "icmp", "")
    name = answer["from"]
    return ProbeSeries(number, "ping", "icmp", name, canonical_address(answer["address"] or name) or "")


def _probe(line: str, number: int, series: int) -> Probe | None:
    answer = _ANSWER.match(line)
    if answer is not None:
        if answer["rtt"] is None:
            return None
        rtt_ms = float(answer["rtt"])
        time_ns = epoch_time_ns(answer["time"] or "")
        sent_ns = None if time_ns is None else time_ns - round(rtt_ms * 1e6)
        return Probe(number, series, int(answer["sequence"]), sent_ns, rtt_ms)
    refused = _REFUSED.match(line)
    silent = refused or _UNANSWERED.match(line)
    if silent is None:
        return None
    return Probe(number, series, int(silent["sequence"]), None, None, PROBE_REFUSED if refused else 0)


def _take_account(line: str, series: list[ProbeSeries]) -> bool:
    """A line that is no probe; whether it was understood."""
    sent = _SENT.match(line)
    if sent is None:
        return bool(_ACCOUNT.match(line) or _UNDERSTOOD.match(line) or _ANSWER.match(line))
    if series:
        count = int(sent["sent"])
        interval_s = int(sent["time"]) / 1_000 / (count - 1) if sent["time"] and count > 1 else None
        series[-1] = replace(series[-1], sent=count, received=int(sent["received"]), interval_s=interval_s)
    return True
