"""`iperf3`: how much went through, interval by interval, and what was sent again.

[ ID] Interval           Transfer     Bandwidth       Retr  Cwnd
[  4]   0.00-1.00   sec   161 MBytes  1.35 Gbits/sec    6    319 KBytes
[  4]   0.00-10.00  sec  1.61 GBytes  1.38 Gbits/sec  205             sender
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import Dump, LoadFigure, LoadReport
from workers.decode.dumps.fields import numbered
from workers.decode.dumps.formats import share_owned

KIND = "iperf"

_INTERVAL = re.compile(
    r"\[ {0,3}(?P<stream>\d{1,4}|SUM)\](?:\[[A-Z-]{2,6}\])? {1,6}\d{1,7}\.\d\d-\d{1,7}\.\d\d {1,4}sec {1,6}"
    r"(?P<moved>\d{1,9}(?:\.\d{1,3})?) (?P<unit>[KMGT]?Bytes) {1,6}\S{1,12} [KMGT]?bits/sec"
    r"(?: {1,8}(?P<again>\d{1,9})(?![\d.])(?: {1,8}\S{1,12} [KMGT]?Bytes)?)?(?P<rest>.{0,80})$"
)
_OTHER = re.compile(
    r"\[ ID\] ?(?:\[Role\])? {0,4}Interval|\[ {0,3}\d{1,4}\] local \S{1,60} port \d|"
    r"Connecting to host |Accepted connection from |Server listening on |- - - - -|-{40,}$|Starting Test: |"
    r"\s{2,8}(?:Cookie|TCP MSS|Target Bitrate): |iperf Done|"
    r"iperf 3\.\d|Test Complete\. Summary|CPU Utilization: |"
    r"Time: [A-Z][a-z]{2}, |"
    r"(?:snd|rcv)_tcp_congestion |Control connection MSS"
)


def recognise(head: Sequence[str]) -> float:
    """The share of its lines."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """An interval, a title, or what is said at the begin and the end."""
    return _INTERVAL.match(line) is not None or _OTHER.match(line) is not None


def starts_anew(previous: str, line: str) -> bool:
    """A client names its server first."""
    return bool(previous) and line.startswith("Connecting to host ")


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """Figures: ``intervals``, ``intervals.stalled`` (nothing went through), ``retransmitted`` segments. The totals at
    the end are left out where there are intervals."""
    rows: list[tuple[int, re.Match[str]]] = []
    not_understood: list[int] = []
    for number, line in numbered(lines, first_line):
        found = _INTERVAL.match(line)
        if found is not None:
            rows.append((number, found))
        elif not _OTHER.match(line):
            not_understood.append(number)
    return Dump(KIND, len(lines), tuple(not_understood), load=_report(rows))


def _report(rows: Sequence[tuple[int, re.Match[str]]]) -> LoadReport | None:
    parts = [row for row in rows if row[1]["stream"] != "SUM" and not _is_total(row[1])]
    parts = parts or [row for row in rows if row[1]["stream"] != "SUM"]
    if not parts:
        return None
    stalled = [row for row in parts if float(row[1]["moved"]) == 0]
    again = [(number, int(found["again"])) for number, found in parts if found["again"]]
    figures = [LoadFigure(parts[0][0], "intervals", len(parts))]
    if stalled:
        figures.append(LoadFigure(stalled[0][0], "intervals.stalled", len(stalled)))
    if again:
        most = max(again, key=lambda entry: entry[1])
        figures.append(LoadFigure(most[0], "retransmitted", sum(count for _, count in again)))
    return LoadReport(parts[0][0], "iperf3", "", tuple(figures))


def _is_total(found: re.Match[str]) -> bool:
    return "sender" in found["rest"] or "receiver" in found["rest"]
