"""What the states of listed sockets say: who has not closed, who was not answered, what was not acknowledged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from backend.forensics.dumps import TcpSocket
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.evidence.kernel.listed_signs.sign import ListingSign, ReadSigns, shown
from backend.forensics.private_words import of_object
from backend.forensics.wording import plural

_LINES_MOST: Final = 50
_LEFT_OPEN_LEAST: Final = 5
"""Sockets in CLOSE-WAIT: one or two are programs about to close."""
_LEAKED_LEAST: Final = 100
_UNACKNOWLEDGED_LEAST: Final = 3
_UNANSWERED_SURE: Final = 3
_HALF_OPEN_LEAST: Final = 20
_CLOSED_LEAST: Final = 5
_CLOSED_RATIO: Final = 0.5
_UNREAD_BYTES: Final = 65_536
_COUNTED_LEAST: Final = {
    "close_wait": _LEAKED_LEAST,
    "syn_sent": 10,
    "syn_recv": 100,
    "time_wait": 10_000,
    "timewait": 10_000,
}
"""Of sockets counted by state, by the gauge's name: `ss -s` says timewait."""
_MEANING: Final = {
    "close_wait": "their peers have closed, the program here has not",
    "syn_sent": "no SYN-ACK came yet",
    "syn_recv": "the last ACK of the handshake has not come",
    "time_wait": "each holds its port towards one peer; the range of local ports holds 28,232 by default",
    "timewait": "each holds its port towards one peer; the range of local ports holds 28,232 by default",
}
_FINS_SENT: Final = frozenset(("FIN-WAIT-1", "LAST-ACK", "CLOSING"))


