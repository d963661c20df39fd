"""Errors that programs print without a time before them, and the stack traces below: Java, Go, Node, Python.

java.net.SocketException: Connection reset
        at java.net.SocketInputStream.read(SocketInputStream.java:210)
requests.exceptions.ConnectionError: ('Connection aborted.', ConnectionResetError(104, 'Connection reset by peer'))
Get "https://10.96.0.1:443/api": net/http: TLS handshake timeout

They say that something failed, not which packet was lost; no line is taken that another format knows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from backend.forensics.dumps import Dump, LogMessage
from workers.decode.dumps.error_words import is_of_load_test, names_an_error
from workers.decode.dumps.fields import numbered
from workers.decode.dumps.formats import share_owned
from workers.decode.dumps.remarks import is_remark

KIND = "component-log"
LAST_RESORT: Final = True
"""Such lines are of this format only where no other one owns them."""

_LONGEST: Final = 4_000
_PROGRAM: Final = re.compile(r"[:={(\[\"'|]|^\S{1,80}(?:Exception|Error)\b|\bE[A-Z]{4,16}\b")
"""A sign that a program composed the line."""
_CLASS: Final = re.compile(r"\b(?:[\w$]{1,60}\.){2,12}[\w$]{0,60}(?:Exception|Error)\b")
"""An exception with its package."""
_BULLET: Final = re.compile(r"\s{0,3}(?:[-*] |\d{1,2}[.)] |> )?")
_TRACE: Final = re.compile(
    r"\s{1,16}(?:at \S|\.\.\. \d{1,5} (?:more|common)|File \"|[\w$]{1,40}: \S|[}\])])|Caused by: |"
    r"(?:During handling of|The above exception|Traceback \(most recent)|goroutine \d|[}\])]{1,4}[,;]?\s*$"
)
"""Lines of a stack trace, or of the object that Node prints with an error."""


def recognise(head: Sequence[str]) -> float:
    """Half the share of such lines: any other format is surer."""
    return 0.5 * share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """An error that a program composed; a person's sentence that quotes one is none."""
    if len(line) > _LONGEST or is_of_load_test(line) or not names_an_error(line):
        return False
    bare = line[_BULLET.match(line).end() :]  # type: ignore[union-attr]
    if _CLASS.search(bare) is not None:
        return True
    return _PROGRAM.search(bare) is not None and not is_remark(bare)


def starts_anew(previous: str, line: str) -> bool:
    """Errors follow each other."""
    return False


def is_trace(line: str) -> bool:
    """Whether a line belongs to the error above or below it."""
    return _TRACE.match(line) is not None


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """One message for each error; its stack trace is understood and left out."""
    messages: list[LogMessage] = []
    not_understood: list[int] = []
    for number, line in numbered(lines, first_line):
        if owns_line(line):
            messages.append(LogMessage(number, "", "error", line.strip()[:2_000]))
        elif not is_trace(line) and not (messages and line[:1] in " \t"):
            not_understood.append(number)
    return Dump(KIND, len(lines), tuple(not_understood), log_messages=tuple(messages))
