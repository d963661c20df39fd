"""`hping3`: a line an answer, a closing account.

HPING 172.16.44.238 (eth0 172.16.44.238): icmp mode set, 28 headers + 0 data bytes
len=28 ip=172.16.44.238 ttl=64 id=2589 icmp_seq=0 rtt=1.9 ms
len=44 ip=172.16.44.238 ttl=64 DF id=0 sport=30258 flags=SA seq=4 win=64240 rtt=1.0 ms
--- 172.16.44.238 hping statistic ---
1200 packets transmitted, 1200 packets received, 0% packet loss
round-trip min/avg/max = 0.1/6.6/1000.3 ms
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from backend.forensics.dumps import Dump, Probe, ProbeKind, ProbeSeries, ProbeTable
from backend.forensics.dumps.probes import PROBE_CORRECTED, PROBE_REFUSED
from workers.decode.dumps.fields import canonical_address, numbered
from workers.decode.dumps.formats import share_owned

KIND = "hping3"

_TITLE = re.compile(
    r"HPING (?P<target>\S{1,255}) \((?P<interface>\S{1,64}) (?P<address>[\d.]{7,15})\): (?P<mode>.{1,60}?) set, "
)
_ANSWER = re.compile(
    r"(?P<again>DUP! )?len=\d{1,5} ip=(?P<address>[\d.]{7,15}) ttl=\d{1,3} (?:DF )?id=?\+?-?\d{1,6} "
    r"(?:sport=(?P<port>\d{1,5}) flags=(?P<flags>[A-Za-z]{1,8}) |(?P<icmp>icmp_))?seq=(?P<sequence>\d{1,9})"
    r"(?: win=\d{1,5})? rtt=(?P<rtt>\d{1,7}(?:\.\d{1,4})?) ms\s*$"
)
# Interrupted, hping3 prints its account in the middle of a line, and the rest of that line after it.
_BEGUN = re.compile(r"(?:D|DU|DUP|DUP!|DUP! )?(?:l|le|len|len=.{0,140})?$")
_ACCOUNT = re.compile(r"--- \S{1,255} hping statistic ---\s*$")
_SENT = re.compile(r"(?P<sent>\d{1,10}) packets (?:transmitted|tramitted), \d{1,10} packets received, ")
_UNDERSTOOD = re.compile(
    r"round-trip min/avg/max = |ICMP [A-Z][\w ]{2,60} from ip=|status=\d{1,3} port=\d{1,5} seq=\d{1,9}\s*$|"
    r"\[(?:main|open_sockraw)[^\]]{0,60}\]|hping in flood mode|get hostname\.\.\.|name=|hop=\d{1,3} "
)
_TOO_LONG_MS = 1_000.0
_NEIGHBOUR_MS = 100.0
"""What is left of a corrected time may exceed that of its neighbours by so much: the first of a stall does."""


@dataclass
class _Reading:
    """What was read so far."""

    series: list[ProbeSeries] = field(default_factory=list)
    probes: list[Probe] = field(default_factory=list)
    cut: tuple[int, str] | None = None
    """Number and text of a line that was broken off, until its rest is found."""
    closed: bool = False
    not_understood: list[int] = field(default_factory=list)


def recognise(head: Sequence[str]) -> float:
    """Sure when the title is there."""
    return 1.0 if any(_TITLE.match(line) for line in head) else 0.9 * share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """The title, an answer, or the account's first line."""
    return bool(_TITLE.match(line) or _ANSWER.match(line) or _ACCOUNT.match(line))


