"""One question of one socket and what became of it, joined over vantage points.

A resolver library that hears nothing sends the same message again: same socket, same id. NAT may rewrite the socket's
addresses; id, name and type stay (RFC 1035 section 4.1.1), and that is what joins one query's sightings."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from backend.forensics.connections import NEVER
from backend.forensics.evidence.clocks.sightings import Ints, boundaries
from backend.forensics.evidence.clocks.sorted_rows import distinct, lexsort, stable_argsort, taken_records
from backend.forensics.evidence.dns.clocks import Offsets, measure_offsets
from backend.forensics.evidence.dns.messages import DnsMessages

COPY_NS = 50_000_000
"""The same query again within this is the same packet seen twice (a mirror, a bridge and its port): no resolver
library sends again so soon."""
TRIES_MOST = 3
"""Sendings of one id on one socket that are tries of one question; glibc makes `attempts` (2 by default, resolv.conf(5)
bounds it by 5). More is a program that asks again and again with one id."""
ONE_QUESTION_NS = 16_000_000_000
"""Longest pause between two tries: three times glibc's default `timeout` of 5 s, which doubles with each round."""
JOIN_NS = 250_000_000
"""Sightings of one query lie closer together, clocks corrected."""

EXCHANGE_DTYPE = np.dtype(
    [
        ("start_ns", "<i8"),  # first query, on the reference clock
        ("last_sent_ns", "<i8"),
        ("answer_ns", "<i8"),  # first answer after it, NEVER without one
        ("first_again_ns", "<i8"),  # second query, NEVER without one
        ("node", "<i4"),
        ("place", "<i4"),
        ("name", "<i4"),
        ("id", "<u2"),
        ("type", "<u2"),
        ("sent", "<u2"),
        ("answers", "<u2"),
        ("rcode", "u1"),
        ("truncated", "u1"),
        ("over_tcp", "u1"),
    ]
)


@dataclass(frozen=True)
class Exchanges:
    """`rows`: one a question, as the vantage point nearest to the asker saw it. `sightings`: the same at every vantage
    point, `question` their number in `rows`. `message_sighting` beside `DnsMessages.rows`: -1 for what joins nothing.
    Frames are reached through `messages_of`."""

    rows: NDArray[np.void]
    sightings: NDArray[np.void]
    question: Ints
    message_sighting: Ints
    offsets: Offsets
    unasked: int
    """Answers whose question was not seen: it lies before the capture."""
    lag_ns: NDArray[np.float64]
    """By vantage point: by how much less than at the asker's an answer is usually waited for there. What lies further
    on the way waits less."""
    order: Ints
    begin: Ints

    @cached_property
    def _sightings_by_question(self) -> tuple[Ints, Ints]:
        order = stable_argsort(self.question)
        return order, np.searchsorted(self.question[order], np.arange(len(self.rows) + 1))

    def sightings_of(self, question: int) -> NDArray[np.void]:
        """Where a question was seen."""
        order, begin = self._sightings_by_question
        return self.sightings[order[begin[question] : begin[question + 1]]]

    def sightings_at(self, questions: Ints) -> Ints:
        """Positions of the sightings of all these questions, ascending."""
        order, begin = self._sightings_by_question
        first, count = begin[questions], begin[questions + 1] - begin[questions]
        within = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
        return np.sort(order[np.repeat(first, count) + within])

    def messages_of(self, question: int) -> Ints:
        """Positions of the messages of a question in `DnsMessages.rows`, all vantage points."""
        return self.order[self.begin[question] : self.begin[question + 1]]


def pair_messages(messages: DnsMessages) -> Exchanges:
    """Queries with their answers, per vantage point and then over all."""
    rows = messages.rows
    order = _by_socket(rows)
    ordered = taken_records(rows, order)
    number, counts, unasked = _number(ordered)
    sightings = _describe(ordered, number, counts)
    del ordered, counts  # 41 MB of a million messages
    offsets = measure_offsets(sightings, messages.places)
    for name in ("start_ns", "last_sent_ns", "answer_ns", "first_again_ns"):
        known = sightings[name] != NEVER
        sightings[name][known] -= offsets.of_place[sightings["place"][known]]
    question = _join(sightings, messages)
    message_sighting = np.full(len(rows), -1, np.int64)
    message_sighting[order] = number
    waited = np.where(sightings["answer_ns"] != NEVER, sightings["answer_ns"] - sightings["start_ns"], -1)
    lag_ns = _lags(sightings["place"], waited, question, len(messages.places))
    merged = _nearest(sightings, waited, question, offsets, lag_ns)
    of_message = (
        np.where(message_sighting >= 0, question[np.maximum(message_sighting, 0)], -1)
        if len(question)
        else message_sighting
    )
    by_question = stable_argsort(of_message)
    begin = np.searchsorted(of_message[by_question], np.arange(len(merged) + 1))
    return Exchanges(
        merged, sightings, question, message_sighting, offsets, unasked, lag_ns, by_question, begin
    )


