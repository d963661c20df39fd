"""Round-trip samples of all captures, of those pairs of hosts in which answers may have come together.

Most samples of most captures are quick and say nothing. So a light pass over a few columns finds the pairs of hosts in
which late answers ended close together, and only their rows are held."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.evidence.clocks.grouped_rows import is_among
from backend.forensics.evidence.clocks.sightings import Ints, Sightings
from backend.forensics.evidence.clocks.sorted_rows import distinct, lexsort, stable_argsort
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.evidence.round_trips.late_answers import LATE_NS, late_pairs
from backend.forensics.evidence.round_trips.message_trips import message_trips
from backend.forensics.evidence.round_trips.printed_trips import PrintedTrips, printed_trips
from backend.forensics.packets import NO_CONNECTION
from backend.forensics.round_trips import ECHO, PRINTED, ROUND_TRIP_DTYPE, SYN_ANSWERED

_ADDRESSES: Final = ("prober_high", "prober_low", "responder_high", "responder_low")
_LIGHT: Final = (*_ADDRESSES, "sent_ns", "rtt_ns", "kind", "vantage")
_FACTORS: Final = (0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
_SHIFT: Final = np.uint64(29)

NOT_KNOWN: Final = int(np.iinfo(np.int64).min)

Keys = NDArray[np.uint64]


@dataclass(frozen=True)
class Source:
    """Where samples are from. `target` is whom a listing says it asked, "" for a capture; `timed` is False when times
    count from a listing's first probe, in ns."""

    input: str
    printed: bool = False
    target: str = ""
    timed: bool = True


@dataclass(frozen=True)
class RoundTrips:
    """`rows` are ROUND_TRIP_DTYPE in order of sending; the other arrays run beside it.

    `key` is the same for one sample at several vantage points; `nearest` marks the sighting nearest to the prober, the
    only one that counts. `total` is the number of all samples of the captures, those not held here included."""

    rows: NDArray[np.void]
    place: Ints
    capture: Ints
    pair: Keys
    key: Keys
    nearest: NDArray[np.bool_]
    total: int
    sources: tuple[Source, ...]
    """By the numbers in `capture`: the captures, then the listings of tools that probe."""


def mix_keys(*columns: NDArray[np.generic]) -> Keys:
    """64 bits out of several number columns; equal only by an accident of one in 2^64 when they differ."""
    mixed = np.zeros(len(columns[0]), np.uint64)
    for number, column in enumerate(columns):
        mixed = (mixed ^ column.astype(np.uint64)) * np.uint64(_FACTORS[number % len(_FACTORS)])
        mixed ^= mixed >> _SHIFT
    return mixed


def pair_keys(rows: NDArray[np.void], *, reverse: bool = False) -> Keys:
    """A number of each ordered pair of hosts; `reverse`: of the pair the other way round."""
    names = (*_ADDRESSES[2:], *_ADDRESSES[:2]) if reverse else _ADDRESSES
    return mix_keys(*(rows[name] for name in names))


def gather_round_trips(
    captures: Sequence[Capture], sightings: Sightings, dumps: Sequence[DumpInput]
) -> RoundTrips:
    """The samples of pairs with late answers, and those that were printed. Memory: 29 bytes for each sample of a pair
    with any late one, and all columns of the pairs that are left."""
    total = sum(capture.round_trips.rows for capture in captures)
    wanted = _with_translated(_suspicious(captures), captures, sightings)
    parts, numbers = [], []
    for number, capture in enumerate(captures):
        for rows in (*_rows_of(capture, wanted), message_trips(capture)):
            chosen = rows[is_among(pair_keys(rows), wanted)]
            parts.append(chosen)
            numbers.append(np.full(len(chosen), number, np.int64))
    sources = [Source(capture.name) for capture in captures]
    for listing in _not_captured(dumps, parts):
        total += len(listing.rows)
        parts.append(listing.rows)
        numbers.append(np.full(len(listing.rows), len(sources), np.int64))
        sources.append(Source(listing.input, True, listing.target, listing.timed))
    rows = np.concatenate(parts) if parts else np.zeros(0, ROUND_TRIP_DTYPE)
    of_capture = np.concatenate(numbers) if numbers else np.zeros(0, np.int64)
    same = mix_keys(of_capture, rows["sent_frame"], rows["answer_frame"])
    once = np.unique(same, return_index=True)[1]  # a request is recognized by its packets and by its message
    order = once[stable_argsort(rows["sent_ns"][once])]
    return _join(rows[order], of_capture[order], captures, sightings, total, tuple(sources))


@dataclass(frozen=True)
class Samples:
    """All samples of all captures, each as every vantage point saw it that saw it; the arrays run beside one another.

    Those at the vantage point nearest to the prober come first, by time of sending; `probe` is the row of that one.
    `flow` is equal for one direction of one connection, or one series of echoes. `there_ns` is how long the question
    took from the nearest vantage point to this one, NOT_KNOWN where their clocks were never compared. `at_ns` is when
    it was sent, on the clock of the captures that can be compared with its own."""

    rows: NDArray[np.void]
    place: Ints
    nearest: int
    """So many of them are nearest to the prober."""
    probe: Ints
    flow: Ints
    there_ns: Ints
    at_ns: Ints


