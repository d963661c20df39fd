"""Round trips of cited frames and lines, and what sentences say of answers that came together or out of a queue."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from statistics import mean, median
from typing import TYPE_CHECKING, NamedTuple

from workers.tests.lab.headers import ACK, FIN, ICMP, SYN, TCP, UDP, Header, headers_of
from workers.tests.lab.sentences import count, seconds, told_s

if TYPE_CHECKING:
    from pathlib import Path

    from workers.tests.lab.sentences import Check, Problem, Sentence

TOGETHER_S = 0.003
"""Answers of one stall are less apart."""
SLOPE_OFF = 0.05
"""A stall's last samples, of which some barely waited, move the slope so much."""
USUAL_OFF_S = 0.0005
"""Each kind of request has its own usual round trip."""
_USUAL_QUANTILE = 0.2
_NOTICED_S = 0.01
_ECHO = 8
_WORD = 1 << 32


class Trip(NamedTuple):
    """A request, and when its answer came. A listing's requests have the line as their number."""

    number: int
    sent_s: float
    wait_s: float
    hosts: tuple[str, str] = ("", "")

    @property
    def answered_s(self) -> float:
        return self.sent_s + self.wait_s


@lru_cache(maxsize=8)
def trips_of(path: Path) -> dict[int, Trip]:
    """By frame of the request: the first packet that answers it."""
    open_: dict[tuple[str, str, int], list[Header]] = defaultdict(list)
    found = {}
    for header in headers_of(path):
        for asked in _answered_by(header, open_):
            wait_s = (header.time_ns - asked.time_ns) / 1e9
            hosts = asked.source.rpartition(":")[0], asked.target.rpartition(":")[0]
            found[asked.number] = Trip(asked.number, asked.time_ns / 1e9, wait_s, hosts)
        if _asks(header):
            open_[header.source, header.target, header.protocol].append(header)
    return found


def _asks(header: Header) -> bool:
    if header.protocol == ICMP:
        return header.flags == _ECHO
    return header.protocol == UDP or header.payload_bytes > 0 or bool(header.flags & (SYN | FIN))


