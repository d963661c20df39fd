"""Held groups of one pair of hosts put together to what happened: intervals in which a queue did not move."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from backend.forensics.addresses import address_text
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.round_trips.far_side import FarSide, FarView
from backend.forensics.evidence.round_trips.held_groups import HeldGroup
from backend.forensics.evidence.round_trips.queue_signs import QueueLimits, filled
from backend.forensics.evidence.round_trips.round_trips import RoundTrips, pair_keys

OVERLAP = 0.5
"""Two groups of one pair that share so much of the shorter are one stall (ratio): several queues, or a drain with a
pause in it."""


@dataclass(frozen=True)
class HeldInterval:
    """One interval of one pair in one direction. `groups` are usually one; `signs` are those of a queue that filled."""

    groups: tuple[HeldGroup, ...]
    views: tuple[FarView, ...]
    signs: tuple[str, ...]

    @property
    def start_ns(self) -> int:
        """When the first held question was sent, by the clock of the vantage point nearest to the prober."""
        return min(group.start_ns for group in self.groups)

    @property
    def end_ns(self) -> int:
        """When the last held answer came."""
        return max(group.end_ns for group in self.groups)

    @property
    def longest_ns(self) -> int:
        """The longest wait: what a round trip took above the usual."""
        return max(int(group.series.excess_ns[group.held].max()) for group in self.groups)

    @property
    def samples(self) -> int:
        return sum(len(group.held) for group in self.groups)

    @property
    def rows(self) -> Ints:
        """Positions of the held samples in `RoundTrips.rows`, by time of sending."""
        return np.sort(np.concatenate([group.rows for group in self.groups]))

    @property
    def part(self) -> str:
        """Of the views, what the most samples show; "" where nothing was seen a second time."""
        signs_of: dict[str, int] = {}
        for view in self.views:
            signs_of[view.part] = signs_of.get(view.part, 0) + view.seen
        return max(sorted(signs_of), key=lambda part: signs_of[part]) if signs_of else ""


@dataclass(frozen=True)
class HeldPair:
    """All intervals of one ordered pair of hosts in one capture."""

    prober: str
    responder: str
    capture: int
    key: int
    reverse_key: int
    intervals: tuple[HeldInterval, ...]


def held_pairs(
    trips: RoundTrips,
    groups: Iterable[HeldGroup],
    far: FarSide,
    *,
    is_held: Callable[[HeldGroup], bool],
    limits: QueueLimits,
) -> list[HeldPair]:
    """The groups that `is_held` accepts, by pair; overlapping ones are one interval."""
    by_series: dict[tuple[int, int], list[HeldGroup]] = {}
    for group in groups:
        if is_held(group):
            at = int(group.series.rows[0])
            by_series.setdefault((int(trips.pair[at]), int(trips.capture[at])), []).append(group)
    pairs = []
    for (key, capture), members in sorted(by_series.items(), key=lambda item: item[1][0].start_ns):
        views = [far.view(group) for group in members]
        signs_of = filled(members, views, limits)
        first = trips.rows[members[0].series.rows[:1]]
        prober, responder = (
            address_text(int(first[f"{end}_high"][0]), int(first[f"{end}_low"][0]))
            for end in ("prober", "responder")
        )
        source = trips.sources[capture]
        pairs.append(
            HeldPair(
                "the prober" if source.printed else prober,
                source.target or responder,
                capture,
                key,
                int(pair_keys(first, reverse=True)[0]),
                _intervals(members, views, signs_of),
            )
        )
    return pairs


def _intervals(
    groups: Sequence[HeldGroup], views: Sequence[FarView | None], signs_of: Sequence[tuple[str, ...]]
) -> tuple[HeldInterval, ...]:
    merged: list[list[int]] = []
    for number, group in enumerate(groups):
        before = merged[-1] if merged else []
        if before and _overlap(_span(groups, before), (group.start_ns, group.end_ns)) >= OVERLAP:
            before.append(number)
        else:
            merged.append([number])
    return tuple(
        HeldInterval(
            tuple(groups[n] for n in numbers),
            tuple(view for n in numbers if (view := views[n]) is not None),
            tuple(dict.fromkeys(sign for n in numbers for sign in signs_of[n])),
        )
        for numbers in merged
    )


def _span(groups: Sequence[HeldGroup], numbers: Sequence[int]) -> tuple[int, int]:
    return min(groups[n].start_ns for n in numbers), max(groups[n].end_ns for n in numbers)


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> float:
    """What two intervals share, over the shorter."""
    shared = min(one[1], other[1]) - max(one[0], other[0])
    return max(0, shared) / max(1, min(one[1] - one[0], other[1] - other[0]))


def without_mirrored(pairs: Sequence[HeldPair]) -> list[HeldPair]:
    """Each stall once: what holds up answers from B to A holds up questions from B to A, too. Where both were seen,
    by captures of both ends, the side with more held samples keeps it."""
    by_key = {pair.key: pair for pair in pairs}
    kept = []
    for pair in pairs:
        mirror = by_key.get(pair.reverse_key)
        intervals = tuple(i for i in pair.intervals if mirror is None or not _better_seen(i, pair, mirror))
        if intervals:
            kept.append(
                HeldPair(pair.prober, pair.responder, pair.capture, pair.key, pair.reverse_key, intervals)
            )
    return kept


def _better_seen(interval: HeldInterval, pair: HeldPair, mirror: HeldPair) -> bool:
    if mirror.capture == pair.capture:
        return False  # at one vantage point the two ways are different ones
    return any(
        _overlap((interval.start_ns, interval.end_ns), (other.start_ns, other.end_ns)) >= OVERLAP
        and (other.samples, mirror.key) > (interval.samples, pair.key)
        for other in mirror.intervals
    )
