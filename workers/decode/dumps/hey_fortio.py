"""`hey` and `fortio load`: what a load test came to.

Summary:
  Slowest:	1.0412 secs
Aggregated Function Time : count 1000 avg 0.0041 +/- 0.0331 min 0.0005 max 1.0412 sum 4.1
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from backend.forensics.dumps import Dump, LoadFigure, LoadReport
from workers.decode.dumps.fields import numbered

KIND = "load-report"

_HEY = re.compile(r"\s{2}(?P<name>Slowest|Average|Fastest):\s{1,8}(?P<seconds>\d{1,9}\.\d{1,6}) secs\.?\s*$")
_HEY_RATE = re.compile(r"\s{2}Requests/sec:\s{1,8}(?P<rate>\d{1,12}(?:\.\d{1,6})?)\s*$")
_HEY_PERCENTILE = re.compile(r"\s{2}(?P<percent>\d{1,2})%{1,2} in (?P<seconds>\d{1,9}\.\d{1,6}) secs\.?\s*$")
_HEY_STATUS = re.compile(r"\s{2}\[(?P<status>\d{3})\]\s{1,8}(?P<count>\d{1,12}) responses\s*$")
_HEY_FAILED = re.compile(r"\s{2}\[(?P<count>\d{1,12})\]\s{1,8}(?P<text>\S.*)$")
_FORTIO = re.compile(
    r"Aggregated Function Time : count (?P<count>\d{1,12}) avg (?P<average>[\d.e+-]{1,20}) \+/- \S{1,20} min \S{1,20} "
    r"max (?P<most>[\d.e+-]{1,20}) sum "
)
_FORTIO_PERCENTILE = re.compile(
    r"# target (?P<percent>\d{1,2}(?:\.\d{1,4})?)% (?P<seconds>\d{1,9}(?:\.\d{1,9})?)\s*$"
)
_FORTIO_STATUS = re.compile(r"Code\s{1,4}(?P<status>-?\d{1,3}) : (?P<count>\d{1,12}) \(")
_FORTIO_TITLE = re.compile(r"Fortio [\w.-]{1,20} running at ")
_UNDERSTOOD = re.compile(
    r"Summary:\s*$|\s{2}(?:Total|Total data|Size/request):|Response time histogram:|\s{2}\d{1,9}\.\d{3} \[\d|"
    r"Latency distribution:|"
    r"Details \(|"
    r"\s{2}(?:DNS\+dialup|DNS-lookup|req write|resp wait|resp read):|"
    r"Status code distribution:|"
    r"Error distribution:|Starting at |Ended after |Sleep times|# range, mid point|[>=<]{1,2} \S{1,20} <= |"
    r"Sockets used:|"
    r"Connection time|Response (?:Header|Body)|All done |Jitter:|IP addresses|Uniform:|Fortio |\d\d:\d\d:\d\d [IWE] "
)
_NAMES: Final = {"Slowest": "total.max_ms", "Average": "total.mean_ms", "Fastest": "total.min_ms"}
_OK: Final = range(200, 400)


def recognise(head: Sequence[str]) -> float:
    """Sure when a figure is there."""
    return 1.0 if any(map(owns_line, head)) else 0.0


def owns_line(line: str) -> bool:
    """The figures that nothing else prints."""
    return bool(
        _HEY.match(line) or _FORTIO.match(line) or _FORTIO_TITLE.match(line) or _HEY_STATUS.match(line)
        or line.startswith(("Summary:", "  Total:\t", "Response time histogram:", "Aggregated Function Time"))
    )  # fmt: skip


def starts_anew(previous: str, line: str) -> bool:
    """hey begins with its summary, fortio with its title."""
    return bool(previous) and (line.startswith("Summary:") or _FORTIO_TITLE.match(line) is not None)


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """Every number with its line, in the names of the other load reports."""
    figures: list[LoadFigure] = []
    strange: list[int] = []
    responses = failed = 0
    last = first_line
    for number, line in numbered(lines, first_line):
        read = _figures(line)
        figures += [LoadFigure(number, name, value) for name, value in read.items()]
        status = _HEY_STATUS.match(line) or _FORTIO_STATUS.match(line)
        error = None if status else _HEY_FAILED.match(line)
        if status is not None or error is not None:
            count, last = int((status or error)["count"]), number  # type: ignore[index]
            responses += count
            failed += 0 if status is not None and int(status["status"]) in _OK else count
        elif not read and not _UNDERSTOOD.match(line):
            strange.append(number)
    if responses:
        figures += [LoadFigure(last, "requests", responses), LoadFigure(last, "failed", failed)]
    tool = "fortio" if any("Fortio" in line or "Aggregated Function" in line for line in lines) else "hey"
    return Dump(KIND, len(lines), tuple(strange), load=LoadReport(first_line, tool, "", tuple(figures)))


def _figures(line: str) -> dict[str, float]:
    figure, percentile = _HEY.match(line), _HEY_PERCENTILE.match(line) or _FORTIO_PERCENTILE.match(line)
    fortio, rate = _FORTIO.match(line), _HEY_RATE.match(line)
    if figure is not None:
        return {_NAMES[figure["name"]]: float(figure["seconds"]) * 1_000}
    if percentile is not None:
        return {f"total.p{percentile['percent']}_ms": float(percentile["seconds"]) * 1_000}
    if rate is not None:
        return {"rate": float(rate["rate"])}
    if fortio is None:
        return {}
    return {"total.mean_ms": _ms(fortio["average"]), "total.max_ms": _ms(fortio["most"])}


def _ms(text: str) -> float:
    try:
        return float(text) * 1_000
    except ValueError:
        return 0.0
