"""`lsmod`: which parts of the kernel are loaded.

Module                  Size  Used by
br_netfilter           32768  0
bridge                307200  1 br_netfilter
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import Dump, KernelModule
from workers.decode.dumps.fields import numbered
from workers.decode.dumps.formats import share_owned

KIND = "lsmod"

_TITLE = re.compile(r"Module\s+Size\s+Used by")
_ROW = re.compile(
    r"(?P<name>[a-z0-9_]{2,64})\s+(?P<size>\d{4,10})\s{1,4}(?P<users>-?\d{1,6})(?: (?P<by>[\w,-]{1,2000}))?\s*$"
)
_PROC = re.compile(
    r"(?P<name>[a-z0-9_]{2,64}) (?P<size>\d{4,10}) (?P<users>\d{1,6}) (?P<by>[\w,-]{1,2000}) Live 0x"
)


def recognise(head: Sequence[str]) -> float:
    """The share of modules."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """The title and the modules."""
    return bool(_TITLE.match(line) or _ROW.match(line) or _PROC.match(line))


def starts_anew(previous: str, line: str) -> bool:
    """The title begins a listing."""
    return bool(previous) and _TITLE.match(line) is not None


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The modules."""
    modules: list[KernelModule] = []
    not_understood: list[int] = []
    for number, line in numbered(lines, first_line):
        row = _PROC.match(line) or _ROW.match(line)
        if row is not None:
            by = (row["by"] or "").strip(",-")
            modules.append(KernelModule(number, row["name"], int(row["size"]), int(row["users"]), by))
        elif not _TITLE.match(line):
            not_understood.append(number)
    return Dump(KIND, len(lines), tuple(not_understood), modules=tuple(modules))
