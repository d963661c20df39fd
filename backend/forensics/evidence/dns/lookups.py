"""Lookups: the questions that belong to one call of an application.

A and AAAA (and HTTPS) asked together, tries on other sockets, the names that a search list makes, and the question
repeated over TCP after a truncated answer. What a resolver asks its own resolver meanwhile is a leg of the same
lookup."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from backend.forensics.components import connected
from backend.forensics.connections import NEVER
from backend.forensics.evidence.clocks.sightings import Ints, boundaries
from backend.forensics.evidence.clocks.sorted_rows import lexsort, taken
from backend.forensics.evidence.dns.exchanges import ONE_QUESTION_NS, Exchanges
from backend.forensics.evidence.dns.messages import DnsMessages
from backend.forensics.evidence.dns.names import SearchedNames

Mask = NDArray[np.bool_]

A, AAAA, HTTPS = 1, 28, 65
NXDOMAIN, SERVFAIL = 3, 2
AFTER_NS = 500_000_000
"""Within this of an answer a program goes on with what the answer made it ask next."""
RETRY_FROM_NS = 700_000_000
"""A try on a new socket comes no sooner: the shortest time-out of a stub resolver is 1 s; less is another caller."""
RETRY_TO_NS = 6_000_000_000
"""A question that was answered and is asked again with the same id and socket within this was asked by somebody who
did not get the answer: glibc and Go wait for 5 s."""


@dataclass(frozen=True)
class Lookups:
    """Beside `exchanges.rows`: `lookup` (its number), `leg` (asked by the resolver, not by the application), `retry`
    (the same question was asked before in this lookup), `expansion` (a search list's next name), `settled_ns` (answer,
    or how long it may still be waited for)."""

    messages: DnsMessages
    exchanges: Exchanges
    lookup: Ints
    leg: Mask
    retry: Mask
    repeated: Mask
    expansion: Mask
    total: int

    @cached_property
    def order(self) -> Ints:
        """Questions by lookup and time."""
        return lexsort((self.exchanges.rows["start_ns"], self.lookup))

    @cached_property
    def begin(self) -> Ints:
        """Where each lookup begins in `order`."""
        return np.searchsorted(self.lookup[self.order], np.arange(self.total + 1))

    def questions_of(self, lookup: int) -> Ints:
        """Questions of a lookup by time, legs included."""
        return self.order[self.begin[lookup] : self.begin[lookup + 1]]


@dataclass(frozen=True)
class _Asked:
    """What the edges are drawn from, one entry a question."""

    client: Ints
    label: Ints
    open_until: Ints
    rows: NDArray[np.void]


def group_lookups(messages: DnsMessages, exchanges: Exchanges) -> Lookups:
    """Join the questions by edges between neighbours; every step is a sort."""
    rows = exchanges.rows
    asked = _Asked(
        _numbered(messages.sockets.client_high, messages.sockets.client_low, rows["node"]),
        _labels(messages.names)[rows["name"]] if len(rows) else np.zeros(0, np.int64),
        np.where(rows["answer_ns"] != NEVER, rows["answer_ns"], rows["last_sent_ns"] + ONE_QUESTION_NS),
        rows,
    )
    pairs = _pair_types(asked)
    partner_open = _partner_open(asked, pairs)
    again, truncated = _again(asked, partner_open)
    expansions = _expansions(asked, messages.names)
    legs = _legs(messages, exchanges, asked)
    edges = np.concatenate([pairs, again, truncated, expansions, legs])
    total = len(rows)
    labels = connected(edges[:, 0], edges[:, 1], total)
    lookup = np.unique(labels, return_inverse=True)[1].reshape(-1).astype(np.int64)
    marks = {name: np.zeros(total, np.bool_) for name in ("leg", "retry", "expansion")}
    marks["leg"][legs[:, 1]] = True
    marks["retry"][again[:, 1]] = True
    marks["expansion"][expansions[:, 1]] = True
    repeated = _repeated(asked, partner_open)
    found = int(lookup.max(initial=-1)) + 1
    return Lookups(
        messages, exchanges, lookup, marks["leg"], marks["retry"], repeated, marks["expansion"], found
    )


def _numbered(high: NDArray[np.uint64], low: NDArray[np.uint64], node: Ints) -> Ints:
    """A number for each address."""
    if not len(node):
        return np.zeros(0, np.int64)
    order = lexsort((low[node], high[node]))
    new = np.zeros(len(node), np.bool_)
    for column in (high[node][order], low[node][order]):
        new[1:] |= column[1:] != column[:-1]
    number = np.empty(len(node), np.int64)
    number[order] = np.cumsum(new)
    return number


def _labels(names: tuple[str, ...]) -> Ints:
    """A number for the first label of each name."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(n.partition(".")[0], len(numbers)) for n in names], np.int64)


