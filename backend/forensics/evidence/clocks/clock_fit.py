"""How far two clocks are apart, from the times at which both saw the same packets.

A packet on its way takes time, so it is seen later at the far end: the difference of the two clocks' readings is the
offset plus the delay one way and the offset minus the delay the other way. The smallest differences of both ways are
those of packets that waited in no queue; half their sum is the offset, half their difference the delay of the path,
and the true offset lies between them however unlike both ways are (RFC 5905 section 8 uses the same bound)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.forensics.significance import median_slope

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

OUTLIER_RATIO = 0.02
"""Of the differences, so many may belong to packets that were taken for one another."""
BINS = 64
"""Parts of the time in which the smallest difference is looked for, to follow clocks that drift apart."""
LEAST_BINS = 3
ONE_WAY_LEAST = 3
"""Packets of one direction alone: fewer could be a packet and its repetition."""
AGREEMENT = 0.9
"""Share of conversations that must begin on one side for those with one direction to count with them."""
STEADY_NS = 100_000_000
"""Two clocks that contradict themselves by more are not aligned: below half the narrowest window of a join."""
LEAST_DRIFT_NS = 1_000
"""Drift that adds up to less over the whole capture is none."""


@dataclass(frozen=True)
class ClockFit:
    """The second clock minus the first, at `at_ns` of the second."""

    offset_ns: int
    drift: float
    """Seconds per second by which the second clock runs faster."""
    at_ns: int
    delay_ns: int
    """Least time of a packet between the two vantage points, 0 when unknown."""
    uncertainty_ns: int
    """The true offset is no further away, however unlike the two directions are. With packets of one direction only
    this is a lower bound: the whole offset may be delay."""
    contradiction_ns: int
    """By how much the packets of both directions contradict any straight line: a clock that was set."""
    matched: int
    both_directions: bool
    first_ns: int
    last_ns: int
    """Of the second clock: when packets were matched."""

    @property
    def steady(self) -> bool:
        """Whether one straight line describes the two clocks."""
        return self.contradiction_ns <= STEADY_NS

    @property
    def furthest_ns(self) -> int:
        """The largest offset, without its sign, while packets were matched."""
        span = max(self.last_ns - self.at_ns, self.at_ns - self.first_ns)
        ends = (self.offset_ns + self.drift * span, self.offset_ns - self.drift * span)
        return int(max(abs(end) for end in ends))


def fit_clock(time_a_ns: Ints, time_b_ns: Ints, talk: Ints, asks: Bools) -> ClockFit | None:
    """Compare clock b with clock a; arrays hold one matched packet each (see `Matches`). None when too few."""
    ahead, known = _ahead(time_b_ns - time_a_ns, talk, asks)
    if known.any():
        time_a_ns, time_b_ns, ahead = time_a_ns[known], time_b_ns[known], ahead[known]
    both = bool(known.any() and ahead.any() and not ahead.all())
    if not both and len(time_b_ns) < ONE_WAY_LEAST:
        return None
    first, last = int(time_b_ns.min()), int(time_b_ns.max())
    at = first + (last - first) // 2
    base = int(np.median(time_b_ns - time_a_ns))
    since = (time_b_ns - at).astype(np.float64)
    gap = (time_b_ns - time_a_ns - base).astype(np.float64)
    drift = _drift(since, gap, ahead if both else None)
    gap -= drift * since
    low, high = _bounds(gap, ahead) if both else _one_way(gap, base)
    width = low - high
    return ClockFit(
        offset_ns=base + int((low + high) / 2),
        drift=drift,
        at_ns=at,
        delay_ns=max(0, int(width / 2)) if both else 0,
        uncertainty_ns=max(1_000, int(abs(width) / 2)),
        contradiction_ns=max(0, int(-width)),
        matched=len(gap),
        both_directions=both,
        first_ns=first,
        last_ns=last,
    )


def _ahead(gap: Ints, talk: Ints, asks: Bools) -> tuple[Bools, Bools]:
    """(whether a packet went from a to b, whether that is known).

    Of one conversation, packets from a to b show the larger differences: their delay is added, that of the others
    taken off."""
    number = np.unique(talk, return_inverse=True)[1].reshape(-1)
    total = int(number.max()) + 1 if len(number) else 0
    forth = np.full(total, np.iinfo(np.int64).max)
    back = np.full(total, np.iinfo(np.int64).min)
    np.minimum.at(forth, number[asks], gap[asks])
    np.maximum.at(back, number[~asks], gap[~asks])
    timed = np.zeros(total, np.bool_)
    timed[number[asks]] = True
    answered = np.zeros(total, np.bool_)
    answered[number[~asks]] = True
    timed &= answered
    begins_at_a = timed & (forth >= back)
    share = float(begins_at_a[timed].mean()) if timed.any() else 0.5
    if share >= AGREEMENT or share <= 1 - AGREEMENT:
        begins_at_a[~timed] = share >= AGREEMENT
        timed[:] = True
    return asks == begins_at_a[number], timed[number]


def _drift(since: Floats, gap: Floats, ahead: Bools | None) -> float:
    """Slope of the differences over time, by the median of slopes between parts of the time (Theil and Sen)."""
    least = len(gap) if ahead is None else min(np.count_nonzero(ahead), np.count_nonzero(~ahead))
    bins = min(BINS, int(least) // 2)
    if bins < LEAST_BINS:
        return 0.0
    edges = np.quantile(since, np.linspace(0, 1, bins + 1)[1:-1])
    part = np.searchsorted(edges, since, side="right")
    drift = 0.0
    for _ in range(3):
        level = gap - drift * since
        middle = _middles(part, level, ahead, bins)
        found = np.isfinite(middle)
        if np.count_nonzero(found) < LEAST_BINS:
            return 0.0
        centre = np.bincount(part, since, bins)[found] / np.bincount(part, minlength=bins)[found]
        slope = median_slope(middle[found], centre)
        certain = slope.low > 0 or slope.high < 0
        if not certain:
            break
        drift += slope.slope
    return drift if abs(drift) * float(np.ptp(since)) >= LEAST_DRIFT_NS else 0.0


def _middles(part: Ints, level: Floats, ahead: Bools | None, bins: int) -> Floats:
    """Per part of the time: half way between the least difference forth and the largest back, NaN where one of
    them is missing; of one direction the least."""
    low = np.full(bins, np.inf)
    if ahead is None:
        np.minimum.at(low, part, level)
        return np.where(np.isfinite(low), low, np.nan)
    high = np.full(bins, -np.inf)
    np.minimum.at(low, part[ahead], level[ahead])
    np.maximum.at(high, part[~ahead], level[~ahead])
    known = np.isfinite(low) & np.isfinite(high)
    return np.where(known, (np.where(known, low, 0) + np.where(known, high, 0)) / 2, np.nan)


def _bounds(gap: Floats, ahead: Bools) -> tuple[float, float]:
    """(least difference forth, largest back), a few outliers apart."""
    low = np.quantile(gap[ahead], OUTLIER_RATIO, method="lower")
    high = np.quantile(gap[~ahead], 1 - OUTLIER_RATIO, method="higher")
    return float(low), float(high)


def _one_way(gap: Floats, base: int) -> tuple[float, float]:
    """The difference nearest to 0, twice: which way the packets went is not known. Where they spread widely the two
    differ, and say that no one line describes the clocks."""
    least, most = np.quantile(gap, [0.25, 0.75])
    if most - least > STEADY_NS:
        return float(least), float(most)
    quantile, method = (OUTLIER_RATIO, "lower") if base >= 0 else (1 - OUTLIER_RATIO, "higher")
    nearest = float(np.quantile(gap, quantile, method=method))  # type: ignore[call-overload]
    return nearest, nearest
