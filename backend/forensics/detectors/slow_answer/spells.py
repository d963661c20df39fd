"""A time in which nearly every answer was late, between times in which nearly none was."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.forensics.detectors.slow_answer.thresholds import Thresholds


@dataclass(frozen=True)
class Spell:
    """Requests `first` to `last` (both included) by start, `late` of them late. `by_chance`: how many such spells the
    same answers would give if each were late for itself."""

    first: int
    last: int
    late: int
    by_chance: float

    @property
    def requests(self) -> int:
        return self.last - self.first + 1


def find_spell(late: NDArray[np.bool_], thresholds: Thresholds) -> Spell | None:
    """The heaviest spell that holds the limits, of answers in order of their requests; None without one."""
    found = _heaviest(late, thresholds.spell_ratio)
    if found is None:
        return None
    first, last = found
    inside, total = int(late[first : last + 1].sum()), int(late.sum())
    outside, late_outside = len(late) - (last - first + 1), total - inside
    if inside < thresholds.spell_late or outside - late_outside < thresholds.quick_least:
        return None
    if late_outside > thresholds.quick_late_ratio * outside:
        return None
    by_chance = _by_chance(len(late), total, last - first + 1, inside)
    return Spell(first, last, inside, by_chance) if by_chance <= thresholds.by_chance else None


def _heaviest(late: NDArray[np.bool_], ratio: float) -> tuple[int, int] | None:
    """The run of requests with the largest sum, where a late one counts 1 and another takes away so much that a run of
    less than `ratio` late ones sums up to less than nothing (Kadane's algorithm)."""
    if not late.any():
        return None
    score = np.where(late, 1.0, -ratio / (1.0 - ratio)) if ratio < 1 else np.where(late, 1.0, -np.inf)
    best, found, sum_, first = 0.0, None, 0.0, 0
    for n, each in enumerate(score.tolist()):
        if sum_ <= 0:
            sum_, first = 0.0, n
        sum_ += each
        if sum_ > best:
            best, found = sum_, (first, n)
    return found


def _by_chance(total: int, late_total: int, run: int, late: int) -> float:
    """Expected number of runs of `run` requests with so many late ones, were the late ones spread at random."""
    from scipy.stats import hypergeom  # half a second to import, needed only where a spell was found

    return float((total - run + 1) * hypergeom.sf(late - 1, total, late_total, run))
