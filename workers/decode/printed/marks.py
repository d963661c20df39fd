"""A text with marks in place of its printed packets, so that whoever splits it into listings passes them by."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

from workers.decode.dumps.printed_packets import MARK
from workers.decode.printed.lines import LONGEST, Grouper, capture_number, may_hold_packets

_HELD_LINES = 4_096
_SIGN_BYTES: Final = 8
"""Longer than any sign of a packet: one may lie across two blocks."""
_MARK_BYTES: Final = MARK.encode()
_TUNNEL = re.compile(
    r"(?P<source>\S{1,255}) > \S{1,255}: \[(?P<found>bad udp cksum|udp sum ok)[^]]{0,60}\] (?:VXLAN|OTV|Geneve)"
)
_ASKED = re.compile(r"who-has (?P<address>[\d.]{7,15})\b")
_NEED_FRAG = re.compile(
    r" > (?P<to>\S{1,255}): ICMP (?P<target>\S{1,255}) unreachable - need to frag(?: \(mtu (?P<mtu>\d{2,5})\))?"
)
_ECHO = re.compile(
    r"(?P<source>\S{1,255}) > (?P<destination>\S{1,255}): ICMP6?,? echo (?P<what>request|reply)"
    r"(?:, id (?P<id>\d{1,5}))?"
)
_ANSWERED = re.compile(r"Reply (?P<address>[\d.]{7,15}) is-at (?P<link>[0-9a-fA-F:]{11,17})")


def with_marks(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The text (UTF-8) with a mark in place of every line of a printed packet. What comes before the first block that
    may hold one is passed by unread, but for the last lines before that, which may name program and interface."""
    given = iter(blocks)
    before = next(given, b"")
    found = may_hold_packets(before)
    while not found and (block := next(given, None)) is not None:
        found = may_hold_packets(before[-_SIGN_BYTES:] + block)
        # Whole lines, and not the last ones: a packet may have begun in them.
        end = 0 if found else before.rfind(b"\n", 0, max(len(before) - LONGEST, 0)) + 1
        yield _without_marks(before[:end])
        before = before[end:] + block
    if found:
        yield from _marked_from(chain((before,), given))
    else:
        yield _without_marks(before)


def _without_marks(text: bytes) -> bytes:
    # One byte is found at the speed of memory.
    return text.replace(_MARK_BYTES, b"\xef\xbf\xbd") if _MARK_BYTES[:1] in text else text


def _marked_from(blocks: Iterable[bytes]) -> Iterator[bytes]:
    held: list[str] = []
    grouper = Grouper()
    done = 0
    starts: dict[int, str] = {}
    for packet in grouper.packets(_held(_lines(blocks), held)):
        starts[packet.number - 1 - done] = f"{capture_number(packet.section)}{_resolved(packet.whole)}"
        if len(held) < _HELD_LINES:
            continue
        # The packet that is being read may go on: its line waits.
        ready = packet.number - 1 + packet.lines - done
        out = _marked(held[:ready], grouper.understood[done : done + ready], starts)
        yield ("\n".join(out) + "\n").encode("utf-8", "surrogateescape")
        del held[:ready]
        done += ready
        starts.clear()
    yield "\n".join(_marked(held, grouper.understood[done:], starts)).encode("utf-8", "surrogateescape")


def _resolved(text: str) -> str:
    """What a packet of ARP or an ICMP echo asks or answers, or that a tunnel's checksum is wrong, to stand behind its
    mark."""
    if "udp " in text and (tunnel := _TUNNEL.search(text)) is not None:
        return f" {'x' if tunnel['found'].startswith('bad') else 'o'} {tunnel['source'].rpartition('.')[0]}"
    if "need to frag" in text and (error := _NEED_FRAG.search(text)) is not None:
        return f" f {error['target']} {error['mtu'] or ''} {error['to']}"
    if " echo re" in text and (echo := _ECHO.search(text)) is not None:
        sign = ">" if echo["what"] == "request" else "<"
        return f" {sign} {echo['source']} {echo['destination']} {echo['id'] or ''}"
    if "ARP, " not in text[:200]:
        return ""
    asked, answered = _ASKED.search(text), _ANSWERED.search(text)
    if asked is not None:
        return f" ? {asked['address']}"
    return f" ! {answered['address']} {answered['link']}" if answered is not None else ""


def _marked(lines: Sequence[str], understood: bytearray, starts: dict[int, str]) -> list[str]:
    return [
        (f"{MARK}{starts[index]}" if index in starts else MARK)
        if known
        else line.replace(MARK, "\ufffd")
        if MARK in line
        else line
        for index, (line, known) in enumerate(zip(lines, understood, strict=False))
    ]


def _held(lines: Iterator[str], held: list[str]) -> Iterator[str]:
    for line in lines:
        held.append(line)
        yield line


def _lines(blocks: Iterable[bytes]) -> Iterator[str]:
    """Lines of blocks, as they are: what is no UTF-8 stays for who reads it."""
    rest = b""
    for block in blocks:
        *whole, rest = (rest + block).split(b"\n")
        for line in whole:
            yield line.decode("utf-8", "surrogateescape")
    yield rest.decode("utf-8", "surrogateescape")
