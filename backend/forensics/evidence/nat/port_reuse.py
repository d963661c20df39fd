"""Attempts whose 4-tuple belonged to an earlier connection, and which of them suffered.

The tuple is the one on the packet where it was seen: behind NAT the translated one. A server holds a closed
tuple in TIME_WAIT (RFC 9293 section 3.6.1), conntrack and IPVS hold theirs: a new SYN on it may meet the old.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.connections import NEVER
from backend.forensics.evidence.attempts.attempts import Attempts, Endpoint
from backend.forensics.evidence.clocks.sightings import Ints, Place
from backend.forensics.evidence.clocks.sorted_rows import stable_argsort
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.evidence.kernel.listed_tuples import list_closing
from backend.forensics.packets import TCP

REUSE_WINDOW_NS = 240_000_000_000
"""Two maximum segment lifetimes of RFC 9293 (2 min each): later nobody holds the old connection. Linux keeps
TIME_WAIT for 60 s, conntrack and IPVS for 120 s."""
ANSWER_WAIT_NS = 900_000_000
"""A SYN counts as unanswered only where the recording went on for this long, just below the first retry."""
_ENDS = ("client_high", "client_low", "client_port", "server_high", "server_low", "server_port")
_TUPLE = ("vantage", "vlan", "network", *_ENDS)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)

Bools = NDArray[np.bool_]
Found = tuple[Ints, Ints, Ints]
"""(node of a connection that took up a used tuple, what held it before, time since)."""


@dataclass(frozen=True)
class ReusedTuple:
    """One attempt on a reused tuple, where it was seen. Times are on the reference clock."""

    link: int
    place: Place
    client: Endpoint
    server: Endpoint
    syn_ns: int
    syn_frame: int
    gap_ns: int
    """From the close (or the last packet) of the earlier connection to this SYN."""
    earlier_frame: int | None
    """First packet of the earlier connection; None when only a dump shows it."""
    listed: tuple[str, int] | None
    """(input, line) of the dump that lists it."""

    @property
    def frames(self) -> list[int]:
        """Frames of the earlier connection's first packet, where there is one, and of this SYN."""
        return [frame for frame in (self.earlier_frame, self.syn_frame) if frame is not None]


@dataclass(frozen=True)
class PortReuse:
    """Arrays beside `Attempts.table`. `gap_ns` is NEVER for a fresh tuple; `node` and `earlier` number rows of all
    captures' connection tables, NEVER for none."""

    reused: Bools
    suffered: Bools
    gap_ns: Ints
    node: Ints
    earlier: Ints
    listed: Ints
    """Index into `listing`, NEVER where packets show the earlier connection."""
    listing: NDArray[np.void]


def find_reuse(captures: Sequence[Capture], attempts: Attempts, dumps: Sequence[DumpInput] = ()) -> PortReuse:
    """Which attempts took up a tuple that packets or a dump had shown in use before. Linear but for one sort."""
    total = len(attempts.table)
    never = [np.full(total, NEVER, np.int64) for _ in range(4)]
    reuse = PortReuse(
        np.zeros(total, np.bool_),
        find_suffering(captures, attempts),
        never[0],
        never[1],
        never[2],
        never[3],
        list_closing(dumps),
    )
    if not total:
        return reuse
    _mark(attempts, reuse, _of_lost_syns(captures, attempts, _taken_up(captures, attempts)), reuse.earlier)
    if len(reuse.listing):
        found = _of_lost_syns(captures, attempts, _listed_before(captures, attempts, reuse))
        _mark(attempts, reuse, found, reuse.listed)
    return reuse


def _mark(attempts: Attempts, reuse: PortReuse, found: Found, column: Ints) -> None:
    """Write what was found beside the attempts that nothing is known of yet; `column` takes the second array."""
    node, before, gap_ns = found
    row_of_link = np.full(int(attempts.sightings.link_of_node.max()) + 1, -1, np.int64)
    row_of_link[attempts.table["link"]] = np.arange(len(attempts.table))
    row = row_of_link[attempts.sightings.link_of_node[node]]
    known = np.flatnonzero((row >= 0) & ~reuse.reused[row])
    # Of several vantage points the one with the shortest gap is written last.
    order = known[stable_argsort(-gap_ns[known])]
    reuse.reused[row[order]] = True
    reuse.gap_ns[row[order]], reuse.node[row[order]] = gap_ns[order], node[order]
    column[row[order]] = before[order]