def _by_socket(rows: NDArray[np.void]) -> Ints:
    """The order by socket, id, type, name and time."""
    # Three keys instead of seven: each is a sort of all messages. A query sorts before an answer of the same time.
    what = rows["id"].astype(np.int64) << 32 | rows["type"].astype(np.int64) << 8 | rows["over_tcp"]
    where = rows["node"].astype(np.int64) << 32 | rows["name"]
    return lexsort((rows["time_ns"] * 2 + rows["answer"], what, where))


def _number(ordered: NDArray[np.void]) -> tuple[Ints, NDArray[np.bool_], int]:
    """(sighting of each row or -1, rows that are queries and no copies, answers without a query). Rows are sorted by
    socket, id, type, name and time."""
    total = len(ordered)
    everything = np.arange(total)
    keys = [ordered[k] for k in ("node", "id", "type", "name", "over_tcp")]
    new = boundaries(keys, everything)
    chain = np.cumsum(new) - 1
    time = ordered["time_ns"].astype(np.int64)
    query = ordered["answer"] == 0
    gap = np.diff(time, prepend=time[:1])
    before = np.roll(query, 1) & ~new
    query &= ~(query & before & (gap < COPY_NS))
    asked = np.flatnonzero(query)
    if not total or not len(asked):
        return np.full(total, -1, np.int64), query, int(np.count_nonzero(ordered["answer"]))
    pause = np.diff(time[asked], prepend=time[asked[:1]])
    first = np.ones(len(asked), np.bool_)
    first[1:] = chain[asked[1:]] != chain[asked[:-1]]
    tries = np.bincount(chain[asked], minlength=int(chain[-1]) + 1)
    longest = np.zeros(len(tries), np.int64)
    np.maximum.at(longest, chain[asked], np.where(first, 0, pause))
    several = (tries > TRIES_MOST) | (longest > ONE_QUESTION_NS)
    # Of a program that asks for ever, each query after an answer or a long pause is a question of its own.
    answered_before = np.zeros(total, np.bool_)
    answered_before[1:] = (ordered["answer"][:-1] == 1) & ~new[1:]
    begin = np.zeros(total, np.bool_)
    begin[asked] = first | (several[chain[asked]] & (answered_before[asked] | (pause > ONE_QUESTION_NS)))
    number = np.cumsum(begin) - 1
    of_chain = np.full(len(tries), -1, np.int64)
    of_chain[chain[asked[::-1]]] = asked[::-1]
    unasked = (of_chain[chain] < 0) | (everything < of_chain[chain])
    number[unasked] = -1
    return number, query, int(np.count_nonzero(unasked & (ordered["answer"] == 1)))


def _describe(ordered: NDArray[np.void], number: Ints, query: NDArray[np.bool_]) -> NDArray[np.void]:
    """One row a sighting, times still on the capture's own clock."""
    total = int(number.max(initial=-1)) + 1
    found = np.zeros(total, EXCHANGE_DTYPE)
    asked = np.flatnonzero(query & (number >= 0))
    of = number[asked]
    first = asked[_changes(of)]
    for name in ("node", "place", "name", "id", "type", "over_tcp"):
        found[name] = ordered[name][first]
    found["start_ns"] = ordered["time_ns"][first]
    found["last_sent_ns"][of] = ordered["time_ns"][asked]  # the last one stays
    found["sent"] = np.minimum(np.bincount(of, minlength=total), 0xFFFF)
    found["first_again_ns"] = NEVER
    again = found["sent"] > 1
    found["first_again_ns"][again] = ordered["time_ns"][asked[np.searchsorted(of, np.flatnonzero(again)) + 1]]
    found["answer_ns"] = NEVER
    replies = np.flatnonzero((ordered["answer"] == 1) & (number >= 0))
    replies = replies[_changes(number[replies])]
    of = number[replies]
    for name in ("answers", "rcode", "truncated"):
        found[name][of] = ordered[name][replies]
    found["answer_ns"][of] = ordered["time_ns"][replies]
    return found


def _changes(ascending: Ints) -> Ints:
    """Where each number comes first."""
    return np.flatnonzero(np.diff(ascending, prepend=-1))


