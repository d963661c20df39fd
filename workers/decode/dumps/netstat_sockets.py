"""`netstat -ant` of Linux, the BSDs and Windows: TCP sockets, their queues and states; `-p` and names, too.

tcp        0    258 10.0.0.1:46654          10.0.0.2:5000           FIN_WAIT1   -
tcp6       1      0 :::9482                 :::*                    LISTEN      2647/java
tcp4       0      0  10.0.0.1.52134         10.0.0.2.443            ESTABLISHED
  TCP    10.0.0.1:49152         10.0.0.2:8080          TIME_WAIT       4
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from backend.forensics.dumps import Dump, TcpSocket
from workers.decode.dumps.fields import canonical_address, numbered, whole_number
from workers.decode.dumps.formats import share_owned

KIND = "ss-sockets"

STATES: Final = {
    "ESTABLISHED": "ESTAB",
    "SYN_SENT": "SYN-SENT",
    "SYN_RECV": "SYN-RECV",
    "SYN_RECEIVED": "SYN-RECV",
    "SYN_RCVD": "SYN-RECV",
    "FIN_WAIT1": "FIN-WAIT-1",
    "FIN_WAIT_1": "FIN-WAIT-1",
    "FIN_WAIT2": "FIN-WAIT-2",
    "FIN_WAIT_2": "FIN-WAIT-2",
    "TIME_WAIT": "TIME-WAIT",
    "CLOSE_WAIT": "CLOSE-WAIT",
    "LAST_ACK": "LAST-ACK",
    "CLOSING": "CLOSING",
    "CLOSE": "CLOSED",
    "CLOSED": "CLOSED",
    "LISTEN": "LISTEN",
    "LISTENING": "LISTEN",
}
"""As netstat writes them, and as ss does."""
_STATE = "|".join(STATES)
_UNIX = re.compile(
    r"tcp[46]?6?\s{1,12}(?P<receive>\d{1,12})\s{1,12}(?P<send>\d{1,12})\s{1,40}(?P<local>\S{2,100})\s{1,60}"
    rf"(?P<peer>\S{{2,100}})\s{{1,40}}(?P<state>{_STATE})\b(?P<rest>.{{0,200}})$"
)
_WINDOWS = re.compile(
    rf"\s{{1,8}}TCP\s{{1,12}}(?P<local>\S{{2,100}})\s{{1,60}}(?P<peer>\S{{2,100}})\s{{1,40}}(?P<state>{_STATE})\s*\d{{0,10}}\s*$"
)
_OTHERS = re.compile(
    r"(?:\s{1,8}UDP\s|(?:udp|raw|icmp)[46]?6?\s{1,12}\d{1,12}\s{1,12}\d{1,12}\s)\s{0,40}\S{2,100}\s{1,60}\S{1,100}"
)
_TITLES = re.compile(
    r"`?(?:Active (?:Internet )?[Cc]onnections\b|Active LISTEN|\s{0,4}Proto\s{1,8}(?:Recv-Q|Local Address))"
)


def recognise(head: Sequence[str]) -> float:
    """The share of lines that are sockets or titles."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """A title, or a socket with its state."""
    return any(shape.match(line) for shape in (_UNIX, _WINDOWS, _TITLES, _OTHERS))


def starts_anew(previous: str, line: str) -> bool:
    """The title begins a listing."""
    return line.startswith("Active") and bool(previous) and not previous.startswith("Active")


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """TCP sockets that do not listen: netstat prints no backlog. Ports with a name are 0; UDP is understood and left
    out."""
    sockets: list[TcpSocket] = []
    not_understood: list[int] = []
    for number, line in numbered(lines, first_line):
        found = _UNIX.match(line) or _WINDOWS.match(line)
        if found is not None:
            if STATES[found["state"]] != "LISTEN":
                sockets.append(_socket(found, number))
        elif not (_OTHERS.match(line) or _TITLES.match(line)):
            not_understood.append(number)
    return Dump(KIND, len(lines), tuple(not_understood), tcp_sockets=tuple(sockets))


def _socket(found: re.Match[str], number: int) -> TcpSocket:
    parts = found.groupdict()
    receive, send = (int(parts.get(name) or 0) for name in ("receive", "send"))
    local, peer = _end_of(found["local"]), _end_of(found["peer"])
    own = canonical_address(local[0]) or "*"  # a name is no address of this host
    return TcpSocket(number, STATES[found["state"]], receive, send, own, local[1], *peer)


def _end_of(text: str) -> tuple[str, int]:
    """Address, or a name as printed, and port (0 for a name): behind the last colon, of the BSDs the last dot."""
    host, _, port_text = text.rpartition(":" if ":" in text else ".")
    host = host.removeprefix("[").removesuffix("]").partition("%")[0]
    port = whole_number(port_text, largest=65_535) or 0
    return canonical_address(host) or host, port
