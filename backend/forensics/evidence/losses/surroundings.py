"""What surrounds an endpoint: how its other attempts fared, and those to its host's other ports.

Attempts are sorted by host and port once, so that every count is a difference of two sums."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from backend.forensics.evidence.attempts.outer_ends import Ends
from backend.forensics.evidence.attempts.sent_syns import Bools
from backend.forensics.evidence.clocks.matched_packets import mix
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.clocks.sorted_rows import distinct, place_in, stable_order

Words = NDArray[np.uint64]


@dataclass(frozen=True)
class Surroundings:
    """Numbers of attempts beside a list of endpoints: see `Destination`."""

    tried: Ints
    opened: Ints
    refused: Ints
    neighbours_answered: Ints
    neighbours_delayed: Ints
    heard_others: Ints

    def merged(self, other: Surroundings, where: Bools) -> Surroundings:
        """The other's numbers where it holds."""
        names = [field.name for field in fields(self)]
        return Surroundings(*(np.where(where, getattr(other, n), getattr(self, n)) for n in names))


def look_around(again: Bools, ends: Ends, asked: tuple[Words, Words, Ints]) -> Surroundings:
    """`again` shows which attempts were sent again, beside `ends`; `asked` are the endpoints: address halves, port."""
    high, low, port = asked
    near = np.flatnonzero(np.isin(ends.low, distinct(low)))
    host, at_port = mix(ends.high[near], ends.low[near]), ends.port[near]
    order = stable_order(host, (at_port,))
    near, host = near[order], host[order]
    endpoint = _endpoint_key(host, at_port[order])
    answered = ends.opened | ends.refused
    wanted_host = mix(high, low)
    mine = _spans(endpoint, _endpoint_key(wanted_host, port))
    whole = _spans(host, wanted_host)

    def count(column: Bools, span: tuple[Ints, Ints]) -> Ints:
        sums = np.concatenate([[0], np.cumsum(column[near])])
        found: Ints = sums[span[1]] - sums[span[0]]
        return found

    return Surroundings(
        tried=mine[1] - mine[0],
        opened=count(ends.opened, mine),
        refused=count(ends.refused, mine),
        neighbours_answered=count(answered, whole) - count(answered, mine),
        neighbours_delayed=count(answered & again, whole) - count(answered & again, mine),
        heard_others=int(np.count_nonzero(answered)) - count(answered, whole),
    )


def _endpoint_key(host: Words, port: Ints) -> Words:
    return mix(host, port)


def _spans(keys: Words, wanted: Words) -> tuple[Ints, Ints]:
    """Where the run of equal keys begins and ends; equal keys stand together, in no order of their own."""
    starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])) if len(keys) else np.zeros(0, np.int64)
    if not len(starts):
        nothing = np.zeros(len(wanted), np.int64)
        return nothing, nothing
    ends = np.append(starts[1:], len(keys))
    order = np.argsort(keys[starts])
    sorted_keys = keys[starts][order]
    at = order[np.minimum(place_in(sorted_keys, wanted), len(order) - 1)]
    found = keys[starts][at] == wanted
    return np.where(found, starts[at], 0), np.where(found, ends[at], 0)
