"""`wrk` and `wrk2`: what a load test came to, with its percentiles where they were asked for.

Running 30s test @ http://10.96.0.100/
  2 threads and 8 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   635.91us    0.89ms  12.92ms   93.69%
  Latency Distribution
     50%  250.00us
  1200 requests in 30.00s, 17.76MB read
Requests/sec:     40.00
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import Dump, LoadFigure, LoadReport
from workers.decode.dumps.fields import numbered

KIND = "load-report"

_MS = {"us": 0.001, "ms": 1.0, "s": 1_000.0, "m": 60_000.0, "h": 3_600_000.0}
_TIME = r"(\d{1,9}(?:\.\d{1,4})?)(us|ms|s|m|h)"
_TITLE = re.compile(
    r"Running (?P<length>\d{1,9}(?:\.\d{1,4})?)(?P<unit>us|ms|s|m|h) test @ (?P<target>\S{1,2000})\s*$"
)
_LATENCY = re.compile(rf"\s{{1,8}}Latency\s{{1,16}}{_TIME}\s{{1,16}}{_TIME}\s{{1,16}}{_TIME}\s")
_PERCENTILE = re.compile(rf"\s{{1,8}}(?P<percent>\d{{1,3}}(?:\.\d{{1,6}})?)%\s{{1,12}}{_TIME}\s*$")
_DONE = re.compile(
    r"\s{1,4}(?P<requests>\d{1,15}) requests in (?P<length>\d{1,9}(?:\.\d{1,4})?)(?P<unit>us|ms|s|m|h), "
)
_ERRORS = re.compile(
    r"\s{1,4}Socket errors: connect (\d{1,12}), read (\d{1,12}), write (\d{1,12}), timeout (\d{1,12})"
)
_NOT_2XX = re.compile(r"\s{1,4}Non-2xx or 3xx responses: (?P<count>\d{1,12})")
_RATE = re.compile(r"Requests/sec:\s{1,12}(?P<rate>\d{1,12}(?:\.\d{1,4})?)\s*$")
_THREADS = re.compile(r"\s{1,4}(?P<threads>\d{1,6}) threads and (?P<connections>\d{1,9}) connections\s*$")
_UNDERSTOOD = re.compile(
    r"\s{1,4}(?:Thread Stats |Latency Distribution|Thread calibration|  Req/Sec )|Transfer/sec:|"
    r"\s{1,4}(?:Initialised|Detailed Percentile|Uncorrected Latency)|unable to connect to "
)


def recognise(head: Sequence[str]) -> float:
    """Sure when the title is there."""
    return 1.0 if any(_TITLE.match(line) for line in head) else 0.0


def owns_line(line: str) -> bool:
    """The title; the figures follow it."""
    return bool(_TITLE.match(line))


def starts_anew(previous: str, line: str) -> bool:
    """The title begins a report."""
    return bool(previous)


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """Every number with its line, in the names of the other load reports."""
    figures: list[LoadFigure] = []
    not_understood: list[int] = []
    target = ""
    for number, line in numbered(lines, first_line):
        title = _TITLE.match(line)
        read = _figures(line)
        target = title["target"] if title is not None else target
        figures += [LoadFigure(number, name, value) for name, value in read.items()]
        if title is None and not read and not _UNDERSTOOD.match(line):
            not_understood.append(number)
    report = LoadReport(first_line, "wrk", target, tuple(figures))
    warnings = (
        () if report.figure("requests") else ("the load test's report has no count: it was broken off",)
    )
    return Dump(KIND, len(lines), tuple(not_understood), load=report, warnings=warnings)


def _ms(number: str, unit: str) -> float:
    return float(number) * _MS[unit]


def _figures(line: str) -> dict[str, float]:
    latency, percentile, done = _LATENCY.match(line), _PERCENTILE.match(line), _DONE.match(line)
    if latency is not None:
        values = [_ms(latency[i], latency[i + 1]) for i in (1, 3, 5)]
        return dict(zip(("total.mean_ms", "total.sd_ms", "total.max_ms"), values, strict=True))
    if percentile is not None:
        name = (
            percentile["percent"].rstrip("0").rstrip(".")
            if "." in percentile["percent"]
            else percentile["percent"]
        )
        return {f"total.p{name}_ms": _ms(percentile[2], percentile[3])}
    if done is not None:
        return {"requests": float(done["requests"]), "duration_s": _ms(done["length"], done["unit"]) / 1_000}
    return _counts(line)


def _counts(line: str) -> dict[str, float]:
    errors, other, rate, threads = (
        _ERRORS.match(line),
        _NOT_2XX.match(line),
        _RATE.match(line),
        _THREADS.match(line),
    )
    if errors is not None:
        names = ("connect", "receive", "write", "timeout")
        return {f"failed.{name}": float(count) for name, count in zip(names, errors.groups(), strict=True)}
    if other is not None:
        return {"non_2xx": float(other["count"])}
    if rate is not None:
        return {"requests_per_s": float(rate["rate"])}
    return {} if threads is None else {"concurrency": float(threads["connections"])}