def _answered_by(header: Header, open_: dict[tuple[str, str, int], list[Header]]) -> list[Header]:
    if header.protocol == ICMP:
        one, two = header.source.rpartition(":"), header.target.rpartition(":")
        # Identifier and sequence number stay where they are, the addresses change places.
        key = f"{two[0]}:{one[2]}", f"{one[0]}:{two[2]}", ICMP
        return open_.pop(key, []) if header.flags == 0 else []
    waiting = open_.get((header.target, header.source, header.protocol), [])
    if header.protocol != TCP or not waiting:
        open_.pop((header.target, header.source, header.protocol), None)
        return waiting
    if not header.flags & ACK:
        return []
    done = [w for w in waiting if (header.ack - _end(w)) % _WORD < _WORD // 2]
    for each in done:
        waiting.remove(each)
    return done


def _end(header: Header) -> int:
    return (header.seq + header.payload_bytes + bool(header.flags & (SYN | FIN))) % _WORD


def _cited(sentence: Sentence) -> dict[str, list[Trip]]:
    """By input."""
    found = {}
    for part in sentence.evidence:
        if part["frames"]:
            known = trips_of(sentence.folder / part["input"])
            found[part["input"]] = [known[n] for n in part["frames"] if n in known]
        elif part["lines"]:
            found[part["input"]] = _printed(sentence.lines()[part["input"]])
    return found


def _printed(lines: list[str]) -> list[Trip]:
    """A tool prints the round trips; not when it sent."""
    waits = [(n, re.search(r"(?:rtt|time)=([\d.]+) ?ms", line)) for n, line in enumerate(lines)]
    return [Trip(n, 0.0, float(m[1]) / 1e3) for n, m in waits if m]


def _stalls(trips: list[Trip]) -> list[list[Trip]]:
    """Groups whose answers came together."""
    groups: list[list[Trip]] = []
    for trip in sorted(trips, key=lambda t: t.answered_s):
        if groups and trip.answered_s - groups[-1][-1].answered_s <= TOGETHER_S:
            groups[-1].append(trip)
        else:
            groups.append([trip])
    return groups


def _slope(trips: list[Trip]) -> float | None:
    """Least squares; None for requests of one moment."""
    sent, waited = mean(t.sent_s for t in trips), mean(t.wait_s for t in trips)
    spread = sum((t.sent_s - sent) ** 2 for t in trips)
    return sum((t.sent_s - sent) * (t.wait_s - waited) for t in trips) / spread if spread else None


def _usual_s(sentence: Sentence) -> float:
    """What round trips take that nothing holds: the 20th percentile of those hosts' in the file."""
    part = sentence.evidence[0]
    path = sentence.folder / part["input"]
    known = trips_of(path) if part["frames"] else {}
    held = {known[n].hosts for n in part["frames"] if n in known}
    trips = known.values() if part["frames"] else _printed(path.read_text().splitlines())
    waits = sorted(trip.wait_s for trip in trips if not held or trip.hosts in held)
    return waits[int((len(waits) - 1) * _USUAL_QUANTILE)]


def _one_stall(m: re.Match[str], sentence: Sentence) -> Problem:
    (trips,) = _cited(sentence).values()
    if len(trips) != count(m["some"]):
        return f"{len(trips)} answered requests are cited"
    longest = max(t.wait_s for t in trips)
    later = longest - _usual_s(sentence)
    if abs(later - float(m["longest"].replace(",", "")) / 1e3) > told_s(f"{m['longest']} ms") + USUAL_OFF_S:
        return f"one waited {longest:.4f} s, {later:.4f} s more than usual"
    if m["within"]:
        within = max(t.answered_s for t in trips) - min(t.answered_s for t in trips)
        if abs(within - float(m["within"]) / 1e3) > told_s(f"{m['within']} ms"):
            return f"the answers came within {within:.6f} s"
    first = min(trips, key=lambda t: t.sent_s)
    return (
        None
        if not m["within"] or first.wait_s == longest
        else "the first of them is not the one that waited longest"
    )


def _fell(m: re.Match[str], sentence: Sentence) -> Problem:
    by_input = _cited(sentence)
    slopes = [
        slope
        for trips in by_input.values()
        for stall in _stalls(trips)
        if len(stall) > 2
        and max(t.wait_s for t in stall) >= _NOTICED_S
        and (slope := _slope(stall)) is not None
    ]
    if not slopes:
        return None if not sentence.frames() else "no cited answers came together"
    off = abs(-median(slopes) - float(m["slope"]))
    return None if off <= SLOPE_OFF else f"a median of {-median(slopes):.3f}"


def _held(m: re.Match[str], sentence: Sentence) -> Problem:
    """The longest wait is a cited one, and the cited answers came in at least so many groups."""
    by_input = _cited(sentence)
    waits = [t.wait_s for trips in by_input.values() for t in trips]
    if not waits:
        return "no cited request was answered"
    told, usual = seconds(m["longest"]), _usual_s(sentence)
    if m["sort"] == "waited":  # behind a queue each kind of request has its own usual time
        return None if max(waits) + USUAL_OFF_S >= told else f"the longest wait is {max(waits):.4f} s"
    if not any(abs(wait - usual - told) <= told_s(m["longest"]) + USUAL_OFF_S for wait in waits):
        return f"the longest wait is {max(waits) - usual:.4f} s more than usual"
    groups = (
        max(len(_stalls(trips)) for trips in by_input.values())
        if sentence.frames()
        else count(m["times"] or "1")
    )
    return None if groups >= count(m["times"] or "1") else f"the answers came in {groups} groups"


_N = r"[\d,]+"
_T = r"[\d,.]+ (?:s|ms|µs)"

CHECKS: tuple[tuple[str, Check], ...] = (
    (
        rf"(?P<some>{_N}) requests from .+ were answered (?:within (?P<within>[\d.]+) ms|together), the first of them "
        r"(?P<longest>[\d,.]+) ms later than the baseline: .+",
        _one_stall,
    ),
    (r"RTT fell by (?P<slope>[\d.]+) ms per ms of sending time, .+", _fell),
    (
        rf"(?:Once|(?P<times>{_N}) times)(?:, every [\d.]+ s)?, responses from .+ (?P<sort>were delayed by|waited) up "
        rf"to (?P<longest>{_T})(?: \(baseline RTT .+\))?.*",
        _held,
    ),
)
