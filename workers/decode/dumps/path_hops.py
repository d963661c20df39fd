"""`mtr --report` and `traceroute` (`tracepath`): the routers on the way, and how many probes each answered.

HOST: node-7                      Loss%   Snt   Last   Avg  Best  Wrst StDev
  1.|-- 10.0.0.1                   0.0%   100    0.3   0.4   0.2   1.1   0.1
traceroute to 10.96.0.10 (10.96.0.10), 30 hops max, 60 byte packets
 1  10.0.0.1 (10.0.0.1)  0.411 ms  0.388 ms  0.372 ms
 2  * * *
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import Dump, PathHop
from workers.decode.dumps.fields import numbered

KIND = "path-hops"

_MTR_TITLE = re.compile(r"(?:Start: \S|HOST: \S{1,255}\s+Loss%|\s*Host\s+Loss%|\s*(?:Packets\s+Pings)\s*$)")
_MTR = re.compile(
    r"\s{0,4}(?P<hop>\d{1,3})\.(?:\|--)?\s+(?:AS\S{1,12}\s+)?(?P<host>\S{1,255})\s+(?P<loss>\d{1,3}(?:\.\d)?)%?\s+(?P<sent>\d{1,7})"
    r"(?:\s+(?P<last>[\d.]{1,10}))?(?:\s+(?P<average>[\d.]{1,10}))?(?:\s+(?P<best>[\d.]{1,10}))?(?:\s+(?P<worst>[\d.]{1,10}))?"
)
_MTR_MORE = re.compile(r"\s{2,10}\|\s{0,2}`?\|?--?\s")
_TRACE_TITLE = re.compile(
    r"(?:traceroute6? to \S|\s?1\?: \[LOCALHOST\]|Tracing route to |tcptraceroute to |Selected device)"
)
_TRACE = re.compile(
    r"\s{0,3}(?P<hop>\d{1,3})(?P<reply>:)?\s{1,4}(?P<rest>(?:\*|"
    r"\S+ \(|[\d.:a-f]{3,45}\s|\S+\s{1,40}\d|no reply).{0,400})$"
)
_TIME = re.compile(r"([\d.]{1,10}) ?ms")
_MARK = re.compile(r"![HNPSFXVCTQZ]?(?:-?\d{0,5}|<\d{1,3}>)?(?=\s|$)")
_HOST = re.compile(r"(?P<name>[\w.:-]{3,255})(?: \((?P<address>[\d.:a-fA-F]{3,45})\))?")
_END = re.compile(
    r"\s{5,}Resume: |\s*Too many hops|Trace complete|over a maximum of|"
    r"\s{1,4}[\w.-]{3,255} \([\d.:a-f]{3,45}\)\s+[\d.]+ ms"
)


def recognise(head: Sequence[str]) -> float:
    """Sure when a title is there; hops alone have the look of a numbered list."""
    return 1.0 if any(owns_line(line) for line in head) else 0.0


def owns_line(line: str) -> bool:
    """Titles, and hops that nothing else looks like."""
    if _MTR_TITLE.match(line) or _TRACE_TITLE.match(line):
        return True
    if ".|--" in line[:9] and _MTR.match(line):
        return True
    hop = _TRACE.match(line)
    return hop is not None and (" ms" in line or hop["rest"].startswith("* * *"))


def starts_anew(previous: str, line: str) -> bool:
    """A title begins a listing, but the one that mtr prints below the time."""
    return bool(_MTR_TITLE.match(line) or _TRACE_TITLE.match(line)) and bool(
        _MTR.match(previous) or (_TRACE.match(previous) and not _TRACE_TITLE.match(previous))
    )


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The hops."""
    hops: list[PathHop] = []
    not_understood: list[int] = []
    for number, line in numbered(lines, first_line):
        title = _MTR_TITLE.match(line) or _TRACE_TITLE.match(line)
        mtr, trace = _MTR.match(line), _TRACE.match(line)
        if title is not None:
            continue
        if mtr is not None and (".|--" in line[:9] or "%" in line):
            hops.append(_of_mtr(mtr, number))
        elif trace is not None:
            hops.append(_of_trace(trace, number))
        elif not (_MTR_MORE.match(line) or _END.match(line)):
            not_understood.append(number)
    return Dump(KIND, len(lines), tuple(not_understood), hops=tuple(hops))


def _of_mtr(row: re.Match[str], number: int) -> PathHop:
    host = "" if row["host"] == "???" else row["host"]
    best, average, worst = (_ms(row[name]) for name in ("best", "average", "worst"))
    return PathHop(
        number, "mtr", int(row["hop"]), host, float(row["loss"]), int(row["sent"]), best, average, worst
    )


def _ms(text: str | None) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return None


def _of_trace(row: re.Match[str], number: int) -> PathHop:
    rest = row["rest"]
    times = [value for text in _TIME.findall(rest) if (value := _ms(text)) is not None]
    lost = rest.split().count("*") + rest.count("no reply")
    sent = len(times) + lost
    host = _HOST.match(rest)
    mark = _MARK.search(rest)
    name = (host["address"] or host["name"]) if host and times else ""
    loss = 100 * lost / sent if sent else None
    best, worst = (min(times), max(times)) if times else (None, None)
    average = sum(times) / len(times) if times else None
    return PathHop(
        number,
        "traceroute",
        int(row["hop"]),
        name,
        loss,
        sent or None,
        best,
        average,
        worst,
        mark[0] if mark else "",
    )
