"""Lines of dumps and logs without the words of messages in them: targets and hosts of requests, names of lookups, and
what a traced call wrote or read."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from backend.services.redaction.open_words import HIDDEN
from backend.services.redaction.own_words import TAIL, is_own

_METHODS: Final = "GET|HEAD|POST|PUT|DELETE|OPTIONS|PATCH|CONNECT|TRACE"
_REQUEST: Final = re.compile(rf"\b({_METHODS})([ +]+)(?!HTTP/)[^\s\"]+")
_HTTP: Final = re.compile(r"\bHTTP/\d")
_LOOKUP: Final = re.compile(r"\bIN [^\s\"]+")
"""The question in a line of CoreDNS, ``"A IN example.com. udp 45 …"``; a name of one label has no dot inside."""
_HEADER: Final = re.compile(r"^([<>] [A-Za-z][\w-]*:).+")
"""Of ``curl -v``."""
_CALL: Final = re.compile(
    r"(?:\[?(?:pid +)?\d+\]? +)?(?:[\d.:]+ +)?(?:<\.\.\. )?[a-z_]{3,20}\d*(?:\(| resumed>)"
)
"""As strace prints one, behind its process and time."""
_QUOTED: Final = re.compile(r"\"((?:[^\"\\]|\\.)*)\"")
_URL: Final = re.compile(r"\b([a-z][a-z0-9+.-]*://)([^\s\"'<>/?#]*)([^\s\"'<>]*)", re.IGNORECASE)
_PATH: Final = re.compile(r"(?<![\w.•:/\])-])/(?!proc/|sys/)[^\s\"'<>,;)]+|(?<=:\d\d)/[^\s\"'<>,;)]+")
_DOMAIN: Final = re.compile(r"(?<![\w.-])(?:[\w*-]+\.)+[A-Za-z]{2,}[\w-]*\.?(?![\w.])")
_ENDPOINT: Final = re.compile(r"(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?")


def without_messages(line: str, stays: Callable[[str], bool]) -> str:
    """The line with `HIDDEN` in the place of such words. `stays` says of a name with dots whether it is a machine's or
    the kernel's."""
    line = _HEADER.sub(rf"\1 {HIDDEN}", line)
    line = _REQUEST.sub(rf"\1\2{HIDDEN}", line)
    if _CALL.match(line):
        line = _QUOTED.sub(_of_call, line)
    elif _HTTP.search(line):
        line = _QUOTED.sub(_of_http, line)
    line = _LOOKUP.sub(f"IN {HIDDEN}", line)
    line = _URL.sub(_of_url, line)
    line = _PATH.sub(f"/{HIDDEN}", line)
    return _DOMAIN.sub(lambda found: found[0] if stays(found[0].rstrip(TAIL)) else HIDDEN, line)


def _of_http(found: re.Match[str]) -> str:
    """A request line keeps its method, an end its address; an agent, a referrer and a host are the client's words."""
    is_kept = (
        re.match(rf"(?:{_METHODS}) {HIDDEN}(?: HTTP/[\d.]+)?$", found[1])
        or _ENDPOINT.fullmatch(found[1])
        or is_own(found[1])
    )
    return found[0] if is_kept else f'"{HIDDEN}"'


def _of_call(found: re.Match[str]) -> str:
    """Of the arguments of a call only an address is no data."""
    return found[0] if _ENDPOINT.fullmatch(found[1]) else f'"{HIDDEN}"'


def _of_url(found: re.Match[str]) -> str:
    host = found[2] if _ENDPOINT.fullmatch(found[2]) else HIDDEN
    return f"{found[1]}{host}{'/' + HIDDEN if len(found[3]) > 1 else found[3]}"
