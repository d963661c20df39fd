"""What the connections of generated captures send, and to whom."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.int64]

SYN, SYN_ACK, ACK, DATA, FIN, RESET, REFUSAL = 0x02, 0x12, 0x10, 0x18, 0x11, 0x04, 0x14
_SERVERS: Final = 40
_AT_A_TIME: Final = 20
"""Services that connections go to by turns, so that those of one service begin within a few seconds."""


class Step(NamedTuple):
    """One packet."""

    from_client: bool
    flags: int
    payload: int
    gap_us: int
    """Since the packet before."""
    again: bool = False
    """The sender's last segment once more."""


def _few_servers(number: Values) -> Values:
    return 0x0A500001 + number // 60000 * 13 + number % _SERVERS


def _one_server_each(number: Values) -> Values:
    return 0x0A500001 + number


def _services(number: Values) -> Values:
    """A hundred connections to each."""
    return 0x0AA00001 + number // (100 * _AT_A_TIME) * _AT_A_TIME + number % _AT_A_TIME


def _clients(number: Values) -> Values:
    return 0x0A2A0000 | (number * 7919 % 250 + 2)


def _one_client_each(number: Values) -> Values:
    return 0x64400001 + number


@dataclass(frozen=True, eq=False)
class Script:
    """What one connection sends, in order. Jitter is added to each gap, at most `jitter` times the gap."""

    steps: tuple[Step, ...]
    server: Callable[[Values], Values] = _few_servers
    client: Callable[[Values], Values] = _clients
    udp: bool = False
    jitter: int = 400
    one_flow: bool = False
    """All numbers are stretches of one connection, one after the other."""
    wrapped: str = ""
    """``vlan``, ``vxlan``: what the frames travel in."""


def _steps(*steps: tuple[bool, int, int, int]) -> tuple[Step, ...]:
    return tuple(Step(*step) for step in steps)


_OPEN: Final = _steps((True, SYN, 0, 0), (False, SYN_ACK, 0, 300), (True, ACK, 0, 20))
_REQUESTS: Final = _steps(
    (True, DATA, 220, 50), (False, ACK, 0, 290), (False, DATA, 1000, 2000), (False, DATA, 120, 5),
    (True, ACK, 0, 310), (True, DATA, 180, 9000), (False, DATA, 300, 1800), (True, ACK, 0, 280),
    (True, DATA, 140, 4000), (False, DATA, 120, 1500), (True, ACK, 0, 290),
)  # fmt: skip
_CLOSE: Final = _steps((True, FIN, 0, 3000), (False, FIN, 0, 400), (True, ACK, 0, 30))
_LOST: Final = _steps((True, SYN, 0, 0), (True, SYN, 0, 1_000_000))
# Thirteen packets, so that 10 M packets are 770,000 connections; the same when the first SYN was lost.
_BRIEF: Final = (*_OPEN, *_REQUESTS[:7], *_CLOSE)
_BRIEF_RETRIED: Final = (*_LOST, *_OPEN[1:], *_BRIEF[3:])
_BRIEF_LATE: Final = (*_OPEN, _REQUESTS[0], Step(False, ACK, 0, 200_000), *_REQUESTS[2:7], *_CLOSE)
# Ten exchanges on one connection, and one lookup.
REQUEST: Final = b"GET /api/v1/items/%06d HTTP/1.1\r\nHost: shop.example\r\nAccept: */*\r\n\r\n" % 1
RESPONSE: Final = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 64\r\n\r\n" + b"x" * 64
_EXCHANGE: Final = _steps((True, DATA, len(REQUEST), 2000), (False, DATA, len(RESPONSE), 1500))
_NAME: Final = b"\x08svc-0000\x07default\x03svc\x07cluster\x05local\x00"
QUESTION: Final = _NAME + b"\0\1\0\1"  # type A, class IN
ANSWER: Final = b"\xc0\x0c\0\1\0\1\0\0\0\x1e\0\4\x0a\x60\0\1"
_LOOKUP: Final = _steps((True, 0, 12 + len(QUESTION), 0), (False, 0, 12 + len(QUESTION + ANSWER), 400))
_SENT: Final = _steps((True, DATA, 1000, 500), (False, ACK, 0, 300))
_SENT_AGAIN: Final = (_SENT[0], Step(True, DATA, 1000, 250_000, again=True), _SENT[1])
_EXCHANGED: Final = _steps(
    (True, 0, 1200, 0), (False, 0, 1200, 900), (True, 0, 80, 200), (False, 0, 1000, 700)
)

