"""Where SYNs that nobody answered went missing: seen at one vantage point of their route, absent at the next."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from backend.forensics.evidence.attempts.attempts import Attempts
from backend.forensics.evidence.attempts.sent_syns import Bools
from backend.forensics.evidence.clocks.sightings import Ints, Place
from backend.forensics.evidence.clocks.sorted_rows import lexsort

_CELLS_AT_ONCE = 1 << 22
"""Transmissions × vantage points that are compared together."""
_ENDS = (
    "source_high", "source_low", "source_port", "destination_high", "destination_low", "destination_port"
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class LossPlaces:
    """Beside the transmissions: numbers of places. `inner` saw it last; `outer` is the first behind it that should have
    seen it, -1 for none; `alone`: no other place could have. `rewritten`: addresses or ports change between them."""

    inner: Ints
    outer: Ints
    alone: Bools
    rewritten: Bools


def locate(attempts: Attempts, sent: Ints) -> LossPlaces:
    """`sent` are numbers of transmissions (`Retried.sent`)."""
    at_once = max(1, _CELLS_AT_ONCE // max(1, len(attempts.places)))
    parts = [_locate(attempts, sent[at : at + at_once]) for at in range(0, len(sent), at_once)]
    inner, outer, alone = (
        np.concatenate([np.zeros(0, kind), *(part[n] for part in parts)])
        for n, kind in enumerate((np.int64, np.int64, np.bool_))
    )
    return LossPlaces(inner, outer, alone, _rewritten(attempts, sent, inner, outer))


def _locate(attempts: Attempts, sent: Ints) -> tuple[Ints, Ints, Bools]:
    """(inner, outer, alone). Places are columns in path order."""
    everything, places = attempts.retried.sent, attempts.places
    rank = np.array(attempts.order.rank, np.int64)
    column = lexsort((np.arange(len(places)), rank))
    seen = np.zeros((len(sent), len(places)), np.bool_)
    first, count = everything.row_start[sent], np.diff(everything.row_start)[sent]
    of = np.repeat(np.arange(len(sent)), count)
    within = np.arange(len(of)) - np.repeat(np.cumsum(count) - count, count)
    seen[of, attempts.sightings.place[everything.rows[np.repeat(first, count) + within]]] = True
    seen = seen[:, column]
    attempt = everything.attempt[sent]
    expected = (attempts.routes.seen[attempts.routes.of_attempt[attempt]] & _comparable(attempts, attempt))[
        :, column
    ]
    ranks = rank[column]
    furthest = np.where(seen, ranks, -1).max(axis=1)
    inner = column[np.argmax(seen & (ranks == furthest[:, None]), axis=1)]
    missing = expected & ~seen & (ranks > furthest[:, None])
    missing &= _recorded(attempts, everything.time_ns[sent])[:, column]
    outer = np.where(missing.any(axis=1), column[np.argmax(missing, axis=1)], -1)
    return inner, outer, expected.sum(axis=1) < 2


def _comparable(attempts: Attempts, attempt: Ints) -> Bools:
    """[attempt, place]: the place is on the clock of the one that saw the attempt first."""
    group = np.array([attempts.clocks.group[place.capture] for place in attempts.places], np.int64)
    own = group[attempts.sightings.place[attempts.retried.first_row[attempt]]]
    same: Bools = own[:, None] == group[None, :]
    return same


def _recorded(attempts: Attempts, time_ns: Ints) -> Bools:
    """[time, place]: absence counts only inside the time that the vantage point demonstrably recorded."""
    found = np.zeros((len(time_ns), len(attempts.places)), np.bool_)
    for place in attempts.places:
        found[:, place.number] = recorded_at(attempts, place, time_ns)
    return found


def recorded_at(attempts: Attempts, place: Place, time_ns: Ints) -> Bools:
    """Whether a vantage point recorded at each of these times (ns, common clock)."""
    own_ns = attempts.clocks.own_times(place.capture, time_ns)
    inside: Bools = (own_ns >= place.file_ns[0]) & (own_ns <= place.file_ns[1])
    for begin, end in place.point.unrecorded_ns:
        inside &= (own_ns <= begin) | (own_ns >= end)
    return inside


def _rewritten(attempts: Attempts, sent: Ints, inner: Ints, outer: Ints) -> Bools:
    """Whether address or port change between the two vantage points; without an own retry to see, on this route."""
    attempt = attempts.retried.sent.attempt[sent]
    changed = np.zeros(len(sent), np.bool_)
    inside = np.flatnonzero(outer >= 0)
    changed[inside] = attempts.routes.translated[attempts.routes.of_attempt[attempt[inside]]]
    pairs = np.unique(np.stack([inner[inside], outer[inside]], axis=1), axis=0)
    for before, behind in pairs.tolist():
        mine = np.flatnonzero((inner == before) & (outer == behind))
        known, differs = _own_change(attempts, before, behind)
        chosen = mine[known[attempt[mine]]]
        changed[chosen] = differs[attempt[chosen]]
    return changed


def _own_change(attempts: Attempts, before: int, behind: int) -> tuple[Bools, Bools]:
    """By attempt: (one of its SYNs was seen at both places, and the first such has other addresses or ports there)."""
    sent, seen = attempts.retried.sent, attempts.sightings
    row_at = np.full((2, len(sent.time_ns)), -1, np.int64)
    of_row, place = sent.of_row, seen.place[sent.rows]
    for side, number in enumerate((before, behind)):
        at = np.flatnonzero(place == number)
        row_at[side, of_row[at]] = sent.rows[at]
    both = np.flatnonzero((row_at >= 0).all(axis=0))
    owner, first = np.unique(sent.attempt[both], return_index=True)
    rows_before, rows_behind = row_at[:, both[first]]
    known = np.zeros(len(attempts.retried), np.bool_)
    differs = np.zeros(len(attempts.retried), np.bool_)
    known[owner] = True
    for name in _ENDS:
        differs[owner] |= seen.rows[name][rows_before] != seen.rows[name][rows_behind]
    return known, differs
