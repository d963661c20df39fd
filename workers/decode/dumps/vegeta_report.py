"""`vegeta report`: what a load test of vegeta came to.

Requests      [total, rate, throughput]         1200, 120.00, 65.87
Duration      [total, attack, wait]             10.094965987s, 9.949883921s, 145.082066ms
Latencies     [min, mean, 50, 95, 99, max]      90.438129ms, 113.172398ms, 108.272568ms, 140.18235ms, 247.7ms, 264.8ms
Success       [ratio]                           55.42%
Status Codes  [code:count]                      0:535  200:665
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import Dump, LoadFigure, LoadReport
from workers.decode.dumps.fields import numbered

KIND = "load-report"

_ROW = re.compile(
    r"(?P<what>Requests|Duration|Latencies|Bytes In|Bytes Out|Success|Status Codes)\s{1,16}"
    r"\[(?P<names>[a-z0-9,: ]{1,120})\]\s{1,40}(?P<values>\S.{0,2000}?)\s*$"
)
_ERRORS = re.compile(r"Error Set:\s*$")
_PART = re.compile(r"(\d{1,12}(?:\.\d{1,9})?)(ns|µs|us|ms|s|m|h)")
_SECONDS = {"ns": 1e-9, "µs": 1e-6, "us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3_600.0}
_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,9})?")
_CODE = re.compile(r"(\d{1,3}):(\d{1,12})")


def recognise(head: Sequence[str]) -> float:
    """Sure when a row with its names in brackets is there."""
    return 1.0 if any(_ROW.match(line) for line in head) else 0.0


def owns_line(line: str) -> bool:
    """A row with its names in brackets; the errors follow them."""
    return bool(_ROW.match(line) or _ERRORS.match(line))


def starts_anew(previous: str, line: str) -> bool:
    """`Requests` begins a report."""
    return bool(previous) and line.startswith("Requests ")


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """Every number with its line, in the names of the other load reports."""
    figures: list[LoadFigure] = []
    not_understood: list[int] = []
    in_errors = False
    for number, line in numbered(lines, first_line):
        row = _ROW.match(line)
        in_errors = in_errors or bool(_ERRORS.match(line))
        read = _figures(row["what"], row["names"].split(", "), row["values"]) if row is not None else {}
        figures += [LoadFigure(number, name, value) for name, value in read.items()]
        if not read and not in_errors:
            not_understood.append(number)
    report = LoadReport(first_line, "vegeta", "", tuple(figures))
    return Dump(KIND, len(lines), tuple(not_understood), load=report)


def _figures(what: str, names: Sequence[str], text: str) -> dict[str, float]:
    if what == "Status Codes":
        return {f"status.{code}": float(count) for code, count in _CODE.findall(text)}
    values = text.split(", ")
    if what == "Latencies":
        named = {_percentile(name): _seconds(value) for name, value in zip(names, values, strict=False)}
        return {f"total.{name}_ms": value * 1_000 for name, value in named.items() if value is not None}
    if what == "Duration":
        total = _seconds(values[0])
        return {} if total is None else {"duration_s": total}
    numbers = [float(match[0]) for value in values if (match := _NUMBER.match(value)) is not None]
    if not numbers:
        return {}
    if what == "Requests":
        return {"requests": numbers[0]} | ({"requests_per_s": numbers[1]} if len(numbers) > 1 else {})
    return {
        {"Bytes In": "total_bytes", "Bytes Out": "sent_bytes", "Success": "success_percent"}[what]: numbers[0]
    }


def _percentile(name: str) -> str:
    name = name.removesuffix("th")
    return f"p{name}" if name.isdigit() else name


def _seconds(text: str) -> float | None:
    """Go's durations: ``1m3.5s``, ``145.082066ms``; None for anything else."""
    parts = _PART.findall(text[:64])
    if not parts or "".join(number + unit for number, unit in parts) != text:
        return None
    return float(sum(float(number) * _SECONDS[unit] for number, unit in parts))
