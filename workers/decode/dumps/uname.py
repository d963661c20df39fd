"""`uname -a`, `uname -r` and `/proc/version`: which kernel it is, and with `-a` the machine's name.

Linux node-7 6.1.0-56-cloud-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.192-2 (2026-11-16) x86_64 GNU/Linux
6.1.0-56-cloud-amd64
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import Dump, KernelVersion
from workers.decode.dumps.formats import share_owned

KIND = "uname"

_FULL = re.compile(r"Linux (?P<host>\S{1,255}) (?P<release>\d{1,2}\.\d{1,3}\S{0,128}) #\d")
_PROC = re.compile(r"Linux version (?P<release>\d{1,2}\.\d{1,3}\S{0,128}) \(")
# Four numbers alone are an address, not a kernel.
_RELEASE = re.compile(r"(?P<release>[2-9]\.\d{1,3}\.\d{1,3}(?:\.\d{1,3}(?=-))?(?:[-+_][\w.+~-]{0,100})?)\s*$")


def recognise(head: Sequence[str]) -> float:
    """The share of lines that name a kernel."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """A line that is nothing but a kernel's name."""
    return _match(line) is not None


def starts_anew(previous: str, line: str) -> bool:
    """Each line is a listing of its own."""
    return bool(previous)


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The first kernel named."""
    kernel: KernelVersion | None = None
    host = ""
    not_understood: list[int] = []
    for number, line in enumerate(lines, first_line):
        match = _match(line[:4096])
        if match is not None and kernel is None:
            kernel = KernelVersion(number, match["release"])
            host = match.groupdict().get("host") or ""
        elif line.strip():
            not_understood.append(number)
    return Dump(KIND, len(lines), tuple(not_understood), host="" if host == "(none)" else host, kernel=kernel)


def _match(line: str) -> re.Match[str] | None:
    return _FULL.match(line) or _PROC.match(line) or _RELEASE.match(line)
