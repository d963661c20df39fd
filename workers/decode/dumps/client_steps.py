"""What clients say of their own connection: `curl -v`, `nc -zv`, `wget`, `telnet`, `nslookup`, Go's and Java's errors.

*   Trying 10.96.0.10:443...
* connect to 10.96.0.10 port 443 failed: Connection timed out
curl: (28) Failed to connect to 10.96.0.10 port 443 after 130512 ms: Couldn't connect to server
dial tcp 10.96.0.1:443: i/o timeout
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from backend.forensics.dumps import ClientStep, Dump
from workers.decode.dumps.error_lines import is_trace
from workers.decode.dumps.error_words import is_of_load_test
from workers.decode.dumps.fields import numbered

KIND = "client-steps"

_CURL = re.compile(
    r"(?:\* (?:  ?Trying |Connected to |connect to |Immediate connect fail|"
    r"TCP_NODELAY|Host |Could not resolve|ALPN|TLS|SSL|Server|"
    r"Using |Mark bundle|Connection |Recv failure|Send failure|"
    r"Empty reply|Closing |Closed |upload completely|Operation timed out|"
    r"Failed to |Added |Hostname |Uses proxy|HTTP|Request completely|"
    r"old SSL|OpenSSL|NSS|About to connect|Rebuilt URL|IPv[46]: |"
    r"\[HTTP|no chunk|Re-using|Found bundle|getpeername|After \d|"
    r"CAfile|CApath|  CA|  subject|  start date|  expire|  issuer|"
    r" {1,2}[A-Z(]|shutting|using HTTP|h2|we are|schannel|Expire|"
    r"start|abort|time|transfer|left intact)|curl: \(\d{1,3}\) )"
)
_HEADERS = re.compile(
    r"(?:> (?:(?:GET|POST|PUT|HEAD|DELETE|PATCH|OPTIONS|CONNECT) \S|"
    r"[A-Za-z][\w-]{1,60}: )|< (?:HTTP/[\d.]{1,3} \d{3}|[A-Za-z][\w-]{1,60}: ))"
)
_PIPES = re.compile(
    r"[<>]\s*$|[{}] \[\d{1,9} bytes data\]|\s{1,4}%?\s{0,4}Total"
    r"\s+% Received|\s+Dload\s+Upload|\s{1,3}\d{1,3}\s+\d{1,12}k?\s+\d{1,3}\s"
)
_OTHERS = re.compile(
    r"(?:nc: |Ncat: |Connection to \S{1,255} \S{1,12} port |wget: |"
    r"telnet: |Trying [\d.]{7,15}\.\.\.|ssh: connect to host |"
    r"Connecting to \S{1,255}(?: \([^)]{1,80}\))?[:|]|\S{1,255} \([\d.]{7,15}:\d{1,5}\) open|"
    r";; (?:connection timed out|communications error|reply from unexpected source|WARNING|no servers|Warning)|"
    r"(?:dns )?(?:udp|tcp) (?:read|query|write): |\*\* server can't find |Server:\s+[\d.]{7,15}|"
    r"Connected to \S{1,255}\.?$|Escape character is|Unable to connect to the server: |The connection to the server )"
)
_DIAL = re.compile(
    r".{0,2000}?\b(?:dial|read|write|lookup) (?:tcp|udp)[46]? ?"
    r"(?:\S{1,64}->)?\[?(?P<address>[\w.:-]{1,255}?)\]?:(?P<port>\d{1,5}):? "
    r"?(?:.{0,120}?: )?(?P<why>i/o timeout|connect: [a-z ]{4,60}|"
    r"connection (?:was )?re\w{4,20}[a-z ]{0,20}|no such host|broken pipe|operation was canceled)"
)
_JAVA = re.compile(
    r".{0,400}?\b(?:ConnectException|SocketTimeoutException|ConnectTimeoutException|NoRouteToHostException|ECONNREFUSED|ETIMEDOUT|ECONNRESET|EHOSTUNREACH)\b"
)
_ADDRESS = re.compile(
    r"(?P<address>\[[0-9a-fA-F:]{2,45}\]|(?<![\w.])(?:\d{1,3}\.){3}\d{1,3})(?:(?::| port | )(?P<port>\d{1,5})\b)?"
)
_NUMBERED_PORT = re.compile(r"\bport (?P<port>\d{1,5})\b")
_AFTER = re.compile(r"\bafter (?P<ms>\d{1,9}) (?P<unit>ms|milliseconds|seconds)")
_IN_A_LOG: Final = 0.5
_FAILED: Final = (
    "timed out", "timeout", "refused", "no route to host", "unreachable", "reset by peer", "failed", "couldn't connect",
    "could not resolve", "can't find", "no such host", "empty reply", "can't connect", "econn", "ehost", "etimedout",
    "exception", "unable to connect", "unexpected source", "queue full", "was refused", "broken pipe", "error",
)  # fmt: skip


def recognise(head: Sequence[str]) -> float:
    """Sure when a line is there that only clients print; an error that names its address may stand in any log."""
    owned = [line for line in head if owns_line(line)]
    if any(not (_DIAL.match(line) or _JAVA.match(line)) for line in owned):
        return 1.0
    return _IN_A_LOG if owned else 0.0


def owns_line(line: str) -> bool:
    """What clients print, and errors that name the address they were for."""
    if is_of_load_test(line):
        return False
    if line[:1] in "*><c" and (_CURL.match(line) or _HEADERS.match(line)):
        return True
    return bool(
        _OTHERS.match(line)
        or (("dial " in line or "->" in line or "lookup " in line) and _DIAL.match(line))
        or _JAVA.match(line)
    )


def starts_anew(previous: str, line: str) -> bool:
    """Attempts follow each other."""
    return False


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The steps; lines of headers and of progress are understood, and no steps."""
    steps: list[ClientStep] = []
    not_understood: list[int] = []
    for number, line in numbered(lines, first_line):
        if _HEADERS.match(line) or _PIPES.match(line):
            continue
        if owns_line(line):
            steps.append(_step(line, number))
        elif not (
            line.startswith(("*", "<", ">", "{", "}"))
            or is_trace(line)
            or re.match(r"(?:Address|Name|Non-auth|Address \d):?\s", line)
        ):
            not_understood.append(number)
    return Dump(KIND, len(lines), tuple(not_understood), client_steps=tuple(steps))


def _step(line: str, number: int) -> ClientStep:
    dial = _DIAL.match(line)
    tool = "curl" if line[:1] == "*" or line.startswith("curl:") else line.split(":")[0].split(" ")[0].lower()
    address, port = "", None
    if dial is not None:
        tool, address, port = "go", dial["address"], int(dial["port"]) & 0xFFFF
    else:
        shown, named = _ADDRESS.search(line), _NUMBERED_PORT.search(line)
        address = shown["address"].strip("[]") if shown else ""
        digits = named["port"] if named else shown["port"] if shown else None
        port = int(digits) & 0xFFFF if digits else None
    after = _AFTER.search(line)
    after_ms = int(after["ms"]) * (1_000 if after["unit"] == "seconds" else 1) if after else None
    return ClientStep(number, tool[:20], _what(line), line.strip()[:400], address, port, after_ms)


def _what(line: str) -> str:
    lower = line.lower()
    if any(word in lower for word in _FAILED) and "no error" not in lower:
        return "failed"
    if "trying" in lower or "connecting to" in lower:
        return "trying"
    if "connected to" in lower or "succeeded" in lower or lower.rstrip().endswith("open"):
        return "connected"
    return "closed" if "closing" in lower or "closed" in lower else "other"