def starts_anew(previous: str, line: str) -> bool:
    """The title begins a run."""
    return bool(previous and _TITLE.match(line))


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The round trips. Answers that belong to other connections, and repeated ones, give none."""
    reading = _Reading()
    for number, line in numbered(lines, first_line):
        title, answer = _TITLE.match(line), _ANSWER.match(line)
        if title is not None:
            reading.series.append(_series(title, number))
        elif answer is not None:
            _take(reading, answer, number)
        elif not _take_other(reading, line, number):
            reading.not_understood.append(number)
    if reading.cut is not None:
        reading.not_understood.append(reading.cut[0])
    probes = _corrected(reading.probes)
    return Dump(
        KIND,
        len(lines),
        tuple(sorted(reading.not_understood)),
        probes=ProbeTable.of(probes),
        probe_series=tuple(reading.series),
        warnings=_warnings(probes),
    )


def _series(title: re.Match[str], number: int) -> ProbeSeries:
    mode = title["mode"]
    kind: ProbeKind = "icmp" if mode.startswith("icmp") else "udp" if mode.startswith("udp") else "tcp"
    return ProbeSeries(number, "hping3", kind, title["target"], canonical_address(title["address"]) or "")


def _take(reading: _Reading, answer: re.Match[str], number: int) -> None:
    kind: ProbeKind = "icmp" if answer["icmp"] else "tcp" if answer["flags"] else "udp"
    port = int(answer["port"]) if answer["port"] else None
    if not reading.series:
        address = canonical_address(answer["address"]) or ""
        reading.series.append(ProbeSeries(number, "hping3", kind, address, address, port))
    elif reading.series[-1].port is None and port is not None:
        reading.series[-1] = replace(reading.series[-1], port=port)
    flags = answer["flags"] or ""
    # It prints whatever comes from that port, data of other connections as well, and 0.0 for what it did not send.
    strange = kind == "tcp" and (not {"S", "R"} & set(flags) or float(answer["rtt"]) == 0.0)
    if not answer["again"] and not strange:
        marks = PROBE_REFUSED if "R" in flags else 0
        number_of = len(reading.series) - 1
        reading.probes.append(
            Probe(number, number_of, int(answer["sequence"]), None, float(answer["rtt"]), marks)
        )


def _take_other(reading: _Reading, line: str, number: int) -> bool:
    """Any line that is neither title nor answer; whether it was understood."""
    sent = _SENT.match(line)
    if sent is not None:
        if reading.series:
            reading.series[-1] = replace(reading.series[-1], sent=int(sent["sent"]))
        return True
    if _ACCOUNT.match(line):
        reading.closed = True
        return True
    rest = _ANSWER.match(reading.cut[1] + line) if reading.cut and reading.closed else None
    if rest is not None:
        reading.cut = None
        _take(reading, rest, number)
        return True
    if _BEGUN.match(line) and reading.cut is None:
        reading.cut = number, line
        return True
    return bool(_UNDERSTOOD.match(line))


def _corrected(probes: Sequence[Probe]) -> list[Probe]:
    """Round trips that were printed 1,000 ms too long, put right.

    hping3 keeps the second of sending by `time()` and the microseconds by `gettimeofday()`; the former runs up to a
    tick behind, so that a probe sent just after a full second is a second too old. Lines come in the order of the
    answers: one that stands in its sequence between answers that took less cannot have taken a second longer."""
    found = list(probes)
    for index, probe in enumerate(probes):
        if probe.rtt_ms is None or probe.rtt_ms < _TOO_LONG_MS:
            continue
        around = [
            p for p in probes[max(0, index - 1) : index + 2] if p is not probe and p.series == probe.series
        ]
        in_order = all((p.sequence < probe.sequence) == (p.line < probe.line) for p in around)
        usual_ms = [p.rtt_ms for p in around if p.rtt_ms is not None and p.rtt_ms < _TOO_LONG_MS]
        rest_ms = probe.rtt_ms - _TOO_LONG_MS
        if (
            in_order
            and usual_ms
            and len(usual_ms) == len(around)
            and rest_ms <= max(usual_ms) + _NEIGHBOUR_MS
        ):
            found[index] = replace(probe, rtt_ms=rest_ms, marks=probe.marks | PROBE_CORRECTED)
    return found


def _warnings(probes: Sequence[Probe]) -> tuple[str, ...]:
    corrected = sum(1 for probe in probes if probe.marks & PROBE_CORRECTED)
    if not corrected:
        return ()
    trips = "a round trip was" if corrected == 1 else f"{corrected:,} round trips were"
    return (f"{trips} printed 1,000 ms too long, a fault of hping3 at the turn of a second: corrected",)
