"""`dig`, once or in a loop, whole or only its times.

; <<>> DiG 9.18.24 <<>> @10.96.0.10 db.example
;; ->>HEADER<<- opcode: QUERY, status: NOERROR, id: 4711
;; Query time: 5003 msec
;; SERVER: 10.96.0.10#53(10.96.0.10) (UDP)
;; WHEN: Sat Nov 21 00:58:22 UTC 2026
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from backend.forensics.dumps import Dump, Probe, ProbeSeries, ProbeTable
from backend.forensics.dumps.probes import PROBE_REFUSED
from workers.decode.dumps.fields import canonical_address, numbered
from workers.decode.dumps.formats import share_owned
from workers.decode.dumps.stated_times import stated_time_ns

KIND = "dig"

_TITLE = re.compile(r"; <<>> DiG \S{1,64}(?: \S{1,64}){0,2} <<>>(?P<arguments>.{0,1000})$")
_TIME = re.compile(r";; Query time: (?P<time>\d{1,9}) (?P<unit>msec|usec)\s*$")
_SERVER = re.compile(r";; SERVER: (?P<address>[0-9A-Fa-f.:%\w]{2,64})#(?P<port>\d{1,5})")
_WHEN = re.compile(r";; WHEN: (?P<when>.{10,60}?)\s*$")
_STATUS = re.compile(r";; ->>HEADER<<- opcode: \w{1,16}, status: (?P<status>[A-Z]{1,16}), ")
_SILENT = re.compile(
    r";; (?:connection timed out; no servers could be reached|no servers could be reached|"
    r"communications error to \S{1,80}: (?:timed out|connection refused|.{1,40}))\s*$"
)
_SAID = re.compile(r";")
_RECORD = re.compile(r"\S{1,255}\s{1,40}\d{1,10}\s{1,8}(?:IN|CH|HS)\s{1,8}[A-Z0-9]{1,10}\s")
_FAILED = ("SERVFAIL", "REFUSED")


@dataclass
class _Reading:
    """One run of dig after the other."""

    series: list[ProbeSeries] = field(default_factory=list)
    probes: list[Probe] = field(default_factory=list)
    target: str = ""
    line: int = 0
    failed: bool = False
    open: bool = False
    """The last probe's server and time may still follow."""


def recognise(head: Sequence[str]) -> float:
    """The share of lines that dig prints."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """The title, or a line that shows time, server, outcome or silence."""
    return any(shape.match(line) for shape in (_TIME, _TITLE, _SERVER, _WHEN, _STATUS, _SILENT))


def starts_anew(previous: str, line: str) -> bool:
    """The runs of a loop are one listing."""
    return False


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """A probe a run; one that no server answered has no time. `WHEN` is the time of the answer, to the second."""
    reading = _Reading(line=first_line)
    not_understood: list[int] = []
    for number, line in numbered(lines, first_line):
        if not _take(reading, line, number) and not _SAID.match(line) and not _RECORD.match(line):
            not_understood.append(number)
    series = reading.series
    return Dump(
        KIND,
        len(lines),
        tuple(not_understood),
        probes=ProbeTable.of(reading.probes),
        probe_series=tuple(series),
    )


def _take(reading: _Reading, line: str, number: int) -> bool:
    title, took, status = _TITLE.match(line), _TIME.match(line), _STATUS.match(line)
    if title is not None:
        words = [word for word in title["arguments"].split() if word[0] not in "@+-"]
        reading.target, reading.line, reading.failed, reading.open = " ".join(words), number, False, False
    elif status is not None:
        reading.failed = status["status"] in _FAILED
    elif took is not None:
        rtt_ms = int(took["time"]) / (1_000 if took["unit"] == "usec" else 1)
        _add(reading, number, rtt_ms)
    elif _SILENT.match(line):
        # dig shows each server and each try; of one run only the end counts.
        if not line.startswith(";; communications error"):
            _add(reading, number, None)
    else:
        return _complete(reading, line)
    return True


def _add(reading: _Reading, number: int, rtt_ms: float | None) -> None:
    if not reading.series or reading.series[-1].target != reading.target:
        reading.series.append(ProbeSeries(reading.line, "dig", "dns", reading.target))
    marks = PROBE_REFUSED if reading.failed else 0
    reading.probes.append(Probe(number, len(reading.series) - 1, len(reading.probes), None, rtt_ms, marks))
    reading.failed, reading.open = False, True


def _complete(reading: _Reading, line: str) -> bool:
    """Lines behind the time of a query: its server and when."""
    server, when = _SERVER.match(line), _WHEN.match(line)
    if not reading.open or (server is None and when is None):
        return False
    last, probe = reading.series[-1], reading.probes[-1]
    if server is not None:
        address, port = canonical_address(server["address"]) or "", int(server["port"])
        if (last.address, last.port) == ("", None):
            reading.series[-1] = ProbeSeries(last.line, last.tool, last.kind, last.target, address, port)
        elif (last.address, last.port) != (address, port):
            reading.series.append(ProbeSeries(probe.line, "dig", "dns", reading.target, address, port))
            series = len(reading.series) - 1
            reading.probes[-1] = Probe(probe.line, series, probe.sequence, None, probe.rtt_ms, probe.marks)
        return True
    time_ns = stated_time_ns(when["when"]) if when is not None else None
    if time_ns is not None and probe.rtt_ms is not None:
        sent_ns = time_ns - round(probe.rtt_ms * 1e6)
        reading.probes[-1] = Probe(
            probe.line, probe.series, probe.sequence, sent_ns, probe.rtt_ms, probe.marks
        )
    return True
