r"""`ss -lnt`, `ss -tan`, `ss -tin`: TCP sockets, their queues and what TCP knows of its path.

State    Recv-Q Send-Q  Local Address:Port   Peer Address:Port Process
LISTEN   0      128           0.0.0.0:22          0.0.0.0:*    users:(("sshd",pid=1,fd=3))
ESTAB    0      0          10.0.0.1:22         10.0.0.2:51234
         cubic wscale:7,7 rto:204 rtt:3.5/2.1 mss:1448 cwnd:10 retrans:0/3 lost:1 unacked:2
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from backend.forensics.dumps import Dump, ListenSocket, TcpSocket
from workers.decode.dumps.fields import canonical_address, numbered, whole_number
from workers.decode.dumps.formats import share_owned

KIND = "ss-sockets"

_STATES = (
    "ESTAB|SYN-SENT|SYN-RECV|FIN-WAIT-1|FIN-WAIT-2|TIME-WAIT|UNCONN|CLOSE-WAIT|LAST-ACK|LISTEN|CLOSING|CLOSED"
)
_HEADER = re.compile(
    r"(?:Netid\s{1,8})?(?:State\s{1,16})?Recv-Q\s{1,8}Send-Q\s{1,32}Local Address:Port(?:\s|$)"
)
_END = r"(?:\[[^\]\s]{1,60}\]|[^\s\[\]:]{1,60}|[0-9a-fA-F:.]{2,45}):(?:\d{1,5}|\*)"
_SOCKET = re.compile(
    rf"(?:(?P<netid>tcp|udp|mptcp)\s{{1,8}})?(?:(?P<state>{_STATES})\s{{1,16}})?(?P<receive>\d{{1,12}})\s{{1,12}}"
    rf"(?P<send>\d{{1,12}})\s{{1,64}}(?P<local>{_END})\s{{1,64}}(?P<peer>{_END})(?P<rest>\s.*)?$"
)
_DETAIL = re.compile(r"\s{1,8}(?=\S)(?:.*\s)?(?:rto:\d|cwnd:\d|mss:\d|skmem:\(|wscale:\d)")
_NUMBER = re.compile(r"[a-z_]{1,32}:-?\d{1,20}(?:\.\d{1,9})?(?:ms|us|s)?%?$")
_PROCESS = (
    "users:(",
    "timer:(",
    "uid:",
    "ino:",
    "sk:",
    "cgroup:",
    "skmem:(",
    "fwmark:",
    "<->",
    "bbr:(",
    "dev:",
)


@dataclass
class _Listing:
    has_state: bool = True
    listening: list[ListenSocket] = field(default_factory=list)
    sockets: list[TcpSocket] = field(default_factory=list)
    detailed: bool = False
    """Whether the line before was a socket that may have a second line."""


def recognise(head: Sequence[str]) -> float:
    """The share of lines that are sockets or the header."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """The header, or a socket with its state."""
    if _HEADER.match(line):
        return True
    socket = _SOCKET.match(line)
    return bool(socket and socket["state"])


def starts_anew(previous: str, line: str) -> bool:
    """The header begins a listing."""
    return bool(previous and _HEADER.match(line))


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """Listening sockets, and the others with what their second lines say; UDP is understood and left out."""
    listing = _Listing()
    not_understood = [
        number for number, line in numbered(lines, first_line) if not _read(listing, line, number)
    ]
    return Dump(
        KIND,
        len(lines),
        tuple(not_understood),
        listen_sockets=tuple(listing.listening),
        tcp_sockets=tuple(listing.sockets),
    )


def _read(listing: _Listing, line: str, number: int) -> bool:
    if _HEADER.match(line):
        listing.has_state = "State" in line
        return True
    socket = _SOCKET.match(line)
    if socket is None:
        return _read_detail(listing, line)
    local, peer = _end_of(socket["local"]), _end_of(socket["peer"])
    if local is None or peer is None or (listing.has_state and not socket["state"]):
        return False
    listing.detailed = False
    if socket["netid"] == "udp" or socket["state"] == "UNCONN":
        return True
    receive, send = int(socket["receive"]), int(socket["send"])
    if socket["state"] == "LISTEN":
        listing.listening.append(ListenSocket(number, *local, receive, send))
        return True
    listing.sockets.append(TcpSocket(number, socket["state"] or "", receive, send, *local, *peer))
    listing.detailed = True
    rest = (socket["rest"] or "").strip()
    if "rto:" in rest:  # `ss -O` prints one line a socket
        return _read_detail(listing, " " + rest)
    return True


def _read_detail(listing: _Listing, line: str) -> bool:
    """The second line of a socket. That of a listening one says nothing that is used."""
    if not line[:1].isspace() or not _DETAIL.match(line):
        return False
    if listing.detailed and listing.sockets:
        metrics, words = _metrics_of(line.split())
        listing.sockets[-1] = replace(listing.sockets[-1], metrics=metrics, words=words)
        listing.detailed = False
        return True
    return bool(listing.listening)


def _metrics_of(items: Sequence[str]) -> tuple[dict[str, float], tuple[str, ...]]:
    metrics: dict[str, float] = {}
    words: list[str] = []
    for item in items:
        name, colon, value = item.partition(":")
        if item.startswith(_PROCESS):
            continue
        if name == "rtt" and "/" in value:
            mean, _, variation = value.partition("/")
            _put(metrics, "rtt", mean)
            _put(metrics, "rttvar", variation)
        elif name == "retrans" and "/" in value:
            now, _, total = value.partition("/")
            _put(metrics, "retrans", now)
            _put(metrics, "retrans_total", total)
        elif colon and _NUMBER.match(item):
            _put(metrics, name, value.rstrip("%").removesuffix("ms").removesuffix("us"))
        else:
            words.append(item)
    return metrics, tuple(words)


def _put(metrics: dict[str, float], name: str, text: str) -> None:
    try:
        metrics[name] = float(text[:32])
    except ValueError:
        return


def _end_of(text: str) -> tuple[str, int] | None:
    """Address and port; ``*`` stays, as does the interface behind ``%`` go."""
    host, _, port_text = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]").partition("%")[0]
    port = 0 if port_text == "*" else whole_number(port_text, largest=65_535)
    address = "*" if host == "*" else canonical_address(host)
    return None if address is None or port is None else (address, port)
