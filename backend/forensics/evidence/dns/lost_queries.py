"""Where the queries that stayed unanswered were last seen, and what was asked beside them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from backend.forensics.connections import NEVER
from backend.forensics.evidence.attempts.delays import Frame
from backend.forensics.evidence.clocks.sightings import Ints, Place
from backend.forensics.evidence.clocks.sorted_rows import lexsort, stable_argsort
from backend.forensics.evidence.dns.delayed import DelayedLookup, Dns, Resolver
from backend.forensics.evidence.dns.exchanges import COPY_NS, JOIN_NS
from backend.forensics.evidence.dns.other_replies import PORT_UNREACHABLE, UNDECODED
from backend.forensics.private_words import PrivateWord

Where = Literal["inside", "reached", "return", "unknown"]
USUALLY = 0.95
"""Share of answered queries that other vantage points saw, from which on one that they did not see is missing."""
USUALLY_OF_LEAST = 3


@dataclass(frozen=True)
class LostQuery:
    """One query without a DNS answer to itself. `where`: ``inside`` (seen at `inner`, absent at `outer` where
    others pass), ``reached`` (`outer` saw it, no answer came from there), ``return`` (`outer` saw its answer), or
    ``unknown``. `pair_ns`: time to the other query that was open on the same socket, None without one."""

    lookup: int
    question: int
    time_ns: int
    name: PrivateWord
    type: int
    where: Where
    inner: Place
    outer: tuple[Place, ...]
    pair_ns: int | None
    pair_answered: bool
    second_of_pair: bool
    passed_again: bool
    """The same question was answered when it was put again."""
    turned_away: bool
    """An ICMP error answered it: it was not lost."""
    frames: tuple[Frame, ...]
    pair_frames: tuple[Frame, ...]


@dataclass(frozen=True)
class _Sending:
    """One query put on the wire, at the vantage point nearest to the asker."""

    question: int
    time_ns: int
    until_ns: int
    answered_ns: int | None
    frames: tuple[Frame, ...]
    reached: tuple[int, ...]
    answered_at: tuple[int, ...]


def find_lost_queries(dns: Dns, resolver: Resolver) -> list[LostQuery]:
    """Of the delayed lookups of this resolver, by time."""
    usual = _usual_ends(dns, resolver)
    lost: list[LostQuery] = []
    for lookup in resolver.delayed:
        if lookup.why & {"repeated", "unanswered"}:
            lost.extend(_of_lookup(dns, lookup, usual))
    return sorted(lost, key=lambda q: (q.time_ns, q.question))


def _of_lookup(dns: Dns, lookup: DelayedLookup, usual: tuple[int, ...]) -> list[LostQuery]:
    sendings = _Sendings(dns, lookup.questions)
    places, lost = dns.messages.places, []
    for sending in sendings.all:
        reply = int(dns.replies[sending.question])
        if sending.answered_ns is not None or reply == UNDECODED:
            continue
        row = dns.exchanges.rows[sending.question]
        pair = sendings.pair(sending)
        ends = (_deepest(dns, pair.reached),) if pair is not None and pair.reached else usual
        where, outer = _where(sending, ends)
        outer = (_deepest(dns, outer),) if where in ("reached", "return") else outer
        inner = (
            _deepest(dns, (int(row["place"]), *sending.reached)) if where == "inside" else int(row["place"])
        )
        lost.append(
            LostQuery(
                lookup=lookup.lookup,
                question=sending.question,
                time_ns=sending.time_ns,
                name=PrivateWord(dns.messages.names[int(row["name"])], "name"),
                type=int(row["type"]),
                where=where,
                inner=places[inner],
                outer=tuple(places[p] for p in outer),
                pair_ns=abs(pair.time_ns - sending.time_ns) if pair is not None else None,
                pair_answered=pair is not None and pair.answered_ns is not None,
                second_of_pair=pair is not None and pair.time_ns < sending.time_ns,
                passed_again=sendings.passed_after(sending),
                turned_away=reply >= PORT_UNREACHABLE,
                frames=sending.frames,
                pair_frames=pair.frames if pair is not None else (),
            )
        )
    return lost


class _Sendings:
    """All queries of one lookup. Sorted once: a lookup of a program that never gives up has very many."""

    def __init__(self, dns: Dns, questions: Sequence[int]) -> None:
        self.all = [sending for question in questions for sending in _sendings(dns, question)]
        self._rows = {q: dns.exchanges.rows[q] for q in questions}
        self._of_node: dict[int, list[_Sending]] = {}
        self._passed_ns: dict[tuple[int, int], int] = {}
        for sending in sorted(self.all, key=lambda s: s.time_ns):
            row = self._rows[sending.question]
            self._of_node.setdefault(int(row["node"]), []).append(sending)
            if sending.answered_ns is not None:
                self._passed_ns[int(row["name"]), int(row["type"])] = sending.time_ns

    def passed_after(self, sending: _Sending) -> bool:
        """Whether the same question was put later, and answered."""
        row = self._rows[sending.question]
        return self._passed_ns.get((int(row["name"]), int(row["type"])), sending.time_ns) > sending.time_ns

    def pair(self, sending: _Sending) -> _Sending | None:
        """The other query of the same socket that was open when this one was sent, or sent while this one was new."""
        row = self._rows[sending.question]
        near = self._of_node[int(row["node"])]
        first = bisect_right(near, sending.time_ns - COPY_NS, key=lambda s: s.time_ns)
        last = bisect_left(near, sending.time_ns + COPY_NS, key=lambda s: s.time_ns)
        pairs = [
            other
            for other in near[first:last]
            if other.question != sending.question
            and self._rows[other.question]["type"] != row["type"]
            and (
                other.time_ns > sending.time_ns
                or other.answered_ns is None
                or other.answered_ns > sending.time_ns
            )
        ]
        return min(pairs, key=lambda other: abs(other.time_ns - sending.time_ns), default=None)


def _where(sending: _Sending, ends: Sequence[int]) -> tuple[Where, tuple[int, ...]]:
    """`ends`: vantage points one of which every query to that resolver comes to."""
    if sending.answered_at:
        return "return", sending.answered_at
    if set(ends).intersection(sending.reached) or (sending.reached and not ends):
        return "reached", sending.reached
    return ("inside", tuple(ends)) if ends else ("unknown", ())


def _deepest(dns: Dns, places: Sequence[int]) -> int:
    """The one that lies furthest from the asker."""
    return max(places, key=lambda p: (dns.exchanges.lag_ns[p], p))


def _sendings(dns: Dns, question: int) -> list[_Sending]:
    """The queries of one question, each with what the other vantage points saw of it."""
    at = dns.exchanges.messages_of(question)
    row, rows = dns.exchanges.rows[question], dns.messages.rows[at]
    time = rows["time_ns"] - dns.exchanges.offsets.of_place[rows["place"]]
    order = stable_argsort(time)
    at, rows, time = at[order], rows[order], time[order]
    near = (rows["node"] == row["node"]) & (rows["place"] == row["place"])
    asked = time[near & (rows["answer"] == 0)]
    asked = asked[np.concatenate([[True], np.diff(asked) >= COPY_NS])]
    until = np.append(asked[1:], np.iinfo(np.int64).max)
    slack = np.minimum(JOIN_NS, (until - asked) // 2)
    begin, end = np.searchsorted(time, asked - slack), np.searchsorted(time, until - slack)
    found = []
    for number, sent_ns in enumerate(asked.tolist()):
        here = slice(int(begin[number]), int(end[number]))
        answer = rows["answer"][here] == 1
        replies = time[here][answer & near[here] & (time[here] >= sent_ns)]
        found.append(
            _Sending(
                question,
                sent_ns,
                int(until[number]),
                int(replies[0]) if len(replies) else None,
                _frames(dns, np.sort(at[here][~answer])),
                _others(rows["place"][here][~answer], int(row["place"])),
                _others(rows["place"][here][answer], int(row["place"])),
            )
        )
    return found


def _frames(dns: Dns, at: Ints) -> tuple[Frame, ...]:
    rows, places = dns.messages.rows[at], dns.messages.places
    return tuple((places[int(r["place"])].input, int(r["frame"])) for r in rows)


def _others(places: Ints, own: int) -> tuple[int, ...]:
    return tuple(p for p in np.unique(places).tolist() if p != own)


def _usual_ends(dns: Dns, resolver: Resolver) -> tuple[int, ...]:
    """The vantage points furthest from the askers at which answered queries to this resolver were seen, if nearly every
    one of them was seen beyond the first."""
    exchanges, sockets = dns.exchanges, dns.messages.sockets
    rows, server = exchanges.rows, resolver.server
    mine = dns.questions_to(server)
    mine = mine[(rows["answer_ns"][mine] != NEVER) & (sockets.server_port[rows["node"][mine]] == server.port)]
    total, seen = len(mine), exchanges.sightings["place"]
    at = exchanges.sightings_at(mine)
    elsewhere = at[seen[at] != rows["place"][exchanges.question[at]]]
    question = exchanges.question[elsewhere]
    order = elsewhere[lexsort((-exchanges.lag_ns[seen[elsewhere]], question))]
    deepest = seen[order[np.unique(exchanges.question[order], return_index=True)[1]]]
    if total < USUALLY_OF_LEAST or len(deepest) < USUALLY * total:
        return ()
    places, counts = np.unique(deepest, return_counts=True)
    return tuple(places[counts > (1 - USUALLY) * total].tolist())


def lookup_frames(dns: Dns, lookup: DelayedLookup) -> list[Frame]:
    """All messages of a lookup, every vantage point."""
    return [frame for q in lookup.questions for frame in _frames(dns, dns.exchanges.messages_of(q))]