def socket_state_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Facts of each listing of sockets."""
    for each in dumps:
        if each.dump.tcp_sockets:
            by_state: dict[str, list[TcpSocket]] = {}
            for socket in each.dump.tcp_sockets:
                by_state.setdefault(socket.state, []).append(socket)
            yield from _left_open(each, by_state.get("CLOSE-WAIT", []))
            yield from _unanswered(each, by_state)
            yield from _unacknowledged(each, by_state)
            yield from _closed(each, by_state.get("TIME-WAIT", []))
            yield from _unread(each, by_state.get("ESTAB", []))


def _left_open(each: DumpInput, sockets: list[TcpSocket]) -> Iterator[ListingSign]:
    if len(sockets) >= _LEFT_OPEN_LEAST:
        yield _sign(
            each, sockets, "left-open", "Sockets that the program has not closed",
            f"{len(sockets):,} sockets are in CLOSE-WAIT ({_most(sockets, peers=False)}): their peers have closed, the "
            "program here has not.",
            "whether it hangs or leaks sockets", "ss -tnp state close-wait   # twice, a minute apart; its threads",
            is_warning=len(sockets) >= _LEAKED_LEAST,
        )  # fmt: skip


def _unanswered(each: DumpInput, by_state: dict[str, list[TcpSocket]]) -> Iterator[ListingSign]:
    sent, half_open = by_state.get("SYN-SENT", []), by_state.get("SYN-RECV", [])
    if sent:
        yield _sign(
            each, sent, "syn-sent", "Connection attempts without an answer",
            f"{plural(len(sent), 'connection attempt waits', 'connection attempts wait')} for a SYN-ACK (SYN-SENT): "
            f"{_most(sent, peers=True)}.",
            "where the SYN or its answer was lost",
            "tcpdump -ni any -w out.pcap 'tcp[tcpflags] & (tcp-syn|tcp-rst) != 0'",
            is_warning=len(sent) >= _UNANSWERED_SURE,
        )  # fmt: skip
    if len(half_open) >= _HALF_OPEN_LEAST:
        yield _sign(
            each, half_open, "syn-recv", "Half-open connections",
            f"{len(half_open):,} connections wait for the last ACK of their handshake (SYN-RECV): "
            f"{_most(half_open, peers=False)}.",
            "whether SYN-ACKs are lost, or nobody meant to connect",
            "nstat -az TcpExtTCPReqQFullDrop TcpExtSyncookiesSent",
        )  # fmt: skip


def _unacknowledged(each: DumpInput, by_state: dict[str, list[TcpSocket]]) -> Iterator[ListingSign]:
    found = [s for state in _FINS_SENT for s in by_state.get(state, []) if s.send_queue]
    if len(found) >= _UNACKNOWLEDGED_LEAST:
        yield _sign(
            each, found, "unacknowledged", "Closed sockets with bytes that nobody acknowledged",
            f"{len(found):,} sockets were closed here with up to {max(s.send_queue for s in found):,} bytes that their "
            f"peers have not acknowledged ({', '.join(sorted({s.state for s in found}))}): {_most(found, peers=True)}.",
            "whether the peer is gone, or does not read", "ss -tino; tcpdump -ni any -w out.pcap host PEER",
        )  # fmt: skip


def _closed(each: DumpInput, sockets: list[TcpSocket]) -> Iterator[ListingSign]:
    listed = len(each.dump.tcp_sockets)
    if len(sockets) >= _CLOSED_LEAST and len(sockets) >= _CLOSED_RATIO * listed:
        yield _sign(
            each, sockets, "time-wait", "Sockets in TIME-WAIT",
            f"{len(sockets):,} of {listed:,} TCP sockets are in TIME-WAIT ({_most(sockets, peers=False)}): this end "
            "closed them first; each holds its ports for a while.",
            "whether local ports run out", "ss -s; sysctl net.ipv4.ip_local_port_range",
        )  # fmt: skip


def _unread(each: DumpInput, sockets: list[TcpSocket]) -> Iterator[ListingSign]:
    found = [socket for socket in sockets if socket.receive_queue >= _UNREAD_BYTES]
    if found:
        yield _sign(
            each, found, "unread", "Received bytes that the program has not read",
            f"{plural(len(found), 'socket holds', 'sockets hold')} up to {max(s.receive_queue for s in found):,} bytes "
            f"that the program has not read (Recv-Q): {_most(found, peers=True)}.",
            "for how long", "ss -tinp   # twice; the threads of that program",
        )  # fmt: skip


def _sign(
    each: DumpInput, sockets: Sequence[TcpSocket], topic: str, title: str, text: str, limits: str, command: str, *,
    is_warning: bool = False,
) -> ListingSign:  # fmt: skip
    lines = tuple((each.input, line) for line in sorted(socket.line for socket in sockets)[:_LINES_MOST])
    return ListingSign(
        topic, "warning" if is_warning else "info", title, text, lines, len(sockets), limits, command
    )


def _most(sockets: Sequence[TcpSocket], *, peers: bool) -> str:
    """The ends that most of them have: the peer's or this host's."""
    ends = Counter((s.peer, s.peer_port) if peers else (s.local, s.local_port) for s in sockets)
    return shown(
        [
            f"{count:,} {'to' if peers else 'of'} {of_object(host)}:{port or '*'}"
            for (host, port), count in ends.most_common()
        ]
    )


def counted_state_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Sockets that were counted by state, where there are many of one that is short with a program that works."""
    for each in dumps:
        if each.dump.kind != "ss-summary":
            continue
        for row in each.dump.gauges:
            for name, value in row.counters.items():
                state = name.removeprefix("tcp_")
                if value >= _COUNTED_LEAST.get(state, value + 1):
                    yield ListingSign(
                        "counted-state", "info", "Many sockets in one state",
                        f"{value:,} TCP sockets are in {_printed(state)}: {_MEANING[state]}.",
                        ((each.input, row.line),), value, "to which peers, and since when",
                        f"ss -tanp state {_printed(state).lower()} | head; ss -s   # twice",
                    )  # fmt: skip


def _printed(state: str) -> str:
    return "TIME-WAIT" if state == "timewait" else state.upper().replace("_", "-")


STATE_SIGNS: Final[tuple[ReadSigns, ...]] = (socket_state_signs, counted_state_signs)
