"""Kernel settings: `sysctl -a`, `key = value`, `key=value`, `grep . /proc/sys/…`.

net.ipv4.vs.conn_reuse_mode = 1
net.ipv4.ip_local_port_range = 32768	60999
/proc/sys/net/ipv4/vs/conntrack:1
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import Dump, Setting
from workers.decode.dumps.fields import numbered
from workers.decode.dumps.formats import share_owned

KIND = "sysctl"

_ROOTS = r"(?:net|kernel|vm|fs|dev|abi|debug|user|crypto|sunrpc)"
_DOTTED = re.compile(rf"-?(?P<key>{_ROOTS}\.[\w.@:/%+-]{{1,200}}?)\s{{0,4}}=\s{{0,4}}(?P<value>.{{0,4000}})$")
_PATH = re.compile(
    rf"(?:/proc/sys/)?(?P<key>{_ROOTS}/[\w.@%+/-]{{1,200}}?)(?:\s{{0,4}}=\s{{0,4}}|:\s?)(?P<value>.{{0,4000}})$"
)
_COMPLAINT = re.compile(r"sysctl: (?:permission denied|cannot stat|reading key|setting key|unable to open)")
_COMMENTS = ("#", ";")


def recognise(head: Sequence[str]) -> float:
    """The share of lines that are settings."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """A setting, or what sysctl complains of beside them."""
    return _match(line) is not None or bool(_COMPLAINT.match(line))


def starts_anew(previous: str, line: str) -> bool:
    """A key that comes again begins a second listing only behind a time or a prompt."""
    return False


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The settings; comments, as in sysctl.conf, are understood."""
    settings: list[Setting] = []
    not_understood: list[int] = []
    for number, line in numbered(lines, first_line):
        match = _match(line)
        if match is not None:
            key = match["key"].replace("/", ".") if match.re is _PATH else match["key"]
            settings.append(Setting(number, key, " ".join(match["value"].split())))
        elif not _COMPLAINT.match(line) and not line.startswith(_COMMENTS):
            not_understood.append(number)
    return Dump(KIND, len(lines), tuple(not_understood), settings=tuple(settings))


def _match(line: str) -> re.Match[str] | None:
    return _DOTTED.match(line) or _PATH.match(line)