def every_sample(captures: Sequence[Capture], sightings: Sightings) -> Samples:
    """All samples. Memory: 120 bytes a sample of every vantage point."""
    parts = [
        np.concatenate([*_rows_of(capture, None), message_trips(capture)]).astype(ROUND_TRIP_DTYPE)
        for capture in captures
    ]
    rows = np.concatenate(parts) if parts else np.zeros(0, ROUND_TRIP_DTYPE)
    of_capture = np.repeat(np.arange(len(captures)), [len(part) for part in parts])
    same = mix_keys(of_capture, rows["sent_frame"], rows["answer_frame"])
    once = np.unique(same, return_index=True)[1]
    joined = _join(rows[once], of_capture[once], captures, sightings, len(once), ())
    flow = np.unique(_flows(joined.rows, joined.capture, sightings), return_inverse=True)[1].reshape(-1)
    near = np.flatnonzero(joined.nearest)
    near = near[stable_argsort(joined.rows["sent_ns"][near])]
    far, probe = _with_nearest(joined.key, near, np.flatnonzero(~joined.nearest))
    order = np.concatenate([near, far])
    probe = np.concatenate([np.arange(len(near)), probe])
    there_ns = np.zeros(len(order), np.int64)
    common = _on_common_clock(joined, sightings)
    there_ns[len(near) :] = _way_there(joined, sightings, common, far, near[probe[len(near) :]])
    at_ns = common[near][probe]
    return Samples(joined.rows[order], joined.place[order], len(near), probe, flow[order], there_ns, at_ns)


def _with_nearest(key: Keys, near: Ints, far: Ints) -> tuple[Ints, Ints]:
    """(those of `far` that are the same sample as one of `near`, the place of that one in `near`), by that place."""
    by_key = stable_argsort(key[near])
    ordered = key[near][by_key]
    at = np.minimum(np.searchsorted(ordered, key[far]), max(len(near) - 1, 0))
    known = ordered[at] == key[far] if len(near) else np.zeros(len(far), np.bool_)
    probe: Ints = by_key[at[known]] if len(near) else at[known]
    order = stable_argsort(probe)
    return far[known][order], probe[order]


def _on_common_clock(joined: RoundTrips, sightings: Sightings) -> Ints:
    """When each was sent."""
    sent_ns = joined.rows["sent_ns"].astype(np.int64)
    common = sent_ns.copy()
    for number in distinct(joined.capture).tolist():
        mine = np.flatnonzero(joined.capture == number)
        common[mine] = sightings.clocks.on_reference(number, sent_ns[mine])
    return common


def _way_there(joined: RoundTrips, sightings: Sightings, common: Ints, far: Ints, near: Ints) -> Ints:
    """From the one vantage point to the other; NOT_KNOWN where nobody compared their clocks."""
    group = np.array(sightings.clocks.group or (0,), np.int64)
    together = group[joined.capture[far]] == group[joined.capture[near]]
    return np.where(together, common[far] - common[near], NOT_KNOWN)


def _not_captured(dumps: Sequence[DumpInput], parts: Sequence[NDArray[np.void]]) -> Iterator[PrintedTrips]:
    """Listings of responders that no capture shows: the same probes would count twice."""
    seen = {
        (int(h), int(low))
        for rows in parts
        for h, low in np.unique(rows[["responder_high", "responder_low"]]).tolist()
    }
    for listing in printed_trips(dumps):
        first = listing.rows[0]
        if (int(first["responder_high"]), int(first["responder_low"])) not in seen:
            yield listing


def _join(
    rows: NDArray[np.void],
    of_capture: Ints,
    captures: Sequence[Capture],
    sightings: Sightings,
    total: int,
    sources: tuple[Source, ...],
) -> RoundTrips:
    first_place = np.cumsum([0, *(len(c.vantage_points) for c in captures), *(0 for _ in sources)])
    place = first_place[of_capture] + rows["vantage"].astype(np.int64)
    flow = _flows(rows, of_capture, sightings)
    key = mix_keys(flow, rows["sequence"], rows["kind"] == SYN_ANSWERED)
    nearest = _nearest(flow, place, rows["rtt_ns"].astype(np.int64))
    return RoundTrips(rows, place, of_capture, pair_keys(rows), key, nearest, total, sources)


