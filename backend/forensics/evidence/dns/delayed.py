"""Which lookups waited, for how long, and what each resolver is usually like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.connections import NEVER
from backend.forensics.evidence.attempts.attempts import Endpoint
from backend.forensics.evidence.clocks.grouped_rows import GroupedRows, by_value
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.clocks.sorted_rows import lexsort, stable_argsort
from backend.forensics.evidence.dns.exchanges import Exchanges, pair_messages
from backend.forensics.evidence.dns.lookups import NXDOMAIN, Lookups, group_lookups
from backend.forensics.evidence.dns.messages import DnsMessages, load_messages
from backend.forensics.evidence.dns.other_replies import (
    PORT_UNREACHABLE,
    UNDECODED,
    OtherReplies,
    find_other_replies,
)
from backend.forensics.private_words import PrivateWord

LATE_NS = 1_000_000_000
"""docs/detection.md: a lookup is delayed when a query is repeated, unanswered, or answered after this."""
DESCRIBED_MOST = 10_000
"""Delayed lookups listed one by one; all of them are counted."""

Mask = NDArray[np.bool_]
Server = tuple[int, int, int]


@dataclass(frozen=True)
class DelayedLookup:
    """`name` is the one asked for last; `wait_s` from the first query to the last answer, or to the last query where
    none came: at least that. `why` holds ``repeated``, ``unanswered``, ``late``, ``many names``."""

    lookup: int
    name: PrivateWord
    client: str
    server: Endpoint
    place: int
    start_ns: int
    end_ns: int
    wait_s: float
    why: frozenset[str]
    questions: tuple[int, ...]
    names: int
    retries: int
    answered: bool


@dataclass(frozen=True)
class Resolver:
    """All lookups that asked this address first."""

    server: Endpoint
    lookups: int
    questions: int
    answered: int
    retries: int
    expansions: int
    expanded_lookups: int
    name_errors: int
    truncated: int
    usual_s: float | None
    """Median wait of lookups that were not delayed."""
    delayed: tuple[DelayedLookup, ...] = field(default=())
    delayed_total: int = 0
    unsettled: int = 0
    """Lookups whose answer may lie behind the end of the capture, or whose loss may be the capture's own."""


@dataclass(frozen=True)
class Dns:
    """The lookups of all captures; `resolvers` in the order of their addresses."""

    lookups: Lookups
    resolvers: tuple[Resolver, ...]
    replies: OtherReplies
    """Beside `exchanges.rows`: what came where no answer was decoded."""

    @property
    def messages(self) -> DnsMessages:
        return self.lookups.messages

    @property
    def exchanges(self) -> Exchanges:
        return self.lookups.exchanges

    def questions_to(self, server: Endpoint) -> Ints:
        """Rows of `exchanges.rows` that were put to this address, whatever the port, in order."""
        return self._by_host.of(server.high, server.low)

    @cached_property
    def _by_host(self) -> GroupedRows:
        node, sockets = self.exchanges.rows["node"], self.messages.sockets
        return GroupedRows(sockets.server_high[node], sockets.server_low[node])

    def resolver(self, server: str) -> Resolver | None:
        """The resolver with this address and port in text."""
        return next((r for r in self.resolvers if str(r.server) == server), None)


@dataclass(frozen=True)
class _Flags:
    """Beside the questions."""

    repeated: Mask
    unanswered: Mask
    late: Mask
    unsettled: Mask
    undecoded: Mask
    """Answered, by something that could not be decoded."""


def collect_lookups(captures: Sequence[Capture], *, lossy: bool) -> Dns:
    """`lossy`: the captures lost packets, so that a missing answer alone proves nothing."""
    messages = load_messages(captures)
    lookups = group_lookups(messages, pair_messages(messages))
    if not lookups.total:
        return Dns(lookups, (), np.zeros(0, np.int8))
    replies = find_other_replies(captures, messages, lookups.exchanges)
    flags = _flags(lookups, replies, lossy)
    return Dns(lookups, _resolvers(lookups, flags), replies)