def _join(sightings: NDArray[np.void], messages: DnsMessages) -> Ints:
    """Number the questions: sightings of equal id, type and name that lie together in time are one, unless several
    sockets of one vantage point claim it."""
    total = len(sightings)
    if not total:
        return np.zeros(0, np.int64)
    keys = [sightings[k] for k in ("id", "type", "name", "over_tcp")]
    order = lexsort((sightings["start_ns"], *reversed(keys)))
    new = boundaries(keys, order)
    start = sightings["start_ns"][order].astype(np.int64)
    end = np.maximum(sightings["last_sent_ns"], sightings["answer_ns"])[order].astype(np.int64)
    # Latest end so far within a group: groups are kept apart by adding their number times the whole span.
    group = np.cumsum(new) - 1
    base, span = int(start.min()), int(end.max() - start.min()) + JOIN_NS + 2
    if (int(group[-1]) + 1) * span < np.iinfo(np.int64).max:
        reach = np.maximum.accumulate(end - base + group * span) - group * span + base
        new[1:] |= start[1:] > reach[:-1] + JOIN_NS
    else:
        new[1:] |= start[1:] > end[:-1] + JOIN_NS
    cluster = np.empty(total, np.int64)
    cluster[order] = np.cumsum(new) - 1
    return _split_by_port(cluster, sightings, messages)


def _split_by_port(cluster: Ints, sightings: NDArray[np.void], messages: DnsMessages) -> Ints:
    """Clusters in which one vantage point saw several client ports are several questions: NAT keeps the port where it
    can, and two askers rarely share it. Not so where it saw one query before and behind the NAT."""
    port = messages.sockets.client_port[sightings["node"]].astype(np.int64)
    spot = cluster * max(1, len(messages.places)) + sightings["place"]
    order = lexsort((port, spot))
    same_spot = spot[order][1:] == spot[order][:-1]
    clash = order[1:][same_spot & (port[order][1:] != port[order][:-1])]
    if not len(clash):
        return cluster
    several = np.flatnonzero(np.isin(spot, spot[clash]))
    apart = several[~_translated_here(several, spot, sightings, messages)]
    mixed = np.isin(cluster, cluster[apart])
    separate = cluster * (1 << 17) + np.where(mixed, port + 1, 0)
    return np.unique(separate, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _translated_here(
    several: Ints, spot: Ints, sightings: NDArray[np.void], messages: DnsMessages
) -> NDArray[np.bool_]:
    """Of these sightings, those whose vantage point saw exactly two of their question, from two addresses: the second
    query right after the first as often as that, and its answer before the first one's. A program answers nobody else's
    query in between."""
    order = several[lexsort((sightings["start_ns"][several], spot[several]))]
    first = np.flatnonzero(np.diff(spot[order], prepend=-1))
    count = np.diff(np.append(first, len(order)))
    begins = first[count == 2]
    outer, inner = order[begins], order[begins + 1]
    one, other = sightings[outer], sightings[inner]
    sockets = messages.sockets
    moved = sockets.client_low[one["node"]] != sockets.client_low[other["node"]]
    gap = other["start_ns"] - one["start_ns"]
    sent_before = (gap > 0) & (gap < COPY_NS) & (other["last_sent_ns"] - one["last_sent_ns"] < COPY_NS)
    silent = (one["answer_ns"] == NEVER) & (other["answer_ns"] == NEVER)
    nested = silent | ((other["answer_ns"] != NEVER) & (other["answer_ns"] < one["answer_ns"]))
    pairs = begins[moved & sent_before & nested & (one["sent"] == other["sent"])]
    found = np.zeros(len(order), np.bool_)
    found[pairs] = found[pairs + 1] = True
    return found[stable_argsort(order)]  # `several` is ascending


def _lags(place: Ints, waited: Ints, question: Ints, places_total: int) -> NDArray[np.float64]:
    lag = np.zeros(places_total)
    if not len(question):
        return lag
    longest = np.full(int(question.max()) + 1, -1, np.int64)
    np.maximum.at(longest, question, waited)
    for number in distinct(place).tolist():
        here = (place == number) & (waited >= 0)
        lag[number] = float(np.median(longest[question[here]] - waited[here])) if here.any() else 0.0
    return lag


def _nearest(
    sightings: NDArray[np.void], waited: Ints, question: Ints, offsets: Offsets, lag_ns: NDArray[np.float64]
) -> NDArray[np.void]:
    """Of each question the sighting nearest to the asker: the earliest, or, where clocks are not sure enough to show,
    the one at the vantage point where answers are usually waited for longest. Further on some tries may be missing."""
    if not len(sightings):
        return sightings
    total = int(question.max()) + 1
    if total == len(sightings):  # each was seen once
        return taken_records(sightings, stable_argsort(question))
    earliest = np.full(total, np.iinfo(np.int64).max)
    np.minimum.at(earliest, question, sightings["start_ns"])
    unsure_ns = 2 * int(offsets.uncertainty.max(initial=0))
    if unsure_ns:
        behind = sightings["start_ns"] - earliest[question] > unsure_ns
        order = lexsort((sightings["start_ns"], lag_ns[sightings["place"]], behind, question))
    else:
        order = lexsort((-waited, sightings["start_ns"], question))
    first = order[np.unique(question[order], return_index=True)[1]]
    return taken_records(sightings, first)
