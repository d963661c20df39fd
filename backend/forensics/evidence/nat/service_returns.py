"""SYNs to a service that come back to their own sender, and SYN-ACKs that come from an address nobody asked.

Everything is done on the handshake rows of all captures at once: sorted keys, no loop over connections."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.forensics.connections import NEVER
from backend.forensics.evidence.attempts.attempts import Attempts
from backend.forensics.evidence.attempts.delays import Frame
from backend.forensics.evidence.attempts.sent_syns import Bools
from backend.forensics.evidence.clocks.grouped_rows import by_value, is_among
from backend.forensics.evidence.clocks.matched_packets import mix
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.clocks.sorted_rows import distinct, place_in, stable_argsort, taken
from backend.forensics.packets import ACK, RST, SYN

_LOOPBACK_V4 = 127
UNROUTED_TTLS = (64, 128, 255)
"""What hosts start with: such a packet was passed on by no router."""
RETRY_NS = 100_000_000
"""A SYN is sent again after 1 s (RFC 6298 section 2); what follows sooner is the same one at another place."""


@dataclass(frozen=True)
class Hairpin:
    """Attempts of one client through one service to itself. `rows` are those of `Attempts.table`; `failed` those that
    never opened or sent another SYN after the one that came back (a rule that chooses by chance may send that one
    elsewhere); `untranslated`: SYNs that had the client as source and as destination."""

    rows: Ints
    failed: Ints
    untranslated: int
    frames: tuple[Frame, ...]
    """Of the SYNs that came back."""


@dataclass(frozen=True)
class ForeignAnswers:
    """SYN-ACKs from an address that the client had not asked, for one service. `rows` are those of `Sightings`."""

    rows: Ints
    syns: Ints
    """Rows of the SYNs that they answer."""
    unrouted: int
    """Of these answers, how many no router had passed on."""


def find_hairpins(attempts: Attempts) -> list[Hairpin]:
    """By client and service, in the order of the first attempt."""
    seen, table = attempts.sightings, attempts.table
    syn = np.flatnonzero(seen.transmission >= 0)
    if not len(syn):
        return []
    row_of_link = np.full(int(seen.link_of_node.max(initial=-1)) + 1, -1, np.int64)
    row_of_link[table["link"]] = np.arange(len(table))
    of = row_of_link[seen.link[syn]]
    back = (of >= 0) & _same_host(seen.rows, "destination", syn, table, "client", of)
    syn, of = syn[back], of[back]
    # From here on a handful: rows of all SYNs would be copied in vain.
    rows = seen.rows[syn]
    untranslated = (rows["source_high"] == rows["destination_high"]) & (
        rows["source_low"] == rows["destination_low"]
    )
    back = ~_is_loopback(rows["destination_high"], rows["destination_low"])
    back &= ~_same_host(table, "server", of, table, "client", of) | untranslated
    last_ns = _last_times(attempts, of)
    repeated = seen.time_ns[syn] + RETRY_NS < last_ns[of]
    return _by_service(attempts, syn[back], of[back], (untranslated[back], repeated[back]))


def _same_host(
    rows: NDArray[np.void], end: str, at: Ints, others: NDArray[np.void], other_end: str, other_at: Ints
) -> Bools:
    same: Bools = taken(rows[f"{end}_low"], at) == taken(others[f"{other_end}_low"], other_at)
    same &= taken(rows[f"{end}_high"], at) == taken(others[f"{other_end}_high"], other_at)
    return same


def _last_times(attempts: Attempts, rows: Ints) -> Ints:
    """By row of `Attempts.table`: when its last SYN was seen, for these rows."""
    seen, table = attempts.sightings, attempts.table
    row_of_link = np.full(int(seen.link_of_node.max(initial=-1)) + 1, -1, np.int64)
    row_of_link[table["link"][rows]] = rows
    syn = np.flatnonzero(seen.transmission >= 0)
    of = row_of_link[seen.link[syn]]
    last_ns = np.full(len(table), np.iinfo(np.int64).min)
    np.maximum.at(last_ns, of[of >= 0], seen.time_ns[syn][of >= 0])
    return last_ns


def _is_loopback(high: NDArray[np.uint64], low: NDArray[np.uint64]) -> Bools:
    v4 = (high == 0) & ((low >> np.uint64(32)) == np.uint64(0xFFFF))
    first = (low >> np.uint64(24)) & np.uint64(0xFF)
    found: Bools = (v4 & (first == _LOOPBACK_V4)) | ((high == 0) & (low == 1))
    return found


def _by_service(attempts: Attempts, syns: Ints, rows: Ints, marks: tuple[Bools, Bools]) -> list[Hairpin]:
    """`marks`, beside the SYNs: same source and destination; another SYN followed."""
    table, seen = attempts.table, attempts.sightings
    untranslated, repeated = marks
    key = mix(*(table[f"{end}_{part}"][rows] for end in ("client", "server") for part in ("high", "low")))
    found = []
    groups = by_value(np.arange(len(key)), key)
    for mine in sorted(groups.values(), key=lambda its: int(its[0])):
        own = np.unique(rows[mine])
        unanswered = (table["connect_delay_ns"][own] == NEVER) & ~table["established"][own]
        unanswered |= np.isin(own, rows[mine[repeated[mine]]])
        frames = tuple(
            (seen.places[place].input, frame)
            for place, frame in zip(
                seen.place[syns[mine]].tolist(), seen.rows["frame"][syns[mine]].tolist(), strict=True
            )
        )
        found.append(
            Hairpin(own, own[unanswered], int(np.unique(rows[mine[untranslated[mine]]]).size), frames)
        )
    return found


def find_foreign_answers(attempts: Attempts) -> list[ForeignAnswers]:
    """By service (address and port that were asked), the most first. An answer is foreign at a vantage point where a
    SYN with its number was seen, and none to whom it comes from, and where its receiver reset it: between two
    translations a SYN and its answer have different addresses, too."""
    seen = attempts.sightings
    syn = np.flatnonzero(seen.transmission >= 0)
    answer = np.flatnonzero((seen.rows["tcp_flags"] & (SYN | ACK | RST)) == (SYN | ACK))
    if not len(syn) or not len(answer):
        return []
    rows = seen.rows
    wanted = (taken(rows["acknowledgement"], answer).astype(np.int64) - 1) % 2**32
    number = taken(rows["sequence"], syn).astype(np.int64)
    asked_key = mix(seen.place[syn], *_end(rows, syn, "source"), number)
    came_key = mix(seen.place[answer], *_end(rows, answer, "destination"), wanted)
    order = stable_argsort(asked_key)
    ordered = asked_key[order]
    at = np.minimum(place_in(ordered, came_key), len(order) - 1)
    # Nearly all come from where the first of these SYNs went.
    first = syn[order[at]]
    same = _same_host(rows, "source", answer, rows, "destination", first)
    same &= taken(rows["source_port"], answer) == taken(rows["destination_port"], first)
    foreign = (ordered[at] == came_key) & ~same
    if not foreign.any():
        return []
    same_key = distinct(mix(asked_key, *_end(rows, syn, "destination")))
    others = np.flatnonzero(foreign)
    foreign[others] = ~is_among(mix(came_key[others], *_end(rows, answer[others], "source")), same_key)
    if not foreign.any():
        return []
    return _answers(attempts, answer[foreign], syn[order[at[foreign]]])


def _end(rows: NDArray[np.void], chosen: Ints, end: str) -> tuple[NDArray[np.generic], ...]:
    return tuple(taken(rows[f"{end}_{part}"], chosen) for part in ("high", "low", "port"))


def _answers(attempts: Attempts, answers: Ints, syns: Ints) -> list[ForeignAnswers]:
    seen = attempts.sightings
    rows = seen.rows
    reset = np.flatnonzero((rows["tcp_flags"] & (SYN | RST)) == RST)
    resets = mix(seen.place[reset], *_end(rows, reset, "source"), *_end(rows, reset, "destination"))
    key = mix(seen.place[answers], *_end(rows, answers, "destination"), *_end(rows, answers, "source"))
    was_reset = np.isin(key, resets)
    answers, syns = answers[was_reset], syns[was_reset]
    unrouted = np.isin(rows["ttl"][answers], UNROUTED_TTLS)
    service = mix(*_end(rows, syns, "destination"))
    of_service = by_value(np.arange(len(service)), service)
    # Services in the order of their first answer, where several have as many.
    groups = sorted(of_service.values(), key=lambda its: (-len(its), its[0]))
    return [ForeignAnswers(answers[its], syns[its], int(unrouted[its].sum())) for its in groups]
