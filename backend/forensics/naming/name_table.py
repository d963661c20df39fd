"""A table of addresses with names and the time during which each is true.

Of one address the holders are in the order of time: each has it until its own end, or until the next one has it. Before
the first nobody is known. Where two holders begin at the same moment, or two without a time differ, neither is named.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from backend.forensics.dumps import AddressName

FOREVER: Final = 1 << 62
_RANKS: Final = {"node": 0, "service": 0, "pod": 0, "container": 1, "host": 2, "dns": 3}
"""What the cluster itself states comes before what others call it."""


@dataclass(frozen=True)
class SourcedName:
    """A name with the input that states it."""

    input: str
    named: AddressName
    in_frames: bool = False
    """Whether `named.line` is the number of a frame."""


@dataclass(frozen=True)
class Interval:
    """Between `from_ns` and before `until_ns` the address is this one's."""

    from_ns: int
    until_ns: int
    name: SourcedName


class NameTable:
    """Names of addresses by time; a lookup is a search by halves in the address's own intervals."""

    def __init__(self, names: Iterable[SourcedName]) -> None:
        grouped: dict[str, list[SourcedName]] = {}
        for each in names:
            grouped.setdefault(each.named.address, []).append(each)
        self._layers = {address: _layers(group) for address, group in grouped.items()}

    def __len__(self) -> int:
        return len(self._layers)

    def __contains__(self, address: str) -> bool:
        return address in self._layers

    def name_at(self, address: str, time_ns: int) -> SourcedName | None:
        """Who had the address (in its shortest form) then; None where nobody is known."""
        for layer in self._layers.get(address, ()):
            found = layer.at(time_ns)
            if found is not None:
                return found.name
        return None

    def intervals(self, address: str, first_ns: int, last_ns: int) -> list[Interval]:
        """All that touch the time, none over another, the earliest first."""
        free = [(first_ns, last_ns + 1)]
        found: list[Interval] = []
        for layer in self._layers.get(address, ()):
            taken = [part for span in free for part in layer.within(*span)]
            found += taken
            free = _without(free, taken)
        return sorted(found, key=lambda each: each.from_ns)


@dataclass(frozen=True)
class _Layer:
    """The intervals of one rank, none over another."""

    intervals: Sequence[Interval]
    begins: Sequence[int]

    def at(self, time_ns: int) -> Interval | None:
        place = bisect_right(self.begins, time_ns) - 1
        found = self.intervals[place] if place >= 0 else None
        return found if found is not None and time_ns < found.until_ns else None

    def within(self, begin: int, end: int) -> list[Interval]:
        cut = (
            replace(each, from_ns=max(each.from_ns, begin), until_ns=min(each.until_ns, end))
            for each in self.intervals
        )
        return [each for each in cut if each.from_ns < each.until_ns]


def _layers(group: Sequence[SourcedName]) -> list[_Layer]:
    ranks = sorted({_RANKS[each.named.sort] for each in group})
    return [_layer([each for each in group if _RANKS[each.named.sort] == rank]) for rank in ranks]


def _layer(group: Sequence[SourcedName]) -> _Layer:
    dated = [each for each in group if each.named.from_ns is not None]
    # An object that states its time makes lists without a time superfluous: they may be of another day.
    intervals = _in_order(dated) if dated else _without_time(group)
    return _Layer(intervals, [each.from_ns for each in intervals])


def _without_time(group: Sequence[SourcedName]) -> list[Interval]:
    nodes = [each for each in group if each.named.sort == "node"]
    chosen = nodes or list(group)
    if len({each.named.name for each in chosen}) > 1:
        return []
    ends = [each.named.until_ns for each in chosen]
    return [Interval(0, min(FOREVER if end is None else end for end in ends), chosen[0])]


def _in_order(group: Sequence[SourcedName]) -> list[Interval]:
    by_begin: dict[int, dict[str, list[SourcedName]]] = {}
    for each in group:
        by_begin.setdefault(each.named.from_ns or 0, {}).setdefault(each.named.name, []).append(each)
    begins = sorted(by_begin)
    found: list[Interval] = []
    for begin, following in zip(begins, [*begins[1:], FOREVER], strict=True):
        holders = list(by_begin[begin].values())
        if len(holders) > 1:
            continue
        # Several listings of one object: an end that one of them knows is its end.
        end = min(FOREVER if each.named.until_ns is None else each.named.until_ns for each in holders[0])
        end = min(end, following)
        if begin < end:
            found.append(Interval(begin, end, holders[0][0]))
    return found


def _without(free: Sequence[tuple[int, int]], taken: Sequence[Interval]) -> list[tuple[int, int]]:
    left: list[tuple[int, int]] = []
    for begin, end in free:
        at = begin
        for each in sorted(taken, key=lambda one: one.from_ns):
            if begin <= each.from_ns < end:
                if at < each.from_ns:
                    left.append((at, each.from_ns))
                at = max(at, each.until_ns)
        if at < end:
            left.append((at, end))
    return left
