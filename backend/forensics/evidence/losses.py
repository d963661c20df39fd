"""Where each transmission was last seen, and by whom it was rivalled."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from backend.forensics.evidence.attempts import Attempts, Endpoint, RetriedAttempt, Sighting, Transmission
from backend.forensics.evidence.sightings import Place

UNKNOWN_PLACE = "unknown (one vantage point only)"

LossKind = Literal["inside", "beyond", "return", "replied", "one-sided"]
"""``inside``: between two vantage points; ``beyond``: seen at the last one of several; ``return``: its SYN-ACK was
seen; ``replied``: a bare ACK or RST came; ``one-sided``: only one vantage point could have seen it."""


@dataclass(frozen=True)
class Loss:
    """One SYN that was sent again, and where it went missing."""

    attempt: RetriedAttempt
    transmission: Transmission
    retry: Transmission | None
    where: str
    """``between cni0 and eth0``, ``beyond eth0``, ``return path …``, ``answered …`` or `UNKNOWN_PLACE`."""
    inside: tuple[Place, Place] | None
    """(last that saw it, first that should have) when it vanished between two vantage points."""
    rewritten: bool
    """The path between these two rewrites the address or port of this client's other SYNs."""
    kind: LossKind
    answered_by: tuple[Sighting, ...] = ()
    """Of kind ``return``: the first SYN-ACK, from the server's side on; ``replied``: the bare ACK or RST."""
    answer_lost: tuple[Place, Place] | None = None
    """Of kind ``return``: (last that saw the SYN-ACK, first that should have) on its way back."""


@dataclass(frozen=True)
class Rival:
    """Another source's SYN with the same source port to the same destination."""

    source: Endpoint
    place: Place
    time_ns: int
    frame: int
    distance_ns: int
    link: int


def locate_losses(attempts: Attempts) -> list[Loss]:
    """The losses of all retried attempts, by time. The last transmission counts as lost when nothing answered
    it."""
    losses: list[Loss] = []
    for attempt in attempts.retried:
        sent = attempt.transmissions
        for number, transmission in enumerate(sent):
            retry = sent[number + 1] if number + 1 < len(sent) else None
            if retry is None and attempt.outcome not in ("unanswered", "unreachable"):
                continue
            losses.append(_locate(attempts, attempt, transmission, retry))
    return losses


def _recorded(place: Place, time_ns: int) -> bool:
    """Absence counts only inside the time that the vantage point demonstrably recorded."""
    if any(begin < time_ns < end for begin, end in place.point.unrecorded_ns):
        return False
    return place.point.first_ns <= time_ns <= place.point.last_ns


def _locate(
    attempts: Attempts, attempt: RetriedAttempt, sent: Transmission, retry: Transmission | None
) -> Loss:
    expected = attempts.expected_places(attempt)
    seen = {s.place.number for s in sent.sightings}
    until_ns = retry.time_ns if retry else None
    answers = [
        a for a in attempt.answers if a.time_ns >= sent.time_ns and (until_ns is None or a.time_ns < until_ns)
    ]
    if answers:
        return _lost_answer(attempts, attempt, sent, retry, answers)
    replies = [
        r for r in attempt.replies if r.time_ns >= sent.time_ns and (until_ns is None or r.time_ns < until_ns)
    ]
    if replies:
        where = f"answered without SYN-ACK at {replies[0].place.name}"
        return Loss(attempt, sent, retry, where, None, False, "replied", tuple(replies))
    rank = attempts.order.rank
    last = max(seen, key=lambda number: rank[number])
    after = [
        p
        for p in expected
        if rank[p.number] > rank[last] and p.number not in seen and _recorded(p, _at(attempts, p, sent))
    ]
    if after:
        pair = (attempts.places[last], after[0])
        where = f"between {pair[0].name} and {pair[1].name}"
        return Loss(attempt, sent, retry, where, pair, _rewrites(attempts, attempt, *pair), "inside")
    if len(expected) < 2:
        return Loss(attempt, sent, retry, UNKNOWN_PLACE, None, False, "one-sided")
    return Loss(attempt, sent, retry, f"beyond {attempts.places[last].name}", None, False, "beyond")


def _at(attempts: Attempts, place: Place, sent: Transmission) -> int:
    """The transmission's time on that vantage point's own clock."""
    return attempts.clocks.own_time(place.capture, sent.time_ns)


def _lost_answer(
    attempts: Attempts,
    attempt: RetriedAttempt,
    sent: Transmission,
    retry: Transmission | None,
    answers: list[Sighting],
) -> Loss:
    """Follow the first SYN-ACK back. A later one is the server's own repeat: it crosses the client's retry and says
    nothing about the loss of the first."""
    first: dict[int, Sighting] = {}
    for answer in answers:
        if answer.place.number in first:
            break
        first[answer.place.number] = answer
    rank = attempts.order.rank
    inner = min(first, key=lambda number: rank[number])
    expected = attempts.expected_places(attempt)
    missing = [
        p
        for p in expected
        if rank[p.number] < rank[inner] and p.number not in first and _recorded(p, _at(attempts, p, sent))
    ]
    way = tuple(sorted(first.values(), key=lambda a: (-rank[a.place.number], a.place.number)))
    if not missing:
        where = f"return path before {attempts.places[inner].name}"
        return Loss(attempt, sent, retry, where, None, False, "return", way)
    pair = (attempts.places[inner], missing[-1])
    where = f"return path between {pair[0].name} and {pair[1].name}"
    return Loss(attempt, sent, retry, where, None, False, "return", way, pair)


