"""What ApacheBench prints at its end.

Complete requests:      1367
Failed requests:        3
   (Connect: 0, Receive: 0, Length: 3, Exceptions: 0)
Connection Times (ms)
              min  mean[+/-sd] median   max
Connect:        1  237 414.6     16    1107
Percentage of the requests served within a certain time (ms)
  50%     31
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import Dump, LoadFigure, LoadReport
from workers.decode.dumps.fields import numbered

KIND = "load-report"

_TITLE = re.compile(r"This is ApacheBench, Version ")
_LINES = {
    "Concurrency Level": "concurrency",
    "Time taken for tests": "duration_s",
    "Complete requests": "requests",
    "Failed requests": "failed",
    "Write errors": "write_errors",
    "Non-2xx responses": "non_2xx",
    "Keep-Alive requests": "keep_alive",
    "Total transferred": "transferred_bytes",
    "Total body sent": "sent_bytes",
    "HTML transferred": "html_bytes",
    "Requests per second": "requests_per_s",
}
_FIGURE = re.compile(
    rf"(?P<name>{'|'.join(_LINES)}):\s{{1,24}}(?P<value>\d{{1,15}}(?:\.\d{{1,9}})?)(?:\s.*)?$"
)
_PER_REQUEST = re.compile(
    r"Time per request:\s{1,16}(?P<value>\d{1,12}(?:\.\d{1,9})?) \[ms\] \(mean(?P<across>, across)?"
)
_RATE = re.compile(r"Transfer rate:\s{1,16}(?P<value>\d{1,12}(?:\.\d{1,9})?) \[Kbytes/sec\]")
_REASONS = re.compile(
    r"\s{1,8}\(Connect: (\d{1,12}), Receive: (\d{1,12}), Length: (\d{1,12}), Exceptions: (\d{1,12})\)"
)
_TIMES = re.compile(
    r"(?P<name>Connect|Processing|Waiting|Total):\s{1,24}(?P<min>\d{1,12})\s{1,16}(?P<mean>\d{1,12})\s{1,16}"
    r"(?P<sd>\d{1,12}(?:\.\d{1,6})?)\s{1,16}(?P<median>\d{1,12})\s{1,16}(?P<max>\d{1,12})\s*$"
)
_PERCENTILE = re.compile(
    r"\s{1,4}(?P<percent>\d{1,3})%\s{1,24}(?P<value>\d{1,12})(?: \(longest request\))?\s*$"
)
_TARGET = re.compile(r"(?P<name>Server Hostname|Server Port|Document Path):\s{1,24}(?P<value>\S{0,2000})\s*$")
_UNDERSTOOD = re.compile(
    r"Copyright \d{4} Adam Twiss|Licensed to The Apache|Benchmarking |Completed \d{1,12} requests|Finished \d{1,12}|"
    r"Server Software:|SSL/TLS Protocol:|Server Temp Key:|TLS Server Name:|Document Length:|Connection Times \(ms\)|"
    r"\s{1,24}min  mean|Percentage of the requests|WARNING: The median and mean|ERROR: The median and mean|"
    r"\s{8,}These results are|\s{1,24}\d{1,8} kb/s (?:sent|total)|Total of \d{1,12} requests completed"
)


def recognise(head: Sequence[str]) -> float:
    """Sure when the title is there."""
    return 1.0 if any(_TITLE.match(line) for line in head) else 0.9 * any(owns_line(line) for line in head)


def owns_line(line: str) -> bool:
    """The title, or a line that only ab prints; the others follow it."""
    return bool(_TITLE.match(line) or _FIGURE.match(line) or _TIMES.match(line))


def starts_anew(previous: str, line: str) -> bool:
    """The title begins a report."""
    return bool(previous and _TITLE.match(line))


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """Every number with its line; a run that was broken off has the numbers up to there and no percentiles."""
    figures: list[LoadFigure] = []
    target: dict[str, str] = {}
    not_understood: list[int] = []
    for number, line in numbered(lines, first_line):
        said = _TARGET.match(line)
        if said is not None:
            target[said["name"]] = said["value"]
            continue
        read = _figures_of(line)
        figures += [LoadFigure(number, name, value) for name, value in read.items()]
        if not read and not _TITLE.match(line) and not _UNDERSTOOD.match(line):
            not_understood.append(number)
    host, port = target.get("Server Hostname", ""), target.get("Server Port", "")
    report = LoadReport(
        first_line, "ab", f"{host}:{port}{target.get('Document Path', '')}" if host else "", tuple(figures)
    )
    warnings = () if any(f.name.startswith("total.p") for f in figures) else (_BROKEN_OFF,)
    return Dump(KIND, len(lines), tuple(not_understood), load=report, warnings=warnings)


_BROKEN_OFF = "the load test's report has no percentiles: it was cut short or broken off"


def _figures_of(line: str) -> dict[str, float]:
    figure, times, percentile = _FIGURE.match(line), _TIMES.match(line), _PERCENTILE.match(line)
    if figure is not None:
        return {_LINES[figure["name"]]: float(figure["value"])}
    if times is not None:
        name = times["name"].lower()
        return {f"{name}.{part}_ms": float(times[part]) for part in ("min", "mean", "sd", "median", "max")}
    if percentile is not None:
        return {f"total.p{percentile['percent']}_ms": float(percentile["value"])}
    return _other_figures(line)


def _other_figures(line: str) -> dict[str, float]:
    per_request, rate, reasons = _PER_REQUEST.match(line), _RATE.match(line), _REASONS.match(line)
    if per_request is not None:
        name = "time_per_request_across_ms" if per_request["across"] else "time_per_request_ms"
        return {name: float(per_request["value"])}
    if rate is not None:
        return {"transfer_kbytes_per_s": float(rate["value"])}
    if reasons is not None:
        names = ("connect", "receive", "length", "exceptions")
        return {f"failed.{name}": float(count) for name, count in zip(names, reasons.groups(), strict=True)}
    return {}
