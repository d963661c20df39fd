"""Metrics of NAT gateways, load balancers and agents: CSV with a time a row, and Prometheus' text form.

Timestamp,ErrorPortAllocation,ActiveConnectionCount
2026-11-21T01:11:00Z,12,54998
networkobservability_drop_count{direction="ingress",reason="IPTABLE_RULE_DROP"} 12
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from typing import Final

from backend.forensics.dumps import Dump, MetricValue
from workers.decode.dumps.fields import numbered
from workers.decode.dumps.stated_times import stated_time_ns

KIND = "metrics"

_TITLE = re.compile(
    r"\"?(?:timestamp|time ?stamp|time|date|datetime|start_?time|end_?time|period)(?: ?\([\w ]{1,20}\))?\"?[,;]"
    r"\"?[A-Za-z][^,;]{0,200}(?:[,;]|$).{0,2000}$",
    re.IGNORECASE,
)
_ROW = re.compile(r"\"?\d{4}[-/]\d\d[-/]\d\d[T ]?[\d:.]{0,18}(?:Z|[+-]\d\d:?\d\d| UTC)?\"?[,;].{1,2000}$")
_SAMPLE = re.compile(
    r"\s{0,8}(?P<name>[a-zA-Z_:][\w:]{2,200})(?:\{(?P<labels>[^}]{0,2000})\})? (?P<value>-?"
    r"(?:\d{1,20}(?:\.\d{1,20})?(?:e[+-]?\d{1,3})?|NaN|\+Inf))(?: \d{10,13})?\s*$"
)
_COLUMNS = re.compile(
    r"\s{0,8}(?P<name>[a-z][\w:]{2,200}_[\w:]{1,100})\s{1,60}"
    r"(?P<labels>(?:\w{1,60}=\"[^\"]{0,200}\"[ ,]{0,8}){1,16}?)\s{1,60}"
    r"(?P<value>\d{1,20}(?:\.\d{1,20})?(?:e[+-]?\d{1,3})?)\s*$"
)
"""As `cilium metrics list` prints samples."""
_HELP = re.compile(r"\s{0,8}# (?:HELP|TYPE|UNIT|EOF)\b")
_MOST_COLUMNS: Final = 64


def recognise(head: Sequence[str]) -> float:
    """Sure when a title or a labelled sample is there."""
    return 1.0 if any(owns_line(line) for line in head) else 0.0


def owns_line(line: str) -> bool:
    """Titles, rows, samples with labels."""
    if ("{" in line and _SAMPLE.match(line)) or ('="' in line and _COLUMNS.match(line)):
        return True
    return bool(_HELP.match(line) or _TITLE.match(line) or _ROW.match(line))


def starts_anew(previous: str, line: str) -> bool:
    """A title begins a table."""
    return bool(_ROW.match(previous) and _TITLE.match(line))


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """Every value that is a number."""
    values: list[MetricValue] = []
    not_understood: list[int] = []
    names: list[str] = []
    for number, line in numbered(lines, first_line):
        sample = _SAMPLE.match(line) or _COLUMNS.match(line)
        if _HELP.match(line):
            continue
        if sample is not None:
            value = _number(sample["value"])
            values += (
                []
                if value is None
                else [MetricValue(number, sample["name"], value, None, (sample["labels"] or "").strip())]
            )
        elif _TITLE.match(line) and not _ROW.match(line):
            names = _cells(line)
        elif _ROW.match(line):
            values += _row(_cells(line), names, number)
        else:
            not_understood.append(number)
    return Dump(KIND, len(lines), tuple(not_understood), metrics=tuple(values))


def _cells(line: str) -> list[str]:
    delimiter = ";" if line.count(";") > line.count(",") else ","
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])][:_MOST_COLUMNS]
    except csv.Error:
        return []


def _row(cells: list[str], names: list[str], number: int) -> list[MetricValue]:
    time_ns = stated_time_ns(cells[0].replace("/", "-")) if cells else None
    subject = ", ".join(cell for cell in cells[1:] if cell and _number(cell) is None)[:200]
    found = []
    for index, cell in enumerate(cells[1:], 1):
        value = _number(cell)
        name = names[index] if index < len(names) else f"column {index + 1}"
        if value is not None:
            found.append(MetricValue(number, name[:200], value, time_ns, subject))
    return found


def _number(text: str) -> float | None:
    text = text.replace("_", " ")
    try:
        value = float(text)
    except ValueError:
        return None
    return value if value == value and abs(value) != float("inf") else None
