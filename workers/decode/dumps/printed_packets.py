"""Packets as `tcpdump` and `tshark` print them: rebuilt as a capture, of which each frame leads to its line here.

01:11:43.486943 eth0  In  IP 10.0.0.1.41358 > 10.0.0.2.80: Flags [S], seq 345145544, win 64240, length 0
    1   0.000000 10.0.0.1 → 10.0.0.2 TCP 74 41358 → 80 [SYN] Seq=0 Win=64240 Len=0

Which lines are such is decided before the text is split (`printed.marks`); here come only marks in their place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from backend.forensics.dumps import DropEvent, Dump, Neighbor, ProbeSeries
from backend.forensics.dumps.printed import PRINTED_DTYPE, PrintedTable
from workers.decode.dumps.fields import canonical_address
from workers.decode.dumps.formats import share_owned

KIND = "tcpdump-text"
_ECHOES_LEAST: Final = 3
"""Requests; the replies to the last of a text may stand behind its end."""
_ASKED_LEAST: Final = 2
"""A single request at the end of a text may have been answered behind it."""
MARK: Final = "\ufdd4"
"""A noncharacter in place of a line of a packet; the number of its capture behind it where the packet begins."""


def owns_line(line: str) -> bool:
    """The marks."""
    return line.startswith(MARK)


def starts_anew(previous: str, line: str) -> bool:
    """Packets in a row are one listing."""
    return False


def recognise(head: Sequence[str]) -> float:
    """The share of marks."""
    return share_owned(owns_line, head)


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """Where each packet begins."""
    marks = [
        (number, line[1:].split(" "))
        for number, line in enumerate(lines, first_line)
        if len(line) > 1 and owns_line(line)
    ]
    begun = [(number, int(mark[0])) for number, mark in marks]
    strange = tuple(
        number for number, line in enumerate(lines, first_line) if line.strip() and not owns_line(line)
    )
    return Dump(
        KIND,
        len(lines),
        strange,
        printed=PrintedTable(np.array(begun, PRINTED_DTYPE)),
        neighbors=_unanswered(marks),
        probe_series=_without_reply(marks),
        drops=_too_long(marks),
        wrong_tunnel_checksums=tuple(number for number, mark in marks if mark[1:2] == ["x"]),
        mixed_tunnel_checksums=_mixed(marks),
    )


def _unanswered(marks: Sequence[tuple[int, list[str]]]) -> tuple[Neighbor, ...]:
    """Addresses that ARP asked for again and again, and nobody answered: what `ip neigh` would list as INCOMPLETE."""
    asked: dict[str, list[int]] = {}
    answered = {mark[2] for _, mark in marks if len(mark) > 2 and mark[1] == "!"}
    for number, mark in marks:
        if len(mark) > 2 and mark[1] == "?":
            asked.setdefault(mark[2], []).append(number)
    silent = [
        (address, at) for address, at in asked.items() if address not in answered and len(at) >= _ASKED_LEAST
    ]
    return tuple(Neighbor(at[0], address, "", "", "INCOMPLETE") for address, at in silent)


def _too_long(marks: Sequence[tuple[int, list[str]]]) -> tuple[DropEvent, ...]:
    """Packets that a router did not forward because they were longer than the next link's MTU."""
    return tuple(
        DropEvent(
            number, "tcpdump", f"ICMP need to frag (mtu {mark[3] or 'not shown'})", "",
            source=canonical_address(mark[4]) or mark[4], destination=canonical_address(mark[2]) or mark[2],
        )
        for number, mark in marks
        if mark[1:2] == ["f"]
    )  # fmt: skip


def _mixed(marks: Sequence[tuple[int, list[str]]]) -> tuple[int, ...]:
    """Packets with a wrong outer checksum of hosts that also send right ones: a card that fills in checksums leaves
    all of them wrong in the sender's own capture."""
    right = {mark[2] for _, mark in marks if mark[1:2] == ["o"]}
    return tuple(number for number, mark in marks if mark[1:2] == ["x"] and mark[2] in right)


def _without_reply(marks: Sequence[tuple[int, list[str]]]) -> tuple[ProbeSeries, ...]:
    """ICMP echo requests of one capture to which no reply was printed, whatever address translation made of it."""
    asked: dict[tuple[str, str, str, str], list[int]] = {}
    replied: set[tuple[str, str]] = set()
    for number, mark in marks:
        if mark[1:2] == [">"]:
            asked.setdefault((mark[0], mark[2], mark[3], mark[4]), []).append(number)
        elif mark[1:2] == ["<"]:
            replied |= {(mark[0], mark[3]), (mark[0], f"id {mark[4]}")}
    return tuple(
        ProbeSeries(at[0], "tcpdump", "icmp", destination, canonical_address(destination) or "", sent=len(at))
        for (capture, source, destination, identifier), at in asked.items()
        if len(at) >= _ECHOES_LEAST and not {(capture, source), (capture, f"id {identifier}")} & replied
    )
