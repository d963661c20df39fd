"""Packets with a wrong checksum, compared with the other vantage points of their connections.

What is wrong near the receiver and was not nearer to the sender was damaged between the two. What is wrong at its
sender and not behind it was filled in by the sender's network card, after the capture
(Documentation/networking/checksum-offloads.rst)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from backend.forensics.captures import Capture
from backend.forensics.connections import NEVER
from backend.forensics.evidence.attempts.delays import Frame
from backend.forensics.evidence.clocks.matched_packets import mix
from backend.forensics.evidence.clocks.sightings import Place
from backend.forensics.packets import (
    CHECKSUM_BITS,
    CHECKSUM_WRONG,
    HEADER_CHECKSUM,
    NO_CONNECTION,
    TCP,
    TRANSPORT_CHECKSUM,
)

Verdict = Literal["damaged", "filled in later", "unknown"]
FRAMES_KEPT: Final = 20
_HEADERS_BYTES: Final = 200
"""More than the headers of a packet in a tunnel take."""
_TUPLE = ("client_high", "client_low", "client_port", "server_high", "server_low", "server_port", "isn")


@dataclass(frozen=True)
class WrongChecksums:
    """Packets of one vantage point, to be read as one."""

    place: Place
    verdict: Verdict
    other: Place | None
    """Where none of their connections' packets was wrong: nearer to the sender of what is damaged, to the receiver of
    what was filled in later."""
    of_tunnel: bool
    """The checksum around a packet in a tunnel, none of its own."""
    packets: int
    frames: tuple[Frame, ...]


@dataclass(frozen=True)
class _Seen:
    """A connection at one vantage point. A round trip from the first SYN to the SYN-ACK is the longer, the nearer its
    client: whose clock it is makes no difference."""

    place: Place
    round_trip_ns: int
    wrong: int
    whole: int
    """Bytes of payload up to which packets were kept whole."""


def find_wrong_checksums(captures: Sequence[Capture], places: Sequence[Place]) -> tuple[WrongChecksums, ...]:
    """By vantage point. At most WRONG_CHECKSUMS_IN_ALL packets a capture are compared; without any, nothing is read."""
    if not any(capture.messages.wrong_checksums.rows for capture in captures):
        return ()
    seen = _seen_connections(captures, {(p.capture, p.point.index): p for p in places})
    counts: Counter[tuple[int, Verdict, int, bool]] = Counter()
    frames: dict[tuple[int, Verdict, int, bool], list[Frame]] = {}
    known = {place.number: place for place in places}
    for place, row, key, from_client in _wrong_packets(captures, places):
        verdict, other = _judge(row, from_client, place, seen.get(key, []))
        group = place.number, verdict, -1 if other is None else other.number, not _is_own(row)
        counts[group] += 1
        frames.setdefault(group, []).append((place.input, row["frame"]))
    return tuple(
        WrongChecksums(
            known[at], verdict, known.get(other), tunnel, count, tuple(frames[group][:FRAMES_KEPT])
        )
        for group in sorted(counts)
        for (at, verdict, other, tunnel), count in ((group, counts[group]),)
    )


def places_of_offload(captures: Sequence[Capture], places: Sequence[Place]) -> tuple[Place, ...]:
    """Vantage points with packets whose sender left the checksum to its network card."""
    found = set()
    for number, capture in enumerate(captures):
        table = capture.connections
        vantages = np.unique(table["vantage"][table["partial_checksums"] > 0])
        found |= {(number, vantage) for vantage in vantages.tolist()}
    return tuple(place for place in places if (place.capture, place.point.index) in found)


def _is_own(row: dict[str, Any]) -> bool:
    own = (TRANSPORT_CHECKSUM, HEADER_CHECKSUM)
    return any(row["checksums"] >> place & CHECKSUM_BITS == CHECKSUM_WRONG for place in own)


def _keys(table: Any) -> list[int]:
    keys: list[int] = mix(*(table[name] for name in _TUPLE)).tolist()
    return keys


def _rows(capture: Capture) -> list[dict[str, Any]]:
    names = (
        "frame", "vantage", "connection", "checksums", "payload_bytes", "source_high", "source_low", "source_port",
    )  # fmt: skip
    rows: list[dict[str, Any]] = capture.messages.wrong_checksums.read(names).to_pylist()
    return rows


def _wrong_packets(
    captures: Sequence[Capture], places: Sequence[Place]
) -> Iterator[tuple[Place, dict[str, Any], int, bool]]:
    """(where, row, key of its connection or 0, whether its client sent it)."""
    at = {(p.capture, p.point.index): p for p in places}
    for number, capture in enumerate(captures):
        rows = _rows(capture)
        numbers = np.array([row["connection"] for row in rows], np.int64)
        table = capture.connections[np.where(numbers == NO_CONNECTION, 0, numbers)] if len(rows) else ()
        keys = _keys(table) if len(rows) and len(capture.connections) else [0] * len(rows)
        for n, row in enumerate(rows):
            if (number, row["vantage"]) not in at:
                continue
            is_known = row["connection"] != NO_CONNECTION
            from_client = is_known and all(
                row[f"source_{name}"] == table[n][f"client_{name}"] for name in ("high", "low", "port")
            )
            yield at[number, row["vantage"]], row, keys[n] if is_known else 0, from_client


def _seen_connections(
    captures: Sequence[Capture], places: dict[tuple[int, int], Place]
) -> dict[int, list[_Seen]]:
    """By key: the TCP connections that had a wrong checksum anywhere, wherever their handshake was seen."""
    opened = [
        c.connections[
            (c.connections["protocol"] == TCP)
            & (c.connections["syn_ns"] != NEVER)
            & (c.connections["syn_ack_ns"] != NEVER)
        ]
        for c in captures
    ]
    wanted = {key for table in opened for key in _keys(table[table["wrong_checksums"] > 0])}
    found: dict[int, list[_Seen]] = {}
    for number, table in enumerate(opened):
        keys = np.array(_keys(table), np.uint64)
        for row in np.flatnonzero(np.isin(keys, np.array(list(wanted), np.uint64))).tolist():
            one = table[row]
            place = places.get((number, int(one["vantage"])))
            if place is not None:
                trip_ns = int(one["syn_ack_ns"] - one["syn_ns"])
                snap_bytes = place.point.snap_length or 1 << 18
                whole = snap_bytes - _HEADERS_BYTES
                seen = _Seen(place, trip_ns, int(one["wrong_checksums"]), whole)
                found.setdefault(int(keys[row]), []).append(seen)
    return found


def _judge(
    row: dict[str, Any], from_client: bool, place: Place, seen: list[_Seen]
) -> tuple[Verdict, Place | None]:
    here = [each for each in seen if each.place.number == place.number]
    if len(here) != 1:
        return "unknown", None
    trip_ns = here[0].round_trip_ns
    others = [
        s for s in seen if s.wrong == 0 and s.whole >= row["payload_bytes"] and s.round_trip_ns != trip_ns
    ]
    nearest = sorted(others, key=lambda each: abs(each.round_trip_ns - trip_ns))
    before = [s for s in nearest if (s.round_trip_ns > trip_ns) == from_client]
    if before:
        return "damaged", before[0].place
    return ("filled in later", nearest[0].place) if nearest else ("unknown", None)
