"""Which answers are late, and which of them came together. Both are judged against the pair's own usual round trip."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.clocks.sorted_rows import lexsort, stable_argsort

LATE_NS: Final = 10_000_000
"""Less than this above the usual round trip is no stall that anybody notices (docs/detection.md)."""
DEVIATIONS: Final = 5.0
"""How many median absolute deviations above the usual round trip an answer is late on a path that jitters."""
TOGETHER_NS: Final = 3_000_000
"""Answers of one group follow one another within this: measured drains of receive queues took 0.1 to 1.3 ms."""
USUAL_PERCENTILE: Final = 20.0
"""The usual round trip: low, so that a fifth of undisturbed samples is enough."""
_WINDOW_ROWS: Final = 256
_WINDOW_NS: Final = 20_000_000_000
"""What is usual is learnt from three windows of at least so many samples and so long a time: routes change."""

_MOVED_ROWS: Final = 12
_MOVED_NS: Final = 2_000_000_000
"""So many samples over so long a time, none of which is as quick as those before: the path became longer. A queue that
fills for so long drains in between, or does not keep its length."""
_MOVED_SPREAD: Final = 0.05
"""Of the new usual round trip: the quickest is no more below it (ratio)."""

Floats = NDArray[np.float64]


def usual(kind: Ints, sent_ns: Ints, rtt_ns: Ints) -> tuple[Ints, Ints]:
    """(usual round trip, how far above it an answer is late) of each sample of one pair, in ns. `kind` shows the
    classes that are judged by themselves; samples in order of sending."""
    base, limit = np.zeros(len(kind), np.int64), np.zeros(len(kind), np.int64)
    for each in np.unique(kind):
        rows = np.flatnonzero(kind == each)
        for begin, end in _windows(sent_ns[rows]):
            around = rtt_ns[rows[max(0, begin - (end - begin)) : end + (end - begin)]]
            deviation = np.median(np.abs(around - np.median(around)))
            base[rows[begin:end]] = int(np.percentile(around, USUAL_PERCENTILE))
            limit[rows[begin:end]] = int(max(LATE_NS, DEVIATIONS * deviation))
        for part in _moved(rows, sent_ns, rtt_ns - base > limit):
            low = int(np.percentile(rtt_ns[part], USUAL_PERCENTILE))
            if low - int(rtt_ns[part].min()) <= _MOVED_SPREAD * low:
                base[part] = low
    return base, limit


def _moved(rows: Ints, sent_ns: Ints, late: NDArray[np.bool_]) -> Iterator[Ints]:
    """Of the samples of one class those before the first that is not late, and those after the last: where they are
    many, the path was longer than in the rest."""
    on_time = np.flatnonzero(~late[rows])
    if not len(on_time):
        return
    for part in (rows[: on_time[0]], rows[on_time[-1] + 1 :]):
        if len(part) >= _MOVED_ROWS and sent_ns[part[-1]] - sent_ns[part[0]] >= _MOVED_NS:
            yield part


def _windows(sent_ns: Ints) -> list[tuple[int, int]]:
    """Ranges of rows, each long enough; the last takes what is left."""
    ranges, begin = [], 0
    while begin < len(sent_ns):
        end = max(begin + _WINDOW_ROWS, int(np.searchsorted(sent_ns, sent_ns[begin] + _WINDOW_NS)))
        if len(sent_ns) - end < _WINDOW_ROWS:
            end = len(sent_ns)
        ranges.append((begin, end))
        begin = end
    return ranges


def together(answered_ns: Ints, late: Ints, gap_ns: int = TOGETHER_NS) -> list[Ints]:
    """The late samples in groups of answers that follow one another within `gap_ns`; positions by time of answer."""
    if not len(late):
        return []
    order = late[stable_argsort(answered_ns[late])]
    cuts = np.flatnonzero(np.diff(answered_ns[order]) > gap_ns) + 1
    return [group for group in np.split(order, cuts) if len(group) > 1]


def late_pairs(
    pair: NDArray[np.uint64], sent_ns: Ints, rtt_ns: Ints, kind: Ints, vantage: Ints
) -> NDArray[np.uint64]:
    """The pairs that have a group at some vantage point. Samples in any order."""
    order = lexsort((sent_ns, vantage, pair))
    pair, vantage = pair[order], vantage[order]
    sent_ns, rtt_ns, kind = sent_ns[order], rtt_ns[order], kind[order]
    new = np.ones(len(pair), np.bool_)
    new[1:] = (pair[1:] != pair[:-1]) | (vantage[1:] != vantage[:-1])
    bounds = np.append(np.flatnonzero(new), len(pair))
    found = [
        pair[a]
        for a, b in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
        if _has_group(kind[a:b], sent_ns[a:b], rtt_ns[a:b])
    ]
    return np.array(found, np.uint64)


def _has_group(kind: Ints, sent_ns: Ints, rtt_ns: Ints) -> bool:
    if np.count_nonzero(rtt_ns > LATE_NS) < 2:
        return False
    base, limit = usual(kind, sent_ns, rtt_ns)
    late = np.flatnonzero(rtt_ns - base > limit)
    return bool(together(sent_ns + rtt_ns, late))
