"""`conntrack -E`, with or without `-o timestamp`: connections as the kernel created and removed them.

[1795223503.487264]	    [NEW] tcp      6 120 SYN_SENT src=10.244.35.21 dst=10.16.147.226 sport=41358 dport=80
    [UNREPLIED] src=10.16.147.226 dst=10.16.146.2 sport=80 dport=41358 id=113457792      (one line)
[DESTROY] icmp     1 29 src=10.58.14.13 dst=10.244.1.11 type=8 code=0 id=396 src=10.244.1.11 …
conntrack v1.4.7 (conntrack-tools): 9 flow events have been shown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import Dump
from backend.forensics.dumps.conntrack import NOT_SHOWN
from workers.decode.conntrack.reading import Run
from workers.decode.dumps.conntrack_lines import Entries, count_lines
from workers.decode.dumps.formats import share_owned
from workers.decode.dumps.text import Item, item_lines

KIND = "conntrack-events"
ANY_LINE = "    [NEW] tcp      6 120 SYN_SENT src=192.0.2.1 dst=192.0.2.2"
"""Stands for the lines of a run."""

_EVENT = re.compile(r"\s{0,8}(?:\[(\d{10}\.\d{1,9})\])?\s{0,16}\[(NEW|UPDATE|DESTROY)\]\s{1,8}(?=\S)")
_SHOWN = re.compile(r"conntrack v[\w.]{1,16} \(conntrack-tools\): (\d{1,12}) flow events have been shown\.")
_OVERRUN = "WARNING: We have hit ENOBUFS!"
_OVERRUN_NOTES = (
    "This message means that the current netlink socket buffer",
    "Please, check --buffer-size in conntrack(8)",
)


def recognise(head: Sequence[str]) -> float:
    """The share of lines that are events."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """An event, the closing line, or conntrack's note that it lost events."""
    return bool(_EVENT.match(line) or _SHOWN.match(line)) or line.startswith((_OVERRUN, *_OVERRUN_NOTES))


def starts_anew(previous: str, line: str) -> bool:
    """Events after the closing line belong to a second listing."""
    return bool(_SHOWN.match(previous) and _EVENT.match(line))


def parse(lines: Sequence[Item], first_line: int) -> Dump:
    """The events, in the order printed; taken at the time of the first one that has a time."""
    collected = Entries(events=True)
    overruns: list[int] = []
    number = first_line
    for item in lines:
        if isinstance(item, Run):
            collected.add_run(item)
        elif item.startswith(_OVERRUN):
            overruns.append(number)
        elif item.strip() and not _SHOWN.match(item) and not item.startswith(_OVERRUN_NOTES):
            collected.add_line([number], item)
        number += item_lines(item)
    table, not_understood = collected.finish()
    times = table.rows["time_ns"][table.rows["time_ns"] != NOT_SHOWN]
    return Dump(
        KIND,
        count_lines(lines),
        not_understood,
        captured_at_ns=int(times[0]) if len(times) else None,
        captured_at_basis="text" if len(times) else "unknown",
        entries=table,
        warnings=_overrun_warnings(overruns),
    )


def _overrun_warnings(overruns: Sequence[int]) -> tuple[str, ...]:
    # What is absent from such a listing may still have happened.
    if not overruns:
        return ()
    return (f"conntrack lost events (line {overruns[0]}): an event that is absent from it may have happened",)
