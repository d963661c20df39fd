"""Stretches of time that no mark touches, and what of a window is left when such stretches are folded away."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from backend.errors import InvalidRequest
from backend.services.cluster_marks import TimelineMark

FOLDS_MOST = 40
WHOLE = ("band", "comb", "bracket")
"""Glyphs that fill their time. The others show their ends only: a ladder spans just the wait that is folded, and
when between two dumps a counter rose nobody knows."""
UNTOUCHED = ("guide",)
"""Drawn for one selection only: whoever draws them cuts the gaps there."""

Stretch = tuple[int, int]
"""From and to in ns after t0."""

_FOLD = re.compile(r"(-?\d{1,16})~(-?\d{1,16})")


@dataclass(frozen=True)
class Span:
    """All data, in ns after t0."""

    from_t: Annotated[int, Field(serialization_alias="from")]
    to_t: Annotated[int, Field(serialization_alias="to")]


@dataclass(frozen=True)
class TimelineGap:
    """Time between two successive marks, or between a mark and the start or end of the data."""

    from_t: Annotated[int, Field(serialization_alias="from")]
    to_t: Annotated[int, Field(serialization_alias="to")]


def gaps_between(
    marks: Iterable[TimelineMark], span: Stretch, window: Stretch, longer_than: int
) -> tuple[TimelineGap, ...]:
    """All gaps longer than that many ns that lie in the window or reach into it, whole; none without a mark."""
    touched = sorted(_touched(marks))
    if not touched:
        return ()
    gaps: list[TimelineGap] = []
    reached = min(span[0], touched[0][0])
    for start, end in [*touched, (max(span[1], reached),) * 2]:
        if start - reached > longer_than and reached < window[1] and start > window[0]:
            gaps.append(TimelineGap(reached, start))
        reached = max(reached, end)
    return tuple(gaps)


def _touched(marks: Iterable[TimelineMark]) -> Iterable[Stretch]:
    for mark in marks:
        if mark.glyph in UNTOUCHED:
            continue
        end = mark.t if mark.t_end is None else mark.t_end
        if mark.glyph in WHOLE:
            yield mark.t, end
        else:
            yield mark.t, mark.t
            yield end, end


def read_folds(text: str) -> tuple[Stretch, ...]:
    """``from~to,from~to`` in ns after t0; raises InvalidRequest."""
    if not text:
        return ()
    found = [_FOLD.fullmatch(part) for part in text.split(",")]
    folds = [(int(each[1]), int(each[2])) for each in found if each is not None]
    if len(folds) < len(found) or any(to_t <= from_t for from_t, to_t in folds):
        raise InvalidRequest(
            "Folds are written from~to,from~to in ns after t0, each end after its beginning."
        )
    if len(folds) > FOLDS_MOST:
        raise InvalidRequest(f"At most {FOLDS_MOST} stretches can be folded.")
    return tuple(folds)


def open_stretches(window: Stretch, folds: Iterable[Stretch]) -> tuple[Stretch, ...]:
    """What of the window lies in no fold, in order; the whole of it where nothing else would be left."""
    left: list[Stretch] = []
    reached = window[0]
    for start, end in sorted(folds):
        if start > reached:
            left.append((reached, min(start, window[1])))
        reached = max(reached, end)
        if reached >= window[1]:
            break
    if reached < window[1]:
        left.append((reached, window[1]))
    return tuple(each for each in left if each[1] > each[0]) or (window,)
