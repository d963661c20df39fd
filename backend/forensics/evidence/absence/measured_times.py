"""Which times of the captures a clock measured: no duration rests on the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from backend.forensics.captures import Capture
from backend.forensics.evidence.attempts.attempts import Attempts
from backend.forensics.evidence.attempts.sent_syns import Bools
from backend.forensics.evidence.clocks.sightings import join_rows
from backend.forensics.messages import HeldMessages
from backend.forensics.packets import PACKET_DTYPE
from backend.forensics.round_trips import ROUND_TRIP_SCHEMA

FIRST_CAPTURE_NS = 567_993_600_000_000_000
"""1988-01-01: tcpdump, the first program that wrote such captures, is of that year."""

LONGEST_BACK_OFF_NS = 240_000_000_000
"""Twice TCP_RTO_MAX of Linux (120 s, include/net/tcp.h), which bounds every back-off."""


@dataclass(frozen=True)
class TimeProblem:
    """What is wrong with the times of a capture, and the frames that show it."""

    input: str
    text: str
    frames: tuple[int, ...] = ()


def without_made_up_trips(capture: Capture) -> Capture:
    """Round trips of times that no clock measured, or that a set clock interrupted, are none."""
    if capture.times.measured and not capture.times.steps:
        return capture
    return replace(capture, round_trips=HeldMessages(ROUND_TRIP_SCHEMA.empty_table()))


def measured_attempts(captures: Sequence[Capture], attempts: Attempts) -> Bools:
    """Beside `Attempts.table`: every duration of the attempt was measured by a clock that nobody set meanwhile."""
    table = attempts.table
    measured = ~_beyond_back_off(attempts)
    if all(c.times.measured and not c.times.steps for c in captures):
        return measured
    handshakes = join_rows([c.handshakes for c in captures], PACKET_DTYPE)
    capture_of = np.repeat(np.arange(len(captures)), [len(c.handshakes) for c in captures])
    link = attempts.sightings.link
    bad = np.zeros(int(link.max(initial=-1)) + 1, np.bool_)
    for number, capture in enumerate(captures):
        mine = (capture_of == number) & (link >= 0)
        times = capture.times
        if not times.measured:
            bad[link[mine]] = True
        elif times.steps:
            before = mine & (handshakes["frame"] < times.last_step)
            behind = mine & (handshakes["frame"] >= times.first_step)
            bad[np.intersect1d(link[before], link[behind])] = True
    measured[bad[table["link"]]] = False
    return measured


def _beyond_back_off(attempts: Attempts) -> Bools:
    """Attempts that waited between two SYNs, or after their only one, longer than any stack does: the clock was set."""
    table, retried = attempts.table, attempts.retried
    beyond: Bools = (table["transmissions"] == 1) & (table["connect_delay_ns"] > LONGEST_BACK_OFF_NS)
    gap = np.diff(retried.sent.time_ns) > LONGEST_BACK_OFF_NS
    same = np.diff(retried.sent.attempt) == 0
    beyond[retried.row[retried.sent.attempt[1:][gap & same]]] = True
    return beyond


def time_problems(captures: Sequence[Capture]) -> list[TimeProblem]:
    """Why times of these captures cannot be taken for measured ones."""
    return [problem for capture in captures if capture.packets for problem in _problems(capture)]


def _problems(capture: Capture) -> list[TimeProblem]:
    times, name = capture.times, capture.name
    found = []
    if times.untimed:
        packets = (
            "1 packet has a time stamp"
            if times.untimed == 1
            else f"{times.untimed:,} packets have time stamps"
        )
        text = f"{packets} before 1970 or after 2116: no duration in this capture is used"
        found.append(TimeProblem(name, text, (times.first_untimed,)))
    if times.even_gap_ns is not None:
        gap = (
            f"exactly {abs(times.even_gap_ns) / 1e9:g} s apart"
            if times.even_gap_ns
            else "all at the same time"
        )
        text = f"packets are {gap}: these times were not measured, no duration in this capture is used"
        found.append(TimeProblem(name, text))
    if times.backwards and times.even_gap_ns is None:
        text = (
            f"time stamps run backwards: {times.backwards:,} handshake packets are earlier than the one before, "
            "no duration in this capture is used"
        )
        found.append(TimeProblem(name, text))
    if times.steps:
        way = "back" if times.largest_step_ns < 0 else "ahead"
        times_set = "once" if times.steps == 1 else f"{times.steps:,} times"
        text = (
            f"time stamps jump {times_set}, at most {abs(times.largest_step_ns) / 1e9:,.3f} s {way}: "
            "no duration over a jump is used"
        )
        found.append(TimeProblem(name, text, tuple(sorted({times.first_step, times.last_step}))))
    if 0 <= capture.first_ns < FIRST_CAPTURE_NS and not found and not capture.is_printed:
        text = (
            "time stamps are before 1988: the clock was not set, dates are wrong and durations may be right"
        )
        if not capture.last_ns:  # as of pcapng's simple packet blocks, which carry none
            text = "time stamps are zero or absent: dates and durations are not known"
        found.append(TimeProblem(name, text, (1,)))
    return found
