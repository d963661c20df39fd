"""Lines that any program logs with a time before them: syslog, the journal, and programs of their own.

Nov 21 00:44:09 node-7 haproxy[835]: backend web has no server available!
2026-11-21T00:44:09.553Z ERROR upstream connect error
2026/11/21 00:44:09 server.go:148: accept failed

They say that something happened, not which packet was lost; no line is taken that another format knows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from backend.forensics.dumps import Dump, LogMessage
from workers.decode.dumps.error_lines import is_trace
from workers.decode.dumps.error_words import names_an_error
from workers.decode.dumps.fields import NO_LEVEL, numbered
from workers.decode.dumps.formats import share_owned
from workers.decode.dumps.remarks import is_remark
from workers.decode.dumps.stated_times import stated_time_ns

KIND = "component-log"
LAST_RESORT: Final = True
"""Such lines are of this format only where no other one owns them."""

_SYSLOG = re.compile(
    r"(?:<\d{1,3}>)?(?:[^\W\d_]{3,5}\.? [\s\d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S{0,20}) "
    rf"{NO_LEVEL}(?P<host>[\w.-]{{1,255}}) "
    r"(?P<program>[\w./@-]{1,64})(?:\[\d{1,9}\])?: (?P<text>.*)$"
)
_DATED = re.compile(
    r"\[?(?P<time>\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z| ?[+-]\d\d:?\d\d)?)\]?[ |:,\t]{1,4}"
    r"(?P<text>\S.*)$"
)
_ACCESS = re.compile(
    r"\S{2,255} \S{1,64} \S{1,64} \[(?P<time>\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d [+-]\d{4})\] "
    r"(?P<text>\"(?:[A-Z]{3,7} \S{1,2000}(?: HTTP/[\d.]{1,3})?|-?)\" (?P<status>\d{3}) .*)$"
)
"""Apache's combined log format, with which nginx's begin, too."""
_REQUEST = re.compile(r"\"[A-Z]{3,7} \S{1,2000} HTTP/[\d.]{1,3}\" (?P<status>\d{1,3}) \S.*$")
"""Envoy's and Istio's access logs whose time was left out."""
_SERVER_ERROR: Final = ("5", "0")
"""Envoy writes 0 where no response was sent."""
_LEVELS: Final = (
    ("fatal", re.compile(r"\b(?:fatal|panic|emerg)\b", re.IGNORECASE)),
    ("error", re.compile(r"\b(?:error|err|failed|failure|refused|timed out|timeout|exception)\b", re.IGNORECASE)),
    ("warning", re.compile(r"\bwarn(?:ing)?\b", re.IGNORECASE)),
)  # fmt: skip


def recognise(head: Sequence[str]) -> float:
    """The share of log lines."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """A time, and a text behind it."""
    return any(shape.match(line) is not None for shape in (_SYSLOG, _DATED, _ACCESS, _REQUEST))


def starts_anew(previous: str, line: str) -> bool:
    """A log is one listing."""
    return False


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The messages; what is set in goes on from the message before."""
    messages: list[LogMessage] = []
    strange: list[int] = []
    host = ""
    for number, line in numbered(lines, first_line):
        syslog, dated, access = (shape.match(line) for shape in (_SYSLOG, _DATED, _ACCESS))
        if syslog is not None:
            host = host or syslog["host"]
            text = syslog["text"][:2_000]
            messages.append(LogMessage(number, syslog["program"], _level(text), text))
        elif dated is not None:
            time_ns = stated_time_ns(dated["time"].replace("/", "-"))
            text = dated["text"][:2_000]
            messages.append(LogMessage(number, "", _level(text), text, "", time_ns))
        elif access is not None:
            level = "error" if access["status"].startswith(_SERVER_ERROR) else "info"
            messages.append(LogMessage(number, "", level, access["text"][:2_000], "access log"))
        elif (request := _REQUEST.match(line)) is not None:
            level = "error" if request["status"].startswith(_SERVER_ERROR) else "info"
            messages.append(LogMessage(number, "", level, line[:2_000], "access log"))
        elif names_an_error(line) and not is_remark(line):
            messages.append(LogMessage(number, "", "error", line.strip()[:2_000]))
        elif not (is_trace(line) or (messages and line[:1] in " \t")):
            strange.append(number)
    return Dump(KIND, len(lines), tuple(strange), host=host, log_messages=tuple(messages))


def _level(text: str) -> str:
    stated = next((level for level, pattern in _LEVELS if pattern.search(text)), "info")
    return "error" if stated == "info" and names_an_error(text) else stated
