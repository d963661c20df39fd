"""Words of errors of the network, as the C library, Go, Java, Node, Python and proxies write them."""

from __future__ import annotations

import re
from typing import Final

_ERRORS: Final = re.compile(
    r"cannot assign requested address|address already in use|no buffer space available|too many open files|"
    r"connection (?:was |has been |is )?(?:refused|reset|aborted|timed out|closed (?:by|before|unexpectedly))|"
    r"reset by peer|no route to host|network (?:is )?unreachable|host (?:is )?unreachable|broken pipe|i/o timeout|"
    r"context deadline exceeded|deadline_exceeded|tls handshake timeout|no such host|server misbehaving|"
    r"name or service not known|temporary failure in name resolution|name resolution failed|"
    r"(?:operation|read|connect|connection|request|handshake|socket|upstream) ?(?:has |was )?time[d]?[ -]?out|"
    r"socket hang up|\bE(?:CONN(?:RESET|REFUSED|ABORTED)|TIMEDOUT|SOCKETTIMEDOUT|HOSTUNREACH|NETUNREACH|PIPE|"
    r"ADDRNOTAVAIL|ADDRINUSE|NOTFOUND|AI_AGAIN|NOBUFS)\b|upstream connect error|unexpected eof|"
    r"\bgo_?away\b|unreachable backend|message too long|"
    r"(?:Connect|Socket|SocketTimeout|ConnectTimeout|ReadTimeout|NoRouteToHost|UnknownHost|ClosedChannel|"
    r"ConnectionReset|"
    r"NoHttpResponse|SSLHandshake)(?:Exception|Error)\b|premature(?:ly)? clos|server closed the connection|"
    r"transport is closing|use of closed network connection|connection termination|no healthy upstream|"
    r"no live upstreams|remote end closed",
    re.IGNORECASE,
)
_STEMS: Final = (
    "conn", "time", "reach", "route to host", "assign requested", "already in use", "buffer space", "open files",
    "reset by", "pipe", "deadline", "such host", "misbehaving", "not known", "resolution", "hang up", "eaddr",
    "enotfound", "eai_again", "enobufs", "unexpected eof", "goaway", "go_away", "too long", "exception", "socket",
    "handshake", "nohttp", "unknownhost", "closedchannel", "prematur", "closed", "closing", "upstream", "noroute",
)  # fmt: skip
"""Each of the words holds one: most lines of a log hold none, and this takes a tenth of the time."""

_LOAD_TEST: Final = re.compile(r"(?:Get|Post|Put|Head|Delete|Patch) \"http://")


def is_of_load_test(line: str) -> bool:
    """Whether a load test lists its errors so, as a part of its own report."""
    return _LOAD_TEST.match(line) is not None


def names_an_error(text: str) -> bool:
    """Whether the text quotes such an error."""
    lower = text[:4_000].lower()
    return any(stem in lower for stem in _STEMS) and _ERRORS.search(lower) is not None
