"""Who else was answered: attempts sent again, by destination, beside all that separates a dead host from a silent
port from a full queue.

A destination is an address and a port *as the vantage point furthest out saw it*: behind a virtual service that is the
real server, which may be the only one that is dead. A SYN that was lost before its translation has the address that the
client asked for, and is compared with all that the client's address stands for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.evidence.absence.destination import Destination
from backend.forensics.evidence.absence.life import Heard, Life, find_life
from backend.forensics.evidence.absence.losses import KINDS, Losses
from backend.forensics.evidence.attempts.attempts import Attempts, Endpoint
from backend.forensics.evidence.attempts.icmp_errors import IcmpErrors
from backend.forensics.evidence.attempts.identical_targets import merge_identical
from backend.forensics.evidence.attempts.outer_ends import (
    Ends,
    answered_pairs,
    asked_ends,
    on_any_port,
    outer_ends,
)
from backend.forensics.evidence.attempts.retried import AttemptGroup
from backend.forensics.evidence.attempts.sent_syns import Bools
from backend.forensics.evidence.clocks.matched_packets import mix
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.clocks.sorted_rows import distinct, lexsort, stable_argsort
from backend.forensics.evidence.losses.surroundings import Surroundings, look_around

__all__ = ["Destination", "list_destinations"]

_REPEATED = 2
_SEVERAL = 3
"""Attempts, and SYNs, from which causes weigh silence more."""


@dataclass(frozen=True, eq=False)
class _Groups:
    """Attempts that were sent again, by address, port and silence. Columns run beside one another; the attempts of
    group n are members[start[n] : start[n + 1]]."""

    high: NDArray[np.uint64]
    low: NDArray[np.uint64]
    port: Ints
    silent: Bools
    members: Ints
    start: Ints
    syns: Ints
    around: Surroundings
    heard: tuple[Heard, ...]
    losses: Ints
    """Numbers of losses, attempt by attempt in the order of `members`; those of group n from loss_start[n] on."""
    loss_start: Ints
    source_answered: Bools

    @property
    def attempts(self) -> Ints:
        return np.diff(self.start)


def list_destinations(
    captures: Sequence[Capture],
    attempts: Attempts,
    losses: Losses,
    errors: IcmpErrors,
    listed: Callable[[Endpoint], str | None],
) -> tuple[Destination, ...]:
    """All destinations with attempts that were sent again, by address, port and silence. `listed`: the host whose
    listings show of an endpoint."""
    if not attempts.retried:
        return ()
    outer = outer_ends(attempts)
    asked = asked_ends(attempts.table, outer)
    silent = ~answered_pairs(attempts, outer, (outer, asked))
    known = answered_pairs(attempts, on_any_port(outer), (on_any_port(outer), on_any_port(asked)))
    row = attempts.retried.row
    ends = outer.high[row], outer.low[row], outer.port[row]
    order = lexsort((silent, ends[2], ends[1], ends[0]))
    new = np.append(True, np.any([c[order][1:] != c[order][:-1] for c in (*ends, silent)], axis=0))
    first, start = order[new], np.append(np.flatnonzero(new), len(order))
    high, low, port = (column[first] for column in ends)
    life = find_life(captures, attempts, distinct(low))
    own = np.logical_and.reduceat(_untranslated(ends, asked, row)[order], start[:-1])
    around = look_around(attempts.table["transmissions"] > 1, outer, (high, low, port)).merged(
        look_around(attempts.table["transmissions"] > 1, asked, (high, low, port)), own
    )
    times = attempts.retried.start_ns[order], attempts.retried.last_ns[order]
    heard = _heard(
        life,
        mix(high, low),
        np.minimum.reduceat(times[0], start[:-1]),
        np.maximum.reduceat(times[1], start[:-1]),
    )
    position = np.empty(len(order), np.int64)
    position[order] = np.arange(len(order))
    by_group = stable_argsort(position[losses.attempt])
    loss_start = np.searchsorted(position[losses.attempt][by_group], start)
    syns = np.add.reduceat(attempts.retried.syns[order], start[:-1])
    answered = np.logical_or.reduceat(known[order], start[:-1])
    groups = _Groups(
        high, low, port, silent[first], order, start, syns, around, heard, by_group, loss_start, answered
    )
    traits = [*_traits(groups, attempts, losses, errors), *_answered_traits(groups, listed)]
    merged = merge_identical(traits, groups.silent, groups.attempts)
    return tuple(_destination(groups, numbers, attempts, losses) for numbers in merged)


def _untranslated(ends: tuple[NDArray[np.uint64], NDArray[np.uint64], Ints], asked: Ends, row: Ints) -> Bools:
    same: Bools = (ends[0] == asked.high[row]) & (ends[1] == asked.low[row]) & (ends[2] == asked.port[row])
    return same


def _heard(life: Life, host: NDArray[np.uint64], first_ns: Ints, last_ns: Ints) -> tuple[Heard, ...]:
    """By group: frames of its host near the time of its lost SYNs."""
    heard = [Heard()] * len(host)
    for n in np.flatnonzero(np.isin(host, life.host)).tolist():
        heard[n] = life.near(int(host[n]), int(first_ns[n]), int(last_ns[n]))
    return tuple(heard)


def _traits(
    groups: _Groups, attempts: Attempts, losses: Losses, errors: IcmpErrors
) -> list[NDArray[np.generic]]:
    """What causes distinguish silent destinations by, beside the number of attempts."""
    retried, starts = attempts.retried, groups.start[:-1]
    outcomes_seen = np.zeros(len(retried), np.int64)
    link = errors.link[errors.link >= 0]
    position = retried.position_of_link[link]
    meaning = errors.meaning[errors.link >= 0]
    np.bitwise_or.at(outcomes_seen, position[position >= 0], 1 << meaning[position >= 0])
    total = len(starts)
    group_of_loss = np.repeat(np.arange(total), np.diff(groups.loss_start))
    kinds = np.zeros(total, np.int64)
    place = np.full((2, total), -1, np.int64)
    for number in range(len(KINDS)):
        kinds[group_of_loss[losses.kind[groups.losses] == number]] |= 1 << number
    place[0, group_of_loss], place[1, group_of_loss] = (
        losses.inner[groups.losses],
        losses.outer[groups.losses],
    )
    around = groups.around
    return [
        np.bitwise_or.reduceat(outcomes_seen[groups.members], starts),
        kinds,
        *place,
        groups.attempts >= _REPEATED,
        groups.syns >= _SEVERAL,
        np.array([bool(h.frames) + h.to_neighbors_only for h in groups.heard], np.int64),
        around.opened > 0,
        around.refused > 0,
        around.heard_others > 0,
        groups.source_answered,
    ]


def _answered_traits(groups: _Groups, listed: Callable[[Endpoint], str | None]) -> list[Ints]:
    """Also for those that were answered at other times: the listener, its neighbors, who listed them."""
    around, answered = groups.around, np.flatnonzero(~groups.silent)
    ends = zip(*(c[answered].tolist() for c in (groups.high, groups.low, groups.port)), strict=True)
    hosts = [listed(Endpoint(*end)) or "" for end in ends]
    host, port = np.zeros((2, len(groups.silent)), np.int64)
    host[answered] = np.unique(hosts, return_inverse=True)[1]
    port[answered] = groups.port[answered]
    neighbors = (around.neighbours_answered > 0) + 2 * (around.neighbours_delayed > 0)
    return [host, port, np.where(groups.silent, 0, neighbors)]


def _of_groups(start: Ints, numbers: Ints) -> Ints:
    """start[n] to start[n + 1] of each of these groups, one after the other."""
    count = start[numbers + 1] - start[numbers]
    within: Ints = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    return np.repeat(start[numbers], count) + within


def _destination(groups: _Groups, numbers: Ints, attempts: Attempts, losses: Losses) -> Destination:
    """One group, or several that are alike."""
    first, around = int(numbers[0]), groups.around
    host = int(groups.high[first]), int(groups.low[first])
    positions = groups.members[_of_groups(groups.start, numbers)]
    return Destination(
        endpoint=Endpoint(*host, int(groups.port[first])),
        silent=bool(groups.silent[first]),
        attempts=AttemptGroup(attempts.retried, positions),
        losses=losses.chosen(groups.losses[_of_groups(groups.loss_start, numbers)]),
        tried=int(around.tried[numbers].sum()),
        opened=int(around.opened[numbers].sum()),
        refused=int(around.refused[numbers].sum()),
        neighbours_answered=int(around.neighbours_answered[numbers].max()),
        neighbours_delayed=int(around.neighbours_delayed[numbers].max()),
        life=groups.heard[first].frames,
        heard_after=bool(groups.heard[first].frames),
        heard_by_neighbors_only=groups.heard[first].to_neighbors_only,
        source_answered=bool(groups.source_answered[first]),
        heard_others=int(around.heard_others[numbers].min()),
        hosts=distinct(mix(groups.high[numbers], groups.low[numbers])),
        others=len(numbers) - 1,
        attempts_each=int(groups.attempts[numbers].min()),
        syns_each=int(groups.syns[numbers].min()),
    )