def _edges(left: Ints, right: Ints) -> Ints:
    return np.stack([left, right], axis=1).reshape(-1, 2)


def _pair_types(asked: _Asked) -> Ints:
    """AAAA and HTTPS with the A that was asked with them: on one socket first, then of one asker."""
    paired = np.zeros(len(asked.rows), np.bool_)
    found = []
    for group in (asked.rows["node"].astype(np.int64), asked.client):
        for kind in (AAAA, HTTPS):
            left, right = _nearest_pairs(asked, group, kind, paired)
            found.append(_edges(left, right))
            if kind == AAAA:
                paired[left] = paired[right] = True
    return np.concatenate(found)


def _nearest_pairs(asked: _Asked, group: Ints, kind: int, paired: Mask) -> tuple[Ints, Ints]:
    """Each A with the `kind` that is nearest in time, where that is mutual and either was open when the other came."""
    rows = asked.rows
    of_kind = rows["type"] == kind
    partners = np.zeros(int(rows["name"].max(initial=0)) + 1, np.bool_)
    partners[rows["name"][of_kind]] = True
    chosen = np.flatnonzero((((rows["type"] == A) & partners[rows["name"]]) | of_kind) & ~paired)
    if not len(chosen):
        return chosen, chosen
    order = chosen[lexsort((rows["start_ns"][chosen], rows["name"][chosen], group[chosen]))]
    start = rows["start_ns"][order].astype(np.int64)
    is_a = rows["type"][order] == A
    same = np.zeros(len(order), np.bool_)
    same[1:] = (group[order][1:] == group[order][:-1]) & (rows["name"][order][1:] == rows["name"][order][:-1])
    meet = np.zeros(len(order), np.bool_)
    meet[1:] = same[1:] & (is_a[1:] != is_a[:-1])
    meet[1:] &= start[1:] <= asked.open_until[order][:-1] + AFTER_NS
    gap = np.where(meet, np.diff(start, prepend=start[0]), np.iinfo(np.int64).max)
    following = np.append(gap[1:], np.iinfo(np.int64).max)
    previous = np.concatenate([[np.iinfo(np.int64).max], gap[:-1]])
    # A pair with its left neighbour, unless that neighbour or this one is nearer to its other side; of equals the left.
    mutual = meet & (gap <= following) & (gap < previous)
    at = np.flatnonzero(mutual)
    left, right = order[at - 1], order[at]
    swap = rows["type"][left] != A
    return np.where(swap, right, left), np.where(swap, left, right)


def _partner_open(asked: _Asked, pairs: Ints) -> Ints:
    """Until when the question asked together with each one was open; 0 without one."""
    until = np.zeros(len(asked.rows), np.int64)
    np.maximum.at(until, pairs[:, 0], asked.open_until[pairs[:, 1]])
    np.maximum.at(until, pairs[:, 1], asked.open_until[pairs[:, 0]])
    return until


def _again(asked: _Asked, partner_open: Ints) -> tuple[Ints, Ints]:
    """(the same question on another socket or with another id after it stayed unanswered, and over TCP)."""
    rows = asked.rows
    several = np.flatnonzero(np.bincount(rows["name"])[rows["name"]] > 1)
    keys = asked.client, rows["name"], rows["type"]
    order = several[lexsort((rows["start_ns"][several], *(key[several] for key in reversed(keys))))]
    left, right = order[:-1], order[1:]
    same = ~boundaries(keys, order)[1:]
    start, was_open = taken(rows["start_ns"], right), taken(asked.open_until, left)
    pause = start - taken(rows["last_sent_ns"], left)
    near = same & (pause >= RETRY_FROM_NS) & (pause <= ONE_QUESTION_NS)
    numbers = taken(rows["id"], order)
    same_id = numbers[:-1] == numbers[1:]
    # glibc asks both again when one of the two stayed unanswered, with the ids that they had.
    for_partner = same_id & (start <= partner_open[left])
    # A library that sends again on its socket makes no new question for it: a new id is a new lookup then.
    once = taken(rows["sent"], order) == 1
    fresh = near & ~same_id & (start <= was_open) & once[:-1] & once[1:]
    again = near & same_id & ((start <= was_open) | for_partner)
    again |= _every_second(fresh)
    over_tcp = same & (taken(rows["truncated"], left) == 1) & (taken(rows["over_tcp"], right) == 1)
    answer_ns = taken(rows["answer_ns"], left)
    over_tcp &= (answer_ns != NEVER) & (start - answer_ns <= AFTER_NS)
    return _edges(left[again], right[again]), _edges(left[over_tcp], right[over_tcp])


