"""`strace -T`, with `-f`, `-t`, `-tt`, `-ttt` and `-y`: how long each system call took.

[pid 10436] 06:32:46.123456 read(6</sys/fs/cgroup/memory/memory.stat>, "cache 15423"..., 4096) = 658 <0.179438>
[pid 10436] <... futex resumed> )       = 0 <0.156784>
1795222120.008962 openat(AT_FDCWD, "/proc/self/stat", O_RDONLY) = 3 <0.000012>
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from backend.forensics.dumps import Dump, SystemCall
from workers.decode.dumps.fields import numbered
from workers.decode.dumps.formats import share_owned
from workers.decode.dumps.stated_times import epoch_time_ns

KIND = "strace"

_WHO = (
    r"(?:\[pid\s{1,4}(?P<pid>\d{1,10})(?:<(?P<name>[^>]{1,15})>)?\] |"
    r"(?P<column>\d{1,10})(?:<(?P<named>[^>]{1,15})>)? {1,4})?"
)
_WHEN = r"(?:(?P<epoch>\d{10}\.\d{1,9}) |(?P<clock>\d\d:\d\d:\d\d(?:\.\d{1,9})?) )?"
_CALL = r"(?:<\.\.\. (?P<resumed>[a-z_0-9]{1,40}) resumed>|(?P<call>[a-z_][a-z_0-9]{0,40})\((?P<first>[^,]{0,4000}))"
_BEGIN = re.compile(_WHO + _WHEN + _CALL)
_END = re.compile(
    r"\)?\s{1,40}= (?:-?\d{1,20}|0x[0-9a-f]{1,16}|\?)[^=]{0,400}<(?P<took>\d{1,7}\.\d{3,9})>\s*$"
)
_UNFINISHED = "<unfinished ...>"
_UNDERSTOOD = re.compile(
    r"(?:strace: )?Process \d{1,10} (?:attached|detached|resumed|suspended|exited)|strace: |"
    r"(?:\[pid\s{1,4}\d{1,10}\] |\d{1,10} {1,4})?(?:[\d:.]{8,24} )?(?:\+\+\+ |--- )"
)
_OPENED = re.compile(r'[^"]{0,40}"(?P<path>/[^"]{0,1000})"')
_DESCRIPTOR = re.compile(r"\d{1,6}<(?P<path>/[^>]{0,1000})>")
_NAMED_BY_ARGUMENT = (
    "open",
    "openat",
    "openat2",
    "stat",
    "lstat",
    "newfstatat",
    "access",
    "readlink",
    "execve",
)
_SHORTEST_LINE = 12


def recognise(head: Sequence[str]) -> float:
    """The share of lines that are calls with their time."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """A call that ends with the time it took or is interrupted by others, or what strace says of itself."""
    if line.startswith("strace: Process "):
        return True
    done = line.rstrip().endswith(_UNFINISHED) or _ends(line) is not None
    return done and _BEGIN.match(line) is not None


def starts_anew(previous: str, line: str) -> bool:
    """Nothing marks the beginning of a second listing."""
    return False


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The calls that ended. One that was interrupted by others has its file in the line of its begin."""
    calls: list[SystemCall] = []
    not_understood: list[int] = []
    begun: dict[tuple[int | None, str], str] = {}
    for number, line in numbered(lines, first_line):
        call = _call(line, number)
        if call is not None:
            path = begun.pop((call.pid, call.name), "") if line.find(" resumed>", 0, 200) >= 0 else call.path
            calls.append(replace(call, path=path))
            continue
        begin = _BEGIN.match(line) if line.rstrip().endswith(_UNFINISHED) else None
        if begin is not None and begin["call"]:
            begun[_pid(begin), begin["call"]] = _path_of(begin, line)
        elif not _UNDERSTOOD.match(line):
            not_understood.append(number)
    return Dump(KIND, len(lines), tuple(not_understood), system_calls=tuple(calls))


def _ends(line: str) -> re.Match[str] | None:
    """How the call ended. Looked for in the last part of a line: arguments are long and hold anything."""
    if len(line) < _SHORTEST_LINE or not line.rstrip().endswith(">"):
        return None
    start = max(0, len(line) - 500)
    return next((m for at in _equals(line, start) if (m := _END.match(line, at)) is not None), None)


def _equals(line: str, start: int) -> list[int]:
    """Where the blanks before the last `=` begin, with the bracket before them."""
    at = line.rfind(" = ", start)
    if at < 0:
        return []
    first = at
    while first > start and line[first - 1] == " ":
        first -= 1
    return [first]


def _call(line: str, number: int) -> SystemCall | None:
    begin, end = _BEGIN.match(line), _ends(line)
    if begin is None or end is None:
        return None
    name = begin["resumed"] or begin["call"]
    return SystemCall(
        number,
        _pid(begin),
        begin["name"] or begin["named"] or "",
        name,
        _path_of(begin, line) if begin["call"] else "",
        float(end["took"]),
        epoch_time_ns(begin["epoch"]) if begin["epoch"] else None,
        _seconds(begin["clock"]) if begin["clock"] else None,
    )


def _pid(begin: re.Match[str]) -> int | None:
    pid = begin["pid"] or begin["column"]
    return int(pid) if pid else None


def _path_of(begin: re.Match[str], line: str) -> str:
    shape = _OPENED if begin["call"] in _NAMED_BY_ARGUMENT else _DESCRIPTOR
    found = shape.match(line[begin.start("first") : begin.start("first") + 1200])
    return found["path"] if found is not None else ""


def _seconds(clock: str) -> float:
    hours, minutes, seconds = clock.split(":")
    return int(hours) * 3_600 + int(minutes) * 60 + float(seconds)
