"""Histograms of bpftrace and bcc: how many values lie in each range.

@usecs:
[256, 512)            12 |@@@@@@                                              |
     usecs               : count     distribution
         0 -> 1          : 3        |***                                     |
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import Dump, HistogramBucket
from workers.decode.dumps.fields import numbered

KIND = "histogram"

_TITLE = re.compile(r"@(?P<name>\w{0,40}(?:\[[^\]]{1,200}\])?):\s*$")
_TABLE = re.compile(r"\s{1,20}(?P<unit>[\w/ ]{1,24}?)\s{1,40}: count\s+distribution")
_RANGE = re.compile(
    r"[\[(](?P<low>-?\d{1,15}[KMGTP]?|\.{3}),? ?(?:(?P<high>-?\d{1,15}[KMGTP]?|"
    r"\.{3})[)\]])?\]?\s{1,40}(?P<count>\d{1,15}) \|[@ ]{0,60}\|?"
)
_ROW = re.compile(
    r"\s{0,20}(?P<low>\d{1,15}) -> (?P<high>\d{1,15})\s{1,20}: (?P<count>\d{1,15})\s{1,20}\|[* ]{0,60}\|?"
)
_NOTE = re.compile(
    r"(?:Attaching \d{1,5} probes?|Tracing .{1,120}(?:Ctrl-C|\.\.\.)|\^C|avg = \d{1,15} \S{1,12}, total: )"
)
_SCALES = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "P": 1 << 50}


def recognise(head: Sequence[str]) -> float:
    """Sure when a row is there."""
    return 1.0 if any(_RANGE.match(line) or _ROW.match(line) for line in head) else 0.0


def owns_line(line: str) -> bool:
    """Titles and rows."""
    return bool(_RANGE.match(line) or _ROW.match(line) or _TABLE.match(line) or _TITLE.match(line))


def starts_anew(previous: str, line: str) -> bool:
    """Several maps of a program are one listing."""
    return False


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The rows."""
    buckets: list[HistogramBucket] = []
    not_understood: list[int] = []
    name = unit = ""
    for number, line in numbered(lines, first_line):
        title, table, row = _TITLE.match(line), _TABLE.match(line), _RANGE.match(line) or _ROW.match(line)
        if title is not None:
            name, unit = title["name"], ""
        elif table is not None:
            name, unit = table["unit"].strip(), table["unit"].strip()
        elif row is not None:
            low, high = _scaled(row["low"]) or 0, _scaled(row["high"])
            buckets.append(HistogramBucket(number, name, low, high, int(row["count"]), unit))
        elif not _NOTE.match(line):
            not_understood.append(number)
    return Dump(KIND, len(lines), tuple(not_understood), histograms=tuple(buckets))


def _scaled(text: str | None) -> int | None:
    if not text or text == "...":
        return None
    return int(text.rstrip("KMGTP")) * _SCALES.get(text[-1], 1)