def _every_second(joins: Mask) -> Mask:
    """Of a run of questions with ids of their own, each unanswered, two and two are tries of one lookup: Go and Chrome
    try twice (resolv.conf(5), `attempts`)."""
    place = np.arange(len(joins))
    begin = np.maximum.accumulate(np.where(joins, -1, place))
    odd: Mask = (place - begin) % 2 == 1
    return joins & odd


def _expansions(asked: _Asked, names: tuple[str, ...]) -> Ints:
    """From a question that found nothing to the next name of the search list."""
    rows = asked.rows
    chosen = np.flatnonzero(_of_several(rows["name"], asked.label)[asked.label])
    order = chosen[lexsort((rows["start_ns"][chosen], asked.label[chosen], asked.client[chosen]))]
    left, right = order[:-1], order[1:]
    same = (asked.client[left] == asked.client[right]) & (asked.label[left] == asked.label[right])
    same &= rows["name"][left] != rows["name"][right]
    silent = rows["answer_ns"][left] == NEVER
    nothing = np.isin(rows["rcode"][left], (NXDOMAIN, SERVFAIL)) | (
        (rows["rcode"][left] == 0) & (rows["answers"][left] == 0)
    )
    start = rows["start_ns"][right]
    soon = ~silent & nothing & (start - rows["answer_ns"][left] <= AFTER_NS)
    gave_up = silent & (start <= asked.open_until[left])
    at = np.flatnonzero(same & (soon | gave_up))
    left, right = left[at], right[at]
    if not len(at):
        return _edges(left, right)
    pairs, of = np.unique(
        rows["name"][left].astype(np.int64) << 32 | rows["name"][right], return_inverse=True
    )
    searched = SearchedNames(names)
    related = np.array(
        [searched.tries_of_one(names[p >> 32], names[p & 0xFFFFFFFF]) for p in pairs.tolist()], np.bool_
    )
    keep = related[of.reshape(-1)]
    return _edges(left[keep], right[keep])


def _of_several(names: Ints, labels: Ints) -> Mask:
    """By label: whether several of the names begin with it."""
    total = int(labels.max(initial=-1)) + 1
    one, several = np.zeros(total, np.int64), np.zeros(total, np.bool_)
    one[labels] = names
    several[labels[names != one[labels]]] = True
    return several


def _legs(messages: DnsMessages, exchanges: Exchanges, asked: _Asked) -> Ints:
    """From a question to the one that its resolver passed on while it was open."""
    rows, sockets = asked.rows, messages.sockets
    none = np.zeros((0, 2), np.int64)
    seen = exchanges.sightings
    served = np.unique(sockets.server_low[seen["node"]])
    by_resolver = np.isin(sockets.client_low[rows["node"]], served)
    if not by_resolver.any() or by_resolver.all():
        return none
    order = lexsort((rows["start_ns"], rows["type"], rows["name"]))
    last = np.maximum.accumulate(np.where(by_resolver[order], -1, np.arange(len(order))))
    at = np.flatnonzero(by_resolver[order] & (last >= 0))
    left, right = order[last[at]], order[at]
    same = (rows["name"][left] == rows["name"][right]) & (rows["type"][left] == rows["type"][right])
    same &= rows["start_ns"][right] <= asked.open_until[left]
    return _edges(left[same], right[same])


def _repeated(asked: _Asked, partner_open: Ints) -> Mask:
    """Sent again on its socket because something was missing; a question that was answered and is put again much
    later is asked anew."""
    rows = asked.rows
    again = rows["sent"] > 1
    answered_before = (rows["answer_ns"] != NEVER) & (rows["answer_ns"] < rows["first_again_ns"])
    pause = rows["first_again_ns"] - rows["start_ns"]
    waited = (pause >= RETRY_FROM_NS) & (pause <= RETRY_TO_NS)
    repeated: Mask = again & (~answered_before | (rows["first_again_ns"] <= partner_open) | waited)
    return repeated
