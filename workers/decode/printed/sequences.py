"""Relative sequence numbers made absolute, connection by connection, as tcpdump (print-tcp.c) made them relative.

The first packet of a connection that carries an ACK, and every SYN-ACK, is printed with absolute numbers; later ones
relative to it. A SYN without ACK, and everything with `-S`, is absolute. tshark prints all of them relative."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_M: Final = 0xFFFFFFFF
_NEAR: Final = 1 << 24
"""Further apart than this, two numbers are not of one printed connection (64 windows of 64 KiB scaled by 4)."""
_SMALL: Final = 1 << 22
"""A number below this at the beginning is relative: an initial one is so small in one of a thousand connections."""

SYN: Final = 0x02
ACK: Final = 0x10

Tuple = tuple[str, str]
"""Source and destination with their ports, as printed."""


@dataclass(slots=True)
class _Side:
    base: int = 0
    known: bool = False
    following: int = 0
    """The sequence number after all that this side is known to have sent."""
    absolute: bool | None = None
    """Whether its numbers are printed as they are (`-S`); None before one of them shows it."""


@dataclass(slots=True)
class _Pair:
    sides: dict[str, _Side]
    begun: bool = False


class Sequences:
    """State of every connection of one section."""

    def __init__(self) -> None:
        self._pairs: dict[Tuple, _Pair] = {}

    def sides(self, source: str, destination: str) -> tuple[_Pair, _Side, _Side]:
        """The connection, who sends, who receives."""
        key = (source, destination) if source < destination else (destination, source)
        pair = self._pairs.get(key)
        if pair is None:
            pair = self._pairs[key] = _Pair({source: _Side(), destination: _Side()})
        return pair, pair.sides[source], pair.sides[destination]

    def absolute(
        self, source: str, destination: str, flags: int, seq: int | None, ack: int | None, length: int
    ) -> tuple[int, int, int]:
        """(sequence, acknowledgement, base of the numbers that the receiver's SACK blocks are relative to) of a packet.
        `seq` is None where the text does not show it: then the packet continues what was sent before."""
        pair, mine, theirs = self.sides(source, destination)
        if not flags & ACK or ack is None:
            made = self._before(mine, flags, seq)
        elif flags & SYN or not pair.begun:
            self._begin(pair, mine, theirs, seq, ack, bool(flags & SYN))
            made = mine.following if seq is None else seq if seq == mine.base else _settled(mine, seq)
        else:
            made = mine.following if seq is None else _settled(mine, seq)
        acknowledged = 0
        if ack is not None:
            acknowledged = ack if ack == theirs.base + 1 & _M else _settled(theirs, ack)
        after = made + length + (1 if flags & 0x03 else 0) & _M
        if not mine.known or (after - mine.following) & _M < 1 << 31:
            mine.following = after
        return made, acknowledged, theirs.base

    def _before(self, mine: _Side, flags: int, seq: int | None) -> int:
        """A SYN, or an RST without ACK: absolute, unless it is small where a large one is known."""
        if seq is None:
            return mine.following
        if flags & SYN:
            mine.base, mine.known, mine.following = seq, True, seq
            return seq
        return _settled(mine, seq)

    def _begin(
        self, pair: _Pair, mine: _Side, theirs: _Side, seq: int | None, ack: int, is_syn: bool
    ) -> None:
        pair.begun = True
        if ack < _SMALL and (seq is None or seq < _SMALL) and not is_syn:
            return  # relative already: what came before is not in the text
        theirs.base, theirs.known = ack - 1 & _M, True
        if seq is not None:
            mine.base, mine.known = seq, True
            mine.following = seq


def _settled(side: _Side, number: int) -> int:
    """A printed number as absolute: relative to the side's base, unless the first one after it is near the base."""
    if side.absolute is None and side.base >= _NEAR:
        side.absolute = number >= _NEAR and _distance(number, side.base) < _NEAR
    return number & _M if side.absolute else side.base + number & _M


def _distance(one: int, other: int) -> int:
    apart = one - other & _M
    return min(apart, (1 << 32) - apart)
