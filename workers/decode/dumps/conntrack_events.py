"""`conntrack -E`, with or without `-o timestamp`: connections as the kernel created and removed them.

[1795223503.487264]	    [NEW] tcp      6 120 SYN_SENT src=10.244.35.21 dst=10.16.147.226 sport=41358 dport=80
    [UNREPLIED] src=10.16.147.226 dst=10.16.146.2 sport=80 dport=41358 id=113457792      (one line)
[DESTROY] icmp     1 29 src=10.58.14.13 dst=10.244.1.11 type=8 code=0 id=396 src=10.244.1.11 …
conntrack v1.4.7 (conntrack-tools): 9 flow events have been shown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import ConntrackEntry, ConntrackTable, Dump
from workers.decode.dumps.conntrack_flow import read_flow
from workers.decode.dumps.fields import LONGEST_LINE
from workers.decode.dumps.formats import share_owned
from workers.decode.dumps.stated_times import epoch_time_ns

KIND = "conntrack-events"

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


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The events, in the order printed; taken at the time of the first one that has a time."""
    entries: list[ConntrackEntry] = []
    not_understood: list[int] = []
    overruns: list[int] = []
    for number, line in enumerate(lines, first_line):
        if not line.strip() or _SHOWN.match(line) or line.startswith(_OVERRUN_NOTES):
            continue
        if line.startswith(_OVERRUN):
            overruns.append(number)
            continue
        entry = _read_event(line, number) if len(line) <= LONGEST_LINE else None
        if entry is None:
            not_understood.append(number)
        else:
            entries.append(entry)
    first_time_ns = next((entry.time_ns for entry in entries if entry.time_ns is not None), None)
    return Dump(
        KIND,
        len(lines),
        tuple(not_understood),
        captured_at_ns=first_time_ns,
        captured_at_basis="unknown" if first_time_ns is None else "text",
        entries=ConntrackTable.of(entries),
        warnings=_overrun_warnings(overruns),
    )


def _read_event(line: str, number: int) -> ConntrackEntry | None:
    match = _EVENT.match(line)
    if match is None:
        return None
    time_ns = epoch_time_ns(match[1]) if match[1] else None
    return read_flow(line[match.end() :], number, event=match[2], time_ns=time_ns)


def _overrun_warnings(overruns: Sequence[int]) -> tuple[str, ...]:
    # What is absent from such a listing may still have happened.
    if not overruns:
        return ()
    return (f"conntrack lost events (line {overruns[0]}): a missing event proves nothing in this listing",)
