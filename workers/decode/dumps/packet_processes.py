"""A kernel probe's listing of who ran when each echo was taken from its queue (bcc or bpftrace on icmp_echo).

TGID    PID     PROCESS NAME    ICMP_SEQ
0       0       swapper/11      770
4041    4108    cadvisor        771
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import Dump, PacketProcess
from workers.decode.dumps.fields import numbered

KIND = "packet-processes"

_HEADER = re.compile(
    r"\s{0,16}TGID\s{1,16}PID\s{1,16}(?:PROCESS(?:[ _]NAME)?|COMM(?:AND)?)\s{1,24}(?:ICMP_?)?SEQ\s*$",
    re.IGNORECASE,
)
# A name holds blanks at times (``tmux: server``) and is at most 15 bytes long (TASK_COMM_LEN, linux/sched.h).
_ROW = re.compile(
    r"\s{0,16}(?P<tgid>\d{1,10})\s{1,16}(?P<pid>\d{1,10})\s{1,16}(?P<process>[^\s\d][^\t]{0,30}?)\s{1,24}"
    r"(?P<sequence>\d{1,5})\s*$"
)
_SURE = re.compile(
    r"\s{0,16}\d{1,10}\s{1,16}\d{1,10}\s{1,16}(?:swapper|ksoftirqd)/\d{1,4}\s{1,24}\d{1,5}\s*$"
)
_LEFT_OUT = re.compile(r"\s{0,8}(?:\[?\.{3}\]?|\^C|Tracing.{0,120}|Attaching \d{1,4} probes?\.{3})\s*$")


def recognise(head: Sequence[str]) -> float:
    """Sure when the header or a row that is like no other listing is there."""
    return 1.0 if any(owns_line(line) for line in head) else 0.0


def owns_line(line: str) -> bool:
    """The header, or a row of the idle CPU or of its network thread; the others follow them."""
    return bool(_HEADER.match(line) or _SURE.match(line))


def starts_anew(previous: str, line: str) -> bool:
    """The header begins a listing."""
    return bool(previous and _HEADER.match(line))


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The rows in their order, which is that in which the packets were taken."""
    found: list[PacketProcess] = []
    not_understood: list[int] = []
    for number, line in numbered(lines, first_line):
        row = _ROW.match(line)
        if row is not None and int(row["sequence"]) < 65_536:
            found.append(
                PacketProcess(number, int(row["tgid"]), int(row["pid"]), row["process"], int(row["sequence"]))
            )
        elif not _HEADER.match(line) and not _LEFT_OUT.match(line):
            not_understood.append(number)
    return Dump(KIND, len(lines), tuple(not_understood), packet_processes=tuple(found))
