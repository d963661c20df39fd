"""/etc/resolv.conf: name servers, search domains and options of the C library's resolver.

nameserver 10.96.0.10
search default.svc.cluster.local svc.cluster.local cluster.local
options ndots:5
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import Dump, Setting
from workers.decode.dumps.fields import numbered
from workers.decode.dumps.formats import share_owned

KIND = "resolv-conf"

_LINE = re.compile(
    r"(?P<key>nameserver|search|domain|options|sortlist)[ \t]{1,8}"
    r"(?P<value>[0-9A-Za-z_.:%/-]\S{0,254}(?:[ \t]{1,4}\S{1,255}){0,31})\s*$"
)
_ADDRESS = re.compile(r"[0-9a-fA-F.:]{2,45}(?:%\w{1,16})?$")
_OPTION = re.compile(r"[a-z0-9-]{2,24}(?::\d{1,5})?$")


def recognise(head: Sequence[str]) -> float:
    """The share of its lines."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """A keyword with values of its kind: prose may begin with the same words."""
    found = _LINE.match(line)
    if found is None:
        return False
    values = found["value"].split()
    if found["key"] == "nameserver":
        return len(values) == 1 and _ADDRESS.match(values[0]) is not None
    if found["key"] == "options":
        return all(_OPTION.match(value) for value in values) and any(":" in v or "-" in v for v in values)
    return any("." in value for value in values) and all(value[-1] not in ",:?!" for value in values)


def starts_anew(previous: str, line: str) -> bool:
    """Its lines come in any order."""
    return False


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """A setting a line, under its keyword with the prefix ``resolv.``."""
    settings: list[Setting] = []
    not_understood: list[int] = []
    for number, line in numbered(lines, first_line):
        found = _LINE.match(line)
        if found is not None:
            settings.append(Setting(number, f"resolv.{found['key']}", " ".join(found["value"].split())))
        elif not line.startswith(("#", ";")):
            not_understood.append(number)
    return Dump(KIND, len(lines), tuple(not_understood), settings=tuple(settings))