def describe_reuse(
    captures: Sequence[Capture],
    attempts: Attempts,
    reuse: PortReuse,
    rows: Ints,
    dumps: Sequence[DumpInput] = (),
) -> list[ReusedTuple]:
    """The attempts of these rows of the table, as objects."""
    described = []
    for row in rows.tolist():
        entry, place = connection_at(captures, attempts, int(reuse.node[row]))
        earlier_frame, listed = None, None
        if reuse.earlier[row] != NEVER:
            before, _ = connection_at(captures, attempts, int(reuse.earlier[row]))
            earlier_frame = int(before["first_frame"])
        else:
            shown = reuse.listing[int(reuse.listed[row])]
            listed = (dumps[int(shown["dump"])].input, int(shown["line"]))
        described.append(
            ReusedTuple(
                int(attempts.table["link"][row]),
                place,
                _endpoint(entry, "client"),
                _endpoint(entry, "server"),
                attempts.clocks.at_reference(place.capture, int(entry["syn_ns"])),
                int(entry["syn_frame"]),
                int(reuse.gap_ns[row]),
                earlier_frame,
                listed,
            )
        )
    return described


def connection_at(captures: Sequence[Capture], attempts: Attempts, node: int) -> tuple[np.void, Place]:
    """The row of a capture's connection table behind a node, and its vantage point."""
    offset = attempts.sightings.node_offset
    capture = int(np.searchsorted(np.array(offset), node, side="right")) - 1
    entry = captures[capture].connections[node - offset[capture]]
    first = next(p.number for p in attempts.places if p.capture == capture)
    return entry, attempts.places[first + int(entry["vantage"])]


def _endpoint(entry: np.void, end: str) -> Endpoint:
    return Endpoint(int(entry[f"{end}_high"]), int(entry[f"{end}_low"]), int(entry[f"{end}_port"]))


def _taken_up(captures: Sequence[Capture], attempts: Attempts) -> Found:
    """(node, node of the earlier connection, gap) of every connection that began on a used tuple."""
    parts = [
        _taken_up_in(capture.connections, attempts.sightings.link_of_node, offset)
        for capture, offset in zip(captures, attempts.sightings.node_offset, strict=False)
    ]
    if not parts:
        empty = np.zeros(0, np.int64)
        return empty, empty, empty
    return tuple(np.concatenate(column) for column in zip(*parts, strict=True))  # type: ignore[return-value]


def _taken_up_in(table: NDArray[np.void], link_of_node: Ints, offset: int) -> Found:
    key = tuple_key(table, _TUPLE)
    # The table is in order of opening: a stable sort keeps the connections of one tuple in that order.
    order = stable_argsort(key)
    sorted_key = key[order]
    position = np.arange(len(table))
    begins = np.ones(len(table), np.bool_)
    begins[1:] = sorted_key[1:] != sorted_key[:-1]
    opened = ((table["syn_ack_ns"] != NEVER) | (table["syns"] == 0)) & (table["protocol"] == TCP)
    latest = np.maximum.accumulate(np.where(opened[order], position, -1))
    before = np.concatenate([[-1], latest[:-1]]) if len(table) else latest
    start = np.maximum.accumulate(np.where(begins, position, 0))
    again = (before >= start) & (table["syns"][order] > 0) & (table["protocol"][order] == TCP)
    node, earlier = order[again], order[before[again]]
    same = np.ones(len(node), np.bool_)
    for name in _TUPLE:
        same &= table[name][node] == table[name][earlier]
    same &= link_of_node[node + offset] != link_of_node[earlier + offset]
    node, earlier = node[same], earlier[same]
    closed = np.where(
        table["closed_ns"][earlier] != NEVER, table["closed_ns"][earlier], table["last_ns"][earlier]
    )
    gap_ns = np.maximum(table["syn_ns"][node] - closed, 0)
    near = gap_ns <= REUSE_WINDOW_NS
    return node[near] + offset, earlier[near] + offset, gap_ns[near]


