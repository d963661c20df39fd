"""Negative. Two late answers end together: a line goes through any two points.

A lost link-layer frame that is sent again does this all the time.
"""

from __future__ import annotations

from backend.forensics.detectors.rtt_backlog.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_trips import TripBuilder, every
from backend.forensics.tests.samples import Expected

EXPECTED = Expected(None)
LOOSENED = Thresholds(samples=2, kernel_answers=2, by_chance=1e9)
WRONG_CLAIM = "a stall of 110 ms, out of two answers"


def build() -> Facts:
    capture = TripBuilder().probe([*every(50, 1000), *every(50, 2000, 1150)])
    capture.add(1000.0, 110.0).add(1050.0, 60.1)
    return gather_facts([capture.build()], [])