def _flows(rows: NDArray[np.void], of_capture: Ints, sightings: Sightings) -> Keys:
    """The same for one direction of one connection, or one series of echoes, at every vantage point."""
    connection = rows["connection"].astype(np.int64)
    has_link = connection != NO_CONNECTION
    offsets = np.array(sightings.node_offset, np.int64)
    node = np.where(has_link, offsets[np.minimum(of_capture, len(offsets) - 1)] + connection, 0)
    links = sightings.link_of_node
    link = links[node] if len(links) else node
    by_link = mix_keys(link, rows["from_client"], np.ones(len(rows), np.int64))
    identifier = np.where(rows["kind"] == ECHO, rows["sequence"] >> 16, 0)
    listing = np.where(rows["kind"] == PRINTED, of_capture + 1, 0)
    return np.where(has_link, by_link, mix_keys(pair_keys(rows), identifier, listing))


def _nearest(flow: Keys, place: Ints, rtt_ns: Ints) -> NDArray[np.bool_]:
    """Of each flow the rows of the place nearest to the prober: there a round trip is longest, whatever the clocks say.
    Places that saw less than half of the samples that another saw are no choice."""
    if not len(flow):
        return np.zeros(0, np.bool_)
    order = lexsort((place, flow))
    new = np.ones(len(order), np.bool_)
    new[1:] = (flow[order][1:] != flow[order][:-1]) | (place[order][1:] != place[order][:-1])
    starts = np.flatnonzero(new)
    count = np.diff(starts, append=len(order))
    mean = np.add.reduceat(rtt_ns[order], starts) / count
    of_flow = flow[order][starts]
    flow_starts = np.flatnonzero(np.concatenate(([True], of_flow[1:] != of_flow[:-1])))
    sizes = np.diff(flow_starts, append=len(of_flow))
    most = np.repeat(np.maximum.reduceat(count, flow_starts), sizes)
    best = np.where(2 * count >= most, mean, -1.0)
    leads = best == np.repeat(np.maximum.reduceat(best, flow_starts), sizes)
    chosen = np.zeros(len(flow), np.bool_)
    chosen[order] = np.repeat(leads, count)
    return chosen


def _suspicious(captures: Sequence[Capture]) -> Keys:
    """Pairs of hosts, in either direction, in which late answers came together at some vantage point."""
    found = [late_pairs(*_light(capture)) for capture in captures if capture.round_trips.rows]
    return distinct(np.concatenate(found)) if found else np.zeros(0, np.uint64)


def _with_translated(wanted: Keys, captures: Sequence[Capture], sightings: Sightings) -> Keys:
    """These pairs, and what NAT makes of them: a vantage point behind it shows whether a question had passed."""
    link = sightings.link_of_node
    if not len(wanted) or not len(link):
        return wanted
    found = [wanted]
    for here, there in (("client", "server"), ("server", "client")):
        ends = [f"{end}_{part}" for end in (here, there) for part in ("high", "low")]
        keys = np.concatenate([mix_keys(*(c.connections[name] for name in ends)) for c in captures])
        same = distinct(link[is_among(keys, wanted)])
        found.append(keys[is_among(link, same)])
    return distinct(np.concatenate(found))


def _light(capture: Capture) -> tuple[Keys, Ints, Ints, Ints, Ints]:
    """(pair, sent, round trip, kind, vantage point) of the samples of pairs that have two late ones."""
    late = [
        _keys_of(batch).compress(batch.column("rtt_ns").to_numpy() > LATE_NS)
        for batch in capture.round_trips.batches([*_ADDRESSES, "rtt_ns"])
    ]
    pairs, counts = np.unique(np.concatenate(late), return_counts=True)
    pairs = pairs[counts >= 2]
    parts: list[list[NDArray[np.generic]]] = [[] for _ in range(5)]
    for batch in capture.round_trips.batches(_LIGHT) if len(pairs) else ():
        keys = _keys_of(batch)
        wanted = is_among(keys, pairs)
        parts[0].append(keys[wanted])
        for part, name in zip(parts[1:], ("sent_ns", "rtt_ns", "kind", "vantage"), strict=True):
            part.append(batch.column(name).to_numpy()[wanted])
    if not parts[0]:
        return (np.zeros(0, np.uint64), *(np.zeros(0, np.int64) for _ in range(4)))  # type: ignore[return-value]
    return tuple(np.concatenate(part) for part in parts)  # type: ignore[return-value]


def _keys_of(batch: pa.RecordBatch) -> Keys:
    return mix_keys(*(batch.column(name).to_numpy() for name in _ADDRESSES))


def _rows_of(capture: Capture, wanted: Keys | None) -> Iterator[NDArray[np.void]]:
    """The samples of these pairs, None for all."""
    if wanted is not None and not len(wanted):
        return
    names = ROUND_TRIP_DTYPE.names or ()
    for batch in capture.round_trips.batches(names):
        chosen = (
            np.arange(batch.num_rows) if wanted is None else np.flatnonzero(is_among(_keys_of(batch), wanted))
        )
        rows = np.zeros(len(chosen), ROUND_TRIP_DTYPE)
        for name in names:
            rows[name] = batch.column(name).to_numpy()[chosen]
        yield rows