def _listed_before(captures: Sequence[Capture], attempts: Attempts, reuse: PortReuse) -> Found:
    """(node, index into the listing, time since the listing) of connections that began on a listed tuple."""
    listing_key = tuple_key(reuse.listing, _ENDS)
    order = stable_argsort(listing_key)
    found: list[tuple[int, int, int]] = []
    offsets = attempts.sightings.node_offset
    for number, (capture, offset) in enumerate(zip(captures, offsets, strict=False)):
        table = capture.connections
        wanted = np.flatnonzero((table["syns"] > 0) & (table["protocol"] == TCP))
        key = tuple_key(table[list(_ENDS)][wanted], _ENDS)
        low = np.searchsorted(listing_key[order], key, side="left")
        high = np.searchsorted(listing_key[order], key, side="right")
        syn_ns = attempts.clocks.on_reference(number, table["syn_ns"].astype(np.int64))
        for index in np.flatnonzero(high > low).tolist():
            node = int(wanted[index])
            at_ns = int(syn_ns[node])
            for entry in order[low[index] : high[index]].tolist():
                shown = reuse.listing[entry]
                if int(shown["from_ns"]) <= at_ns <= int(shown["until_ns"]):
                    found.append((node + offset, entry, at_ns - int(shown["from_ns"])))
    columns = np.array(found, np.int64).reshape(-1, 3)
    return columns[:, 0], columns[:, 1], columns[:, 2]


def tuple_key(table: NDArray[np.void], names: Sequence[str]) -> NDArray[np.uint64]:
    """A 64-bit mix of these columns, to group rows by."""
    key = np.zeros(len(table), np.uint64)
    for name in names:
        key = (key ^ table[name].astype(np.uint64)) * _MIX
        key ^= key >> _SHIFT
    return key


def _of_lost_syns(captures: Sequence[Capture], attempts: Attempts, found: Found) -> Found:
    """Without those where only a retry received the tuple: the SYN that was lost had another."""
    node, before, gap_ns = found
    link = attempts.sightings.link_of_node[node]
    first = np.ones(len(node), np.bool_)
    doubtful = np.flatnonzero(attempts.retried.position_of_link[link] >= 0)
    for index in doubtful.tolist():
        entry, place = connection_at(captures, attempts, int(node[index]))
        client, server = _endpoint(entry, "client"), _endpoint(entry, "server")
        attempt = attempts.retried.of_link(int(link[index]))
        assert attempt is not None
        sent = attempt.transmissions[0].sightings
        first[index] = any(
            s.place.number == place.number and (s.source, s.destination) == (client, server) for s in sent
        )
    return node[first], before[first], gap_ns[first]


def find_suffering(captures: Sequence[Capture], attempts: Attempts) -> Bools:
    """Beside `Attempts.table`: the SYN was sent again, or nobody answered it for long enough to show.

    In a capture of one direction no answer is ever seen: there the client's further packets show."""
    table, link_of_node = attempts.table, attempts.sightings.link_of_node
    if not len(table):
        return np.zeros(0, np.bool_)
    passed = np.zeros(int(link_of_node.max()) + 1, np.bool_)
    watched = np.zeros(len(passed), np.bool_)
    for number, capture in enumerate(captures):
        rows, offset = capture.connections, attempts.sightings.node_offset[number]
        link = link_of_node[offset : offset + len(rows)]
        went_on = (rows["client_packets"] > rows["syns"]) & (rows["resets"] & 1 == 0)
        answered = (rows["syn_ack_ns"] != NEVER) | (rows["resets"] & 2 != 0) | went_on
        passed[link[answered]] = True
        ends = np.array([p.last_ns for p in capture.vantage_points] or [0], np.int64)
        watched[link[rows["syn_ns"] + ANSWER_WAIT_NS <= ends[rows["vantage"]]]] = True
    unanswered = watched[table["link"]] & ~passed[table["link"]]
    suffered: Bools = unanswered | (table["transmissions"] > 1)
    return suffered
