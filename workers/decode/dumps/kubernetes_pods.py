"""`kubectl get pods` without addresses: which pods are not ready.

NAME                    READY   STATUS             RESTARTS      AGE
kube-flannel-ds-76kwm   0/1     CrashLoopBackOff   12 (2m ago)   41m
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from backend.forensics.dumps import Dump, LogMessage
from workers.decode.dumps.fields import numbered
from workers.decode.dumps.formats import share_owned

KIND = "component-log"

_AGE: Final = r"(?:\d{1,6}[smhdy]){1,3}"
_HEADER = re.compile(r"(?:NAMESPACE +)?NAME +READY +STATUS +RESTARTS +AGE\s*$")
_ROW = re.compile(
    rf"(?:(?P<namespace>[a-z0-9][a-z0-9-]{{0,62}}) {{1,200}})?(?P<name>[a-z0-9][\w.-]{{0,252}}) {{1,200}}"
    rf"(?P<ready>\d{{1,3}})/(?P<all>\d{{1,3}}) {{1,60}}(?P<status>[A-Z][\w:/-]{{1,60}}) {{1,60}}"
    rf"(?P<restarts>\d{{1,7}})(?: \({_AGE} ago\))?(?: {{1,60}}{_AGE})?\s*$"
)
_OVER: Final = frozenset(("Completed", "Succeeded"))


def recognise(head: Sequence[str]) -> float:
    """The share of its lines."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """The header, or a row."""
    return _HEADER.match(line) is not None or _ROW.match(line) is not None


def starts_anew(previous: str, line: str) -> bool:
    """The header comes first."""
    return bool(previous) and _HEADER.match(line) is not None


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """A warning for each pod that is not ready."""
    messages: list[LogMessage] = []
    not_understood: list[int] = []
    for number, line in numbered(lines, first_line):
        row = _ROW.match(line)
        if row is not None:
            if row["ready"] != row["all"] and row["status"] not in _OVER:
                of = f"{row['namespace']}/" if row["namespace"] else ""
                text = f"Pod {of}{row['name']} is not ready: {row['ready']}/{row['all']} {row['status']}"
                messages.append(LogMessage(number, "kubectl", "warning", text, "pods"))
        elif not _HEADER.match(line):
            not_understood.append(number)
    return Dump(KIND, len(lines), tuple(not_understood), log_messages=tuple(messages))