def _rewrites(attempts: Attempts, attempt: RetriedAttempt, inner: Place, outer: Place) -> bool:
    """Whether address or port change between the two vantage points; without an own retry to see, on this
    route."""
    for sent in attempt.transmissions:
        by_place = {s.place.number: s for s in sent.sightings}
        if inner.number in by_place and outer.number in by_place:
            a, b = by_place[inner.number], by_place[outer.number]
            return (a.source, a.destination) != (b.source, b.destination)
    return attempt.route in attempts.translated


def find_rivals(attempts: Attempts, losses: Iterable[Loss], *, within_ns: int) -> dict[int, Rival]:
    """By index of the loss: the nearest SYN of another source, with its source port, to its destination."""
    index = _SynIndex(attempts)
    rivals: dict[int, Rival] = {}
    for number, loss in enumerate(losses):
        candidates = [
            r for s in loss.transmission.sightings for r in index.near(s, loss.attempt.link, within_ns)
        ]
        if candidates:
            rivals[number] = min(candidates, key=lambda r: (r.distance_ns, r.place.number, r.frame))
    return rivals


class _SynIndex:
    """SYNs sorted by (place, network, destination, ports, time) so that neighbours are found by bisection."""

    def __init__(self, attempts: Attempts) -> None:
        sightings = attempts.sightings
        chosen = np.flatnonzero(sightings.transmission >= 0)
        self._attempts = attempts
        self._rows = chosen
        self._link = sightings.link
        self._time = sightings.time_ns
        groups: dict[tuple[int, ...], list[int]] = {}
        rows = sightings.rows
        wanted = {s.source.port for a in attempts.retried for t in a.transmissions for s in t.sightings}
        keep = chosen[np.isin(rows["source_port"][chosen], np.array(sorted(wanted), np.uint16))]
        for row in keep[np.argsort(self._time[keep], kind="stable")].tolist():
            packet = rows[row]
            key = (
                int(sightings.place[row]),
                int(sightings.network[row]),
                int(packet["destination_high"]),
                int(packet["destination_low"]),
                int(packet["destination_port"]),
                int(packet["source_port"]),
            )
            groups.setdefault(key, []).append(row)
        self._vlan_of = {
            (link, place): vlan
            for link, place, vlan in zip(
                self._link[keep].tolist(),
                sightings.place[keep].tolist(),
                rows["vlan"][keep].tolist(),
                strict=True,
            )
        }
        self._groups = {key: (np.array(found), self._time[found]) for key, found in groups.items()}

    def near(self, sighting: Sighting, link: int, within_ns: int) -> list[Rival]:
        to = sighting.destination
        key = (sighting.place.number, sighting.network, to.high, to.low, to.port, sighting.source.port)
        found, times = self._groups.get(key, (np.zeros(0, np.int64), np.zeros(0, np.int64)))
        low, high = np.searchsorted(times, [sighting.time_ns - within_ns, sighting.time_ns + within_ns + 1])
        rivals: list[Rival] = []
        for row in found[low:high].tolist():
            packet = self._attempts.sightings.rows[row]
            source = Endpoint(
                int(packet["source_high"]), int(packet["source_low"]), int(packet["source_port"])
            )
            if (source.high, source.low) == (sighting.source.high, sighting.source.low) or self._link[
                row
            ] == link:
                continue
            # One tuple in two VLANs is two: their networks need not meet.
            if self._vlan_of[link, sighting.place.number] != int(packet["vlan"]):
                continue
            distance = abs(int(self._time[row]) - sighting.time_ns)
            rivals.append(
                Rival(
                    source,
                    sighting.place,
                    int(self._time[row]),
                    int(packet["frame"]),
                    distance,
                    int(self._link[row]),
                )
            )
        return rivals


@dataclass(frozen=True)
class RivalTable:
    """SYNs towards a server at one vantage point, by whether another source's SYN shared port and moment."""

    rivalled: int
    alone: int


def count_rivalled(attempts: Attempts, place: Place, server: Endpoint, *, within_ns: int) -> RivalTable:
    """How common rivals are among *all* SYNs: lost SYNs that all had one prove little where every SYN has
    one."""
    sightings = attempts.sightings
    rows = sightings.rows
    chosen = (sightings.transmission >= 0) & (sightings.place == place.number)
    chosen &= (rows["destination_high"] == server.high) & (rows["destination_low"] == server.low)
    syns = rows[chosen & (rows["destination_port"] == server.port)]
    order = np.lexsort((syns["time_ns"], syns["source_port"]))
    syns = syns[order]
    other = (syns["source_port"][1:] == syns["source_port"][:-1]) & (
        (syns["source_low"][1:] != syns["source_low"][:-1])
        | (syns["source_high"][1:] != syns["source_high"][:-1])
    )
    close = other & (np.diff(syns["time_ns"]) <= within_ns)
    rivalled = np.zeros(len(syns), np.bool_)
    rivalled[1:] |= close
    rivalled[:-1] |= close
    return RivalTable(int(np.count_nonzero(rivalled)), int(np.count_nonzero(~rivalled)))