LONG: Final = Script((*_OPEN, *_REQUESTS, *_REQUESTS, *_REQUESTS, *_CLOSE))
SHORT: Final = Script(_BRIEF)
RETRIED: Final = Script(_BRIEF_RETRIED)
SCAN: Final = Script((*_LOST, Step(True, SYN, 0, 2_000_000)), _one_server_each)
HTTP: Final = Script((*_OPEN, *(_EXCHANGE * 10), *_CLOSE))
DNS: Final = Script(_LOOKUP, udp=True)
# One exchange, another ten seconds later, and no end.
OPEN: Final = Script((
    *_OPEN,
    *_steps((True, DATA, 180, 50), (False, DATA, 300, 1800), (True, ACK, 0, 280)),
    *_steps((True, DATA, 140, 10_000_000), (False, ACK, 0, 290)),
))  # fmt: skip
SERVICE: Final = Script(_BRIEF, _services)
SERVICE_RETRIED: Final = Script(_BRIEF_RETRIED, _services)
SERVICE_LATE: Final = Script(_BRIEF_LATE, _services)
LOSSES: Final = Script((*_OPEN, *((*(_SENT * 9), *_SENT_AGAIN, *(_SENT * 10)) * 4), *_CLOSE), _services)
REFUSED: Final = Script((_OPEN[0], Step(False, REFUSAL, 0, 300)), _services)
RESET_BY_SERVER: Final = Script((*_OPEN, *_REQUESTS[:2], Step(False, RESET, 0, 5000)), _services)
RESET_BY_CLIENT: Final = Script((*_OPEN, *_REQUESTS[:5], Step(True, RESET, 0, 5000)), _services)
HOSTS: Final = Script(_BRIEF, _one_server_each, _one_client_each)
HOSTS_RETRIED: Final = Script(_BRIEF_RETRIED, _one_server_each, _one_client_each)
QUIC: Final = Script((*_EXCHANGED, *_EXCHANGED, *_EXCHANGED), _services, udp=True)
_STRETCH: Final = (*_steps((True, DATA, 1400, 60), (True, DATA, 1400, 60), (False, ACK, 0, 60)) * 6,)
ELEPHANT: Final = Script(_STRETCH, jitter=0, one_flow=True)
IN_VLAN: Final = Script(_BRIEF, _services, wrapped="vlan")
IN_VXLAN: Final = Script(_BRIEF, _services, wrapped="vxlan")
IN_VXLAN_RETRIED: Final = Script(_BRIEF_RETRIED, _services, wrapped="vxlan")

Played = list[tuple[Values, Script]]


def _shared(*shares: tuple[int, Script]) -> Callable[[Values], Played]:
    """Each script plays so many of every hundred (or whatever the sum is) connections, spread evenly over them all."""
    whole = sum(share for share, _ in shares)

    def play(number: Values) -> Played:
        # Multiplied by a prime, so that neighbors are of different kinds and no service has but one kind.
        kind, begin, played = (number + number // whole) * 7919 % whole, 0, []
        for share, script in shares:
            played.append((number[(begin <= kind) & (kind < begin + share)], script))
            begin += share
        return played

    return play


def _short(number: Values) -> Played:
    """One connection of 200 lost its first SYN."""
    retried = number % 200 == 100
    return [(number[~retried], SHORT), (number[retried], RETRIED)]


def _mixed(number: Values) -> Played:
    """Of 20 connections 14 are short, three scan, two ask over HTTP, one is a lookup: something for every page."""
    kind = number % 20
    return [
        *_short(number[kind < 14]),
        (number[(kind >= 14) & (kind < 17)], SCAN),
        (number[(kind >= 17) & (kind < 19)], HTTP),
        (number[kind == 19], DNS),
    ]


TRAFFIC: Final[dict[str, Callable[[Values], Played]]] = {
    "long": _shared((1, LONG)),
    "short": _short,
    "scan": _shared((1, SCAN)),
    "dns": _shared((1, DNS)),
    "http": _shared((1, HTTP)),
    "open": _shared((1, OPEN)),
    "mixed": _mixed,
    "services": _shared((98, SERVICE), (1, SERVICE_RETRIED), (1, SERVICE_LATE)),
    "losses": _shared((99, LOSSES), (1, SERVICE_RETRIED)),
    "resets": _shared((40, REFUSED), (30, RESET_BY_SERVER), (20, RESET_BY_CLIENT), (9, SERVICE), (1, SERVICE_RETRIED)),
    "tunnels": _shared((33, SERVICE), (33, IN_VLAN), (33, IN_VXLAN), (1, IN_VXLAN_RETRIED)),
    "quic": _shared((1, QUIC)),
    "elephant": _shared((1, ELEPHANT)),
    "hosts": _shared((99, HOSTS), (1, HOSTS_RETRIED)),
    "everything": _shared(
        (20, SERVICE), (2, SERVICE_RETRIED), (1, SERVICE_LATE), (2, LOSSES), (5, REFUSED), (5, RESET_BY_SERVER),
        (5, RESET_BY_CLIENT), (5, SCAN), (9, HOSTS), (1, HOSTS_RETRIED), (10, QUIC), (10, DNS), (5, HTTP),
        (10, IN_VLAN), (9, IN_VXLAN), (1, IN_VXLAN_RETRIED),
    ),
}  # fmt: skip
"""What connections do: 39 packets each, 13 packets each with some SYNs lost, three SYNs each that nobody answers, every
one to an address of its own; a lookup and its answer; ten HTTP exchanges; eight packets each and no end; a mixture of
those that end.

Then, to services of which each has a hundred connections: 1 % of the SYNs lost and 1 % of the answers late; 1 of 40
data segments of long connections sent again; refusals and resets; a third in VLANs and a third in VXLAN; QUIC. One
connection with all the packets; a client and a server of its own for each connection; and all of these at once."""


def shortest(traffic: str) -> int:
    """Packets of the shortest script of this kind of traffic."""
    return min(len(script.steps) for _, script in TRAFFIC[traffic](np.arange(1)))