def _flags(lookups: Lookups, replies: OtherReplies, lossy: bool) -> _Flags:
    rows, places = lookups.exchanges.rows, lookups.messages.places
    own = ~lookups.leg
    asked_before = _asked_before(lookups)
    repeated = (lookups.repeated | lookups.retry | asked_before) & own
    silent = (rows["answer_ns"] == NEVER) & own
    ends = np.array([p.file_ns[1] for p in places], np.int64) - lookups.exchanges.offsets.of_place
    recorded = ends[rows["place"]] - rows["last_sent_ns"] >= LATE_NS
    talks = _heard(lookups) & (not lossy)
    unanswered = silent & (repeated | asked_before | (recorded & talks))
    undecoded = silent & (replies == UNDECODED)
    unanswered = (unanswered & ~undecoded) | (silent & (replies >= PORT_UNREACHABLE))
    late = ~silent & own & ~repeated & (rows["answer_ns"] - rows["start_ns"] >= LATE_NS)
    return _Flags(repeated, unanswered, late, silent & ~unanswered & ~undecoded, undecoded)


def _asked_before(lookups: Lookups) -> Mask:
    """Questions that were put again on another socket."""
    rows = lookups.exchanges.rows
    found = np.zeros(len(rows), np.bool_)
    order = lexsort((rows["start_ns"], rows["type"], rows["name"], lookups.lookup))
    left, right = order[:-1], order[1:]
    same = (lookups.lookup[left] == lookups.lookup[right]) & (rows["name"][left] == rows["name"][right])
    same &= (rows["type"][left] == rows["type"][right]) & lookups.retry[right]
    found[left[same]] = True
    return found


def _heard(lookups: Lookups) -> Mask:
    """Of each question, whether its resolver answered anything at that vantage point: both directions are recorded."""
    rows, sockets = lookups.exchanges.rows, lookups.messages.sockets
    of = _numbers(sockets.server_high[rows["node"]], sockets.server_low[rows["node"]], rows["place"])
    heard = np.bincount(of, rows["answer_ns"] != NEVER, minlength=int(of.max(initial=-1)) + 1) > 0
    return heard[of]


def _resolvers(lookups: Lookups, flags: _Flags) -> tuple[Resolver, ...]:
    rows, own = lookups.exchanges.rows, ~lookups.leg
    # The first question that the application itself put says whom it asked.
    order = lexsort((rows["start_ns"], lookups.leg, lookups.lookup))
    first = order[np.unique(lookups.lookup[order], return_index=True)[1]]
    server_of, servers = _servers(lookups, first)
    start, end = _spans(lookups, own)
    many = _many_names(lookups, start, end)
    marked = (flags.repeated | flags.unanswered | flags.late) & own
    delayed = _any(lookups, marked) | many
    unsettled = _any(lookups, flags.unsettled) & ~delayed
    usual_lookups = ~delayed & ~unsettled & ~_any(lookups, flags.undecoded) & (end > 0)
    lookups_of = by_value(np.arange(lookups.total), server_of)
    asked = np.flatnonzero(own)
    asked_of = by_value(asked, server_of[lookups.lookup[asked]])
    found = []
    for number, server in enumerate(servers):
        here, mine = lookups_of[number], asked_of[number]
        usual, which = here[usual_lookups[here]], here[delayed[here]]
        which = which[stable_argsort(start[which])]
        described = [_describe(lookups, flags, n, int(first[n])) for n in which[:DESCRIBED_MOST].tolist()]
        found.append(
            Resolver(
                server=server,
                lookups=len(here),
                questions=len(mine),
                answered=int(np.count_nonzero(rows["answer_ns"][mine] != NEVER)),
                retries=_retries(lookups, mine),
                expansions=_names_more(lookups, mine),
                expanded_lookups=len(np.unique(lookups.lookup[mine[lookups.expansion[mine]]])),
                name_errors=int(np.count_nonzero(rows["rcode"][mine] == NXDOMAIN)),
                truncated=int(np.count_nonzero(rows["truncated"][mine] == 1)),
                usual_s=float(np.median(end[usual] - start[usual])) / 1e9 if len(usual) else None,
                delayed=tuple(described),
                delayed_total=len(which),
                unsettled=int(np.count_nonzero(unsettled[here])),
            )
        )
    return tuple(found)


def _servers(lookups: Lookups, first: Ints) -> tuple[Ints, list[Endpoint]]:
    """(number of each lookup's resolver, the resolvers by that number)."""
    node = lookups.exchanges.rows["node"][first]
    sockets = lookups.messages.sockets
    columns = (sockets.server_high[node], sockets.server_low[node], sockets.server_port[node])
    number = _numbers(*columns)
    which = np.unique(number, return_index=True)[1]
    ends = zip(*(column[which].tolist() for column in columns), strict=True)
    return number, [Endpoint(int(high), int(low), int(port)) for high, low, port in ends]


def _numbers(*columns: NDArray[Any]) -> Ints:
    """A number for each combination of values, in their order."""
    order = lexsort(tuple(reversed(columns)))
    new = np.zeros(len(order), np.bool_)
    for column in columns:
        new[1:] |= column[order][1:] != column[order][:-1]
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(new)
    return number


def _any(lookups: Lookups, marked: Mask) -> Mask:
    found = np.zeros(lookups.total, np.bool_)
    found[lookups.lookup[marked]] = True
    return found


def _spans(lookups: Lookups, own: Mask) -> tuple[Ints, Ints]:
    """First query and last answer (last query where none came) of each lookup."""
    rows = lookups.exchanges.rows
    start, end = np.full(lookups.total, np.iinfo(np.int64).max), np.zeros(lookups.total, np.int64)
    np.minimum.at(start, lookups.lookup[own], rows["start_ns"][own])
    np.maximum.at(end, lookups.lookup[own], np.maximum(rows["answer_ns"], rows["last_sent_ns"])[own])
    return start, end


def _many_names(lookups: Lookups, start: Ints, end: Ints) -> Mask:
    """Lookups whose search list alone took that long: the waits for the single names add up to it."""
    found = np.zeros(lookups.total, np.bool_)
    found[lookups.lookup[lookups.expansion]] = True
    rows = lookups.exchanges.rows
    for number in np.flatnonzero(found & (end - start >= LATE_NS)).tolist():
        questions = lookups.questions_of(number)
        questions = questions[~lookups.leg[questions]]
        mine = rows[questions[stable_argsort(rows["name"][questions])]]
        begin = np.flatnonzero(np.diff(mine["name"], prepend=-1))
        last = np.maximum(mine["answer_ns"], mine["last_sent_ns"])
        waits = np.maximum.reduceat(last, begin) - np.minimum.reduceat(mine["start_ns"], begin)
        found[number] = waits.sum() >= LATE_NS
    return found & (end - start >= LATE_NS)


def _retries(lookups: Lookups, questions: Ints) -> int:
    """How often these questions were put again."""
    again = lookups.exchanges.rows["sent"][questions].astype(np.int64) - 1
    return int(again[lookups.repeated[questions]].sum()) + int(np.count_nonzero(lookups.retry[questions]))


def _names_more(lookups: Lookups, mine: Ints) -> int:
    """Names asked for beyond one a lookup."""
    expanded = np.unique(lookups.lookup[mine[lookups.expansion[mine]]])
    chosen = mine[np.isin(lookups.lookup[mine], expanded)]
    names = lookups.lookup[chosen] << 32 | lookups.exchanges.rows["name"][chosen]
    return len(np.unique(names)) - len(expanded)


def _describe(lookups: Lookups, flags: _Flags, number: int, first: int) -> DelayedLookup:
    rows, messages = lookups.exchanges.rows, lookups.messages
    questions = lookups.questions_of(number)
    questions = questions[~lookups.leg[questions]]
    mine = rows[questions]
    answered = mine["answer_ns"] != NEVER
    end_ns = int(max(mine["answer_ns"].max(), mine["last_sent_ns"].max()))
    reasons = {
        "repeated": bool(flags.repeated[questions].any()),
        "unanswered": bool(flags.unanswered[questions].any()),
        "late": bool(flags.late[questions].any()),
    }
    why = frozenset(name for name, true in reasons.items() if true) or frozenset({"many names"})
    node, sockets = int(rows["node"][first]), messages.sockets
    client = Endpoint(int(sockets.client_high[node]), int(sockets.client_low[node]), 0)
    server = Endpoint(
        int(sockets.server_high[node]), int(sockets.server_low[node]), int(sockets.server_port[node])
    )
    return DelayedLookup(
        lookup=number,
        name=PrivateWord(messages.names[int(mine["name"][-1])], "name"),
        client=client.address,
        server=server,
        place=int(rows["place"][first]),
        start_ns=int(mine["start_ns"].min()),
        end_ns=end_ns,
        wait_s=(end_ns - int(mine["start_ns"].min())) / 1e9,
        why=why,
        questions=tuple(questions.tolist()),
        names=len(np.unique(mine["name"])),
        retries=_retries(lookups, questions),
        answered=bool(answered[mine["name"] == mine["name"][-1]].any()),
    )
